/**
 * Tests requests in a loop: a mirror or an auth-url that leads back to its own location, through
 * Sluice's own port as through a load balancer. Each loop ends at its second turn, guards fail
 * closed, and an attacker who writes the header gains nothing.
 */
import { request as httpRequest, type RequestListener } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../nginx/support/until.ts";
import { type Nameserver, startNameserver } from "../../support/nameserver.ts";
import { ingress, service, settings } from "../support/objects.ts";
import { exchange } from "../support/raw.ts";
import type { Asked } from "../support/speaker.ts";
import { ports, startWorld, type World } from "../support/world.ts";

const hopsOf = ({ headers }: Asked) => headers.filter(([name]) => name === "x-sluice-hops").map(([, value]) => value);

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let world: World;
  let names: Nameserver;
  beforeAll(async () => {
    names = await startNameserver("192.0.2.53");
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) names.addresses.set(`${name}.example`, ["192.0.2.1"]);
    world = await startWorld({ mode, nameservers: ["192.0.2.53"] });
  });
  afterEach(() => world.clear());
  afterAll(async () => {
    await world.stop();
    await names.stop();
  });

  const asking = (name: string, whom: string, path = "/") =>
    ingress({ name, annotations: { "auth-url": `http://${whom}:${ports.http}${path}` } });
  const mirroring = (name: string, whom: string) =>
    ingress({ name, annotations: { "mirror-target": `http://${whom}:${ports.http}$request_uri` } });
  /**
   * Sends a request on a connection of its own, and returns the answer after everything that the
   * request caused has ended.
   */
  const askAlone = (host: string, headers = "") =>
    exchange(`GET /x HTTP/1.1\r\nHost: ${host}\r\n${headers}Connection: close\r\n\r\n`);
  /** Returns the number of requests at the backend, by host. */
  const counts = () => {
    const hosts = world.backend.asked.map(({ headers }) => headers.find(([name]) => name === "host")?.[1] ?? "");
    return Object.fromEntries(
      [...new Set(hosts)].sort().map((one) => [one, hosts.filter((host) => host === one).length]),
    );
  };

  /** A Service that leads back to nginx, like the address of a load balancer. */
  const back = service("back", "192.0.2.1", ports.http);
  const plain = (name: string, to: string) => ingress({ name, paths: [["/", "Prefix", to]] });
  const ends = mode === "dynamic" ? { status: " 508 ", rounds: 6 } : { status: " 400 ", rounds: 14 };

  test("a plain path whose Service leads back to it ends", async () => {
    await world.apply(...back, plain("a", "back"));
    expect(await askAlone("a.example")).toContain(ends.status);
    await world.apply(...back, plain("a", "back"), asking("b", "a.example"));
    expect((await world.ask("b.example")).status).toBe(500);
  });

  test("a plain path whose Pod sends its requests back to it ends, and clients cannot make it longer", async () => {
    world.backend.answer = (asked, response) => {
      const headers = { ...asked.headers, host: "a.example" };
      httpRequest({ host: "192.0.2.1", port: ports.http, path: asked.url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0);
        answer.pipe(response);
      }).end();
    };
    await world.apply(ingress({ name: "a" }));
    for (const forged of ["", "X-Scheme: http\r\n", "X-Sluice-Hops: ,,\r\n", "X-Sluice-Hops: 0\r\nX-Scheme: no\r\n"]) {
      world.backend.forget();
      expect.soft(await askAlone("a.example", forged), forged).toContain(ends.status);
      expect.soft(world.backend.asked.length, forged).toBeLessThanOrEqual(ends.rounds);
    }
    world.backend.forget();
    await askAlone("a.example");
    expect(world.backend.asked).toHaveLength(ends.rounds);
  });

  test.each(["enable-underscores-in-headers", "ignore-invalid-headers"])(
    "with %s, no spelling of a header with underscores hides the returns of a loop",
    async (key) => {
      const underscores = settings({ [key]: `${key.startsWith("enable")}` });
      const sendBack: RequestListener = ({ url, rawHeaders }, response) => {
        if (world.backend.asked.length > 40) return void response.end("endless");
        const headers = rawHeaders.map((text, at) =>
          rawHeaders[at - 1]?.toLowerCase() === "host" ? "a.example" : text,
        );
        httpRequest({ host: "192.0.2.1", port: ports.http, path: url, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 0);
          answer.pipe(response);
        }).end();
      };
      await world.apply(underscores, ingress({ name: "a" }), asking("b", "b.example"));
      for (const name of ["X_Sluice_Hops", "X-Sluice_Hops", "x_scheme", "X_Forwarded_For"])
        for (const value of ["", "a", ",,"]) {
          const forged = `${name}: ${value}\r\n`;
          world.backend.answer = sendBack;
          expect.soft(await askAlone("a.example", forged), forged).toContain(ends.status);
          expect.soft(world.backend.asked.length, forged).toBeLessThanOrEqual(ends.rounds);
          world.backend.answer = undefined;
          world.backend.forget();
          expect.soft(await askAlone("b.example", forged), forged).toContain(" 500 ");
          expect.soft(world.backend.asked, forged).toEqual([]);
        }
    },
  );

  test.each(["X-Sluice-Hops", "x_sluice_hops", "X-Scheme", "X-Forwarded-For", "X-Scheme, X-Forwarded-For"])(
    "a plain path ends its loop, although its auth service may set %s",
    async (names) => {
      let asked = 0;
      world.auth.answer = (_, response) => response.writeHead(++asked > 40 ? 403 : 200).end();
      const annotations = { "auth-url": `${world.auth.origin}/check`, "auth-response-headers": names };
      await world.apply(...back, ingress({ name: "a", annotations, paths: [["/", "Prefix", "back"]] }));
      expect.soft(await askAlone("a.example")).toContain(" 508 ");
      expect(asked).toBeLessThanOrEqual(ends.rounds);
    },
  );

  test("a plain path that leads to other paths of the same Sluice is answered as usual", async () => {
    const rewritten = (name: string, to: string) =>
      ingress({ name, annotations: { "upstream-vhost": `${to}.example` }, paths: [["/", "Prefix", "back"]] });
    await world.apply(...back, rewritten("a", "b"), rewritten("b", "c"), ingress({ name: "c" }));
    expect(await askAlone("a.example")).toContain("secret");
    expect(world.backend.asked.flatMap(hopsOf)).toEqual(["---"]);
    world.backend.forget();
    expect(await askAlone("c.example", "X-Forwarded-For: 203.0.113.7\r\n")).toContain("secret");
    expect(world.backend.asked.flatMap(hopsOf)).toEqual([]);
  });

  test("a location that is its own auth service lets no request pass", async () => {
    for (const host of ["a.example", "$host"]) {
      await world.apply(asking("a", host));
      expect.soft((await world.ask("a.example")).status, host).toBe(500);
      expect.soft(counts(), host).toEqual({});
    }
  });

  test("two locations that are each other's auth service let no request pass", async () => {
    await world.apply(asking("a", "b.example"), asking("b", "a.example"));
    for (const host of ["a.example", "b.example"]) expect.soft((await world.ask(host)).status).toBe(500);
    expect(counts()).toEqual({});
  });

  test("a location whose auth service is another location of the same Sluice is answered as usual", async () => {
    await world.apply(asking("a", "b.example", "/auth"), asking("b", "c.example", "/auth"), ingress({ name: "c" }));
    expect((await world.ask("a.example")).body).toBe("secret");
    expect(counts()).toEqual({ "a.example": 1, "b.example": 1, "c.example": 1 });
  });

  test("a mirror that leads to itself copies each request once", async () => {
    await world.apply(mirroring("a", "a.example"));
    for (let at = 0; at < 5; at++) expect(await askAlone("a.example")).toContain("secret");
    expect(counts()).toEqual({ "a.example": 5 });
  });

  test("two mirrors that lead to each other copy each request once each", async () => {
    await world.apply(mirroring("a", "b.example"), mirroring("b", "a.example"));
    for (let at = 0; at < 5; at++) expect(await askAlone("a.example")).toContain("secret");
    await until("the copies", () => counts()["b.example"] === 5);
    for (let at = 0; at < 5; at++) await askAlone("c.example");
    expect(counts()).toEqual({ "a.example": 5, "b.example": 5 });
  });

  test("a chain of many mirrors ends", async () => {
    const all = ["a", "b", "c", "d", "e", "f", "g"];
    await world.apply(...all.map((name, at) => mirroring(name, `${all[at + 1] ?? "a"}.example`)));
    expect(await askAlone("a.example")).toContain("secret");
    await until("the copies", () => counts()["e.example"] === 1);
    await askAlone("nobody.example");
    expect(Object.keys(counts())).toEqual(["a", "b", "c", "d", "e"].map((name) => `${name}.example`));
  });

  test("a client that writes the header skips no guard and no copy, and gets no further", async () => {
    const annotations = { "auth-url": `${world.auth.origin}/check`, "mirror-target": `${world.auth.origin}/copy` };
    await world.apply(ingress({ name: "victim", annotations }), asking("a", "a.example"), ingress({ name: "b" }));
    const forged = ["", ",", "-1000", ",0123456789abcdef", "a", ",a,b,c", "0".repeat(3000)];
    for (const value of forged) {
      world.auth.forget();
      expect.soft(await askAlone("victim.example", `X-Sluice-Hops: ${value}\r\n`), value).toContain("secret");
      expect.soft(world.auth.asked.map(({ url }) => url).sort(), value).toEqual(["/check", "/copy"]);
      expect.soft(await askAlone("a.example", `X-Sluice-Hops: ${value}\r\n`), value).toContain(" 500 ");
    }
    const [seen] = world.auth.asked.flatMap(hopsOf);
    world.auth.forget();
    expect(await askAlone("victim.example", `X-Sluice-Hops: ${seen}\r\n`)).toContain(" 508 ");
    expect(await askAlone("victim.example", "X-Sluice-Hops: ,a,b,c,d,e\r\n")).toContain(" 508 ");
    expect(world.auth.asked).toEqual([]);
  });

  test("the header that an auth service has seen does not skip the guard of another location", async () => {
    const annotations = { "auth-url": `${world.auth.origin}/check` };
    await world.apply(ingress({ name: "own", annotations }), ingress({ name: "victim", annotations }));
    await world.ask("own.example");
    const [seen] = hopsOf(world.auth.asked[0]!);
    expect(seen).toMatch(/^,[\da-f]{16}$/);
    world.auth.forget();
    expect(await askAlone("victim.example", `X-Sluice-Hops: ${seen}\r\n`)).toContain("secret");
    expect(world.auth.asked).toHaveLength(1);
    expect(world.backend.asked.filter((one) => hopsOf(one).length > 0)).toHaveLength(1);
  });
});
