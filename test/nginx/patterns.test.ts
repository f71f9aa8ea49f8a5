/**
 * Tests hostile paths of authors and clients: patterns that do not compile or run too long, and
 * paths that are too long or contain line breaks.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ingress } from "../support/sketch.ts";
import { type Stand, startStand } from "./support/stand.ts";

describe.each([
  ["dynamic", 8481],
  ["static", 8482],
] as const)("%s mode", (mode, port) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await startStand({ mode, port, address: mode === "dynamic" ? "192.0.2.87" : "192.0.2.88" });
  });
  afterAll(() => stand.stop());

  const status = async (host: string, path?: string) => (await stand.ask(host, path)).status;
  const seen = async (host: string, path: string) => JSON.parse((await stand.ask(host, path)).body);
  const pattern = { "use-regex": "true" };

  test("a path whose pattern does not compile is left out alone, and a Problem says so", async () => {
    const paths = [
      ["/good/[a-z]+", "web", "ImplementationSpecific"],
      ["/bad/([a-z]+", "web", "ImplementationSpecific"],
      ["/worse/[z-a]", "web", "ImplementationSpecific"],
    ] as const;
    await stand.apply(
      ingress({ name: "mixed", host: "a.example", paths, annotations: pattern }),
      ingress({ name: "other", host: "b.example" }),
    );
    expect(await status("a.example", "/good/x")).toBe(200);
    expect(await status("a.example", "/bad/x")).toBe(404);
    expect(await status("b.example")).toBe(200);
    expect(stand.problemsOf("mixed")).toEqual([
      'spec.rules[0].http.paths[1].path: "/bad/([a-z]+" is not a regular expression: a "(" is not closed; the path is ignored',
      'spec.rules[0].http.paths[2].path: "/worse/[z-a]" is not a regular expression: the range z-a is out of order; the path is ignored',
    ]);
  });

  test("a path too long for nginx.conf is left out alone where the text would have it, and a Problem says so", async () => {
    const paths = [
      [`/${"a".repeat(4064)}`, "web"],
      [`/${"b".repeat(4065)}`, "web"],
    ] as const;
    await stand.apply(ingress({ name: "long", host: "a.example", paths }));
    expect(await status("a.example", paths[0][0])).toBe(200);
    expect(await status("a.example", paths[1][0])).toBe(mode === "static" ? 404 : 200);
    const why = "would be a word of 4094 bytes in nginx.conf, which takes 4093";
    const expected = `spec.rules[0].http.paths[1].path: ${why}; the path is ignored`;
    expect(stand.problemsOf("long")).toEqual(mode === "static" ? [expected] : []);
  });

  test("a pattern that runs too long answers 500, and the next path gets no request", async () => {
    const slow = ingress({
      name: "slow",
      host: "a.example",
      paths: [["/(a+)+(b+)+(a+)+$", "web", "ImplementationSpecific"]],
      annotations: pattern,
    });
    await stand.apply(slow, ingress({ name: "rest", host: "a.example" }));
    expect(await status("a.example", "/x")).toBe(200);
    expect(await status("a.example", `/${"a".repeat(60)}!`)).toBe(500);
  });

  test("a line break in a group of the path does not end a header of the backend's request", async () => {
    const rewriting = { "rewrite-target": "/new", "x-forwarded-prefix": "/p/$1" };
    const paths = [["/old/([^x]*)", "web", "ImplementationSpecific"]] as const;
    await stand.apply(ingress({ name: "told", host: "a.example", paths, annotations: rewriting }));
    expect((await seen("a.example", "/old/a")).headers["x-forwarded-prefix"]).toBe("/p/a");
    const { status, body } = await stand.ask("a.example", "/old/a%0d%0aEvil:%20yes");
    if (mode === "static") expect(status).toBe(400);
    else expect(JSON.parse(body).headers["x-forwarded-prefix"]).toBe("/p/a%0D%0AEvil: yes");
    expect(body).not.toContain('"evil"');
  });

  test("a redirect by rewrite-target keeps the client's escapes", async () => {
    const away = { "rewrite-target": "https://other.example/$1" };
    const paths = [["/old/([^x]*)", "web", "ImplementationSpecific"]] as const;
    await stand.apply(ingress({ name: "away", host: "a.example", paths, annotations: away }));
    const { status, headers } = await stand.ask("a.example", "/old/a%0d%0aEvil:%20yes");
    expect([status, headers.location, headers.evil]).toEqual([
      302,
      "https://other.example/a%0D%0AEvil:%20yes",
      undefined,
    ]);
  });
});

test("the decoded path is not part of a header or an address", async () => {
  const stand = await startStand({ mode: "dynamic", port: 8483, address: "192.0.2.89" });
  const values = {
    "upstream-vhost": "$uri",
    "auth-url": "http://192.0.2.89:8080/$uri",
    "auth-signin": "http://login.example/?rd=$document_uri",
    "app-root": "/x$uri",
    "mirror-target": "http://192.0.2.89:8080$uri",
    "rewrite-target": "https://other.example$uri",
  };
  for (const [key, text] of Object.entries(values)) {
    const gate: Record<string, string> = key === "auth-signin" ? { "auth-url": "http://192.0.2.89:8080/" } : {};
    await stand.apply(ingress({ name: key, host: "a.example", annotations: { ...gate, [key]: text } }));
    const sentences = stand.problemsOf(key).join();
    expect(sentences, key).toMatch(
      /\$(document_)?uri is the decoded path, .* use \$request_uri or \$escaped_request_uri; /,
    );
    const { headers, body } = await stand.ask("a.example", "/a%0d%0aEvil:%20yes");
    expect([headers.evil, body.includes('"evil"')], key).toEqual([undefined, false]);
  }
  await stand.stop();
});
