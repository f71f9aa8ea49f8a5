/**
 * A tenant sends requests of its own path to another tenant's path on a shared host. The auth
 * service of that path is asked about the request that its backend gets, and not about the one of
 * the client.
 */
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { ingress, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const snippets = settings({ "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" });

const accel = (path: string) => (response: ServerResponse) =>
  response.writeHead(200, { "X-Accel-Redirect": path }).end();
const missing = (response: ServerResponse) => response.writeHead(404).end();
const errorPage = "proxy_intercept_errors on; error_page 404 = /victim/x?admin=1;";

const ways: readonly (readonly [way: string, how: (response: ServerResponse) => void, annotations: object])[] = [
  ["X-Accel-Redirect", accel("/victim/x?admin=1"), {}],
  ["an error page", missing, { "configuration-snippet": errorPage }],
  ["try_files", missing, { "configuration-snippet": "try_files /no-such-file /victim/x?admin=1;" }],
  ["a rewrite", missing, { "configuration-snippet": "rewrite ^ /victim/x?admin=1? last;" }],
  ["a rewrite of the host", missing, { "server-snippet": "rewrite ^/public /victim/x?admin=1? last;" }],
];

describe.each(["dynamic", "static"] as const)("in %s mode", (mode) => {
  const world = worldOf({ mode });
  const question = (name: string) => world.auth.asked.at(-1)!.headers.find(([one]) => one === name)?.[1];

  /** The path `/victim`, about which an auth service is asked in all ways. */
  const victim = (annotations: Record<string, string> = {}) =>
    ingress({
      ...{ name: "victim", host: "a.example", paths: [["/victim"]] },
      annotations: { "auth-url": `${world.auth.origin}/check?path=$request_uri`, "auth-method": "GET", ...annotations },
    });
  const evil = (annotations: object = {}) =>
    ingress({ name: "evil", host: "a.example", paths: [["/public"]], annotations: { ...annotations } });

  /** Lets the auth service permit everything but `/victim`. */
  function guardVictim(): void {
    world.auth.answer = ({ headers }, response) => {
      const about = [headers["x-original-uri"], headers["x-auth-request-redirect"]].join();
      response.writeHead(about.includes("/victim") ? 403 : 200).end();
    };
  }

  test.each(ways)("%s leads to a question about the path that is served", async (_way, how, annotations) => {
    await world.apply(snippets, victim(), evil(annotations));
    expect(world.problemsOf("evil")).toEqual([]);
    guardVictim();
    world.backend.answer = ({ url }, response) => {
      if (url!.startsWith("/public")) how(response);
      else response.end("victim");
    };
    const answer = await world.ask("a.example", "/public/page?mine=1");
    expect(answer.status).toBe(403);
    expect(question("x-original-uri")).toBe("/victim/x?admin=1");
    expect(question("x-original-url")).toBe("http://a.example/victim/x?admin=1");
    expect(question("x-auth-request-redirect")).toBe("/victim/x?admin=1");
    expect(world.auth.asked.at(-1)!.url).toBe("/check?path=/victim/x?admin=1");
  });

  test("the first path's own question is about the client's path", async () => {
    await world.apply(victim(), evil({ "auth-url": world.auth.origin, "auth-method": "GET" }));
    guardVictim();
    world.backend.answer = ({ url }, response) =>
      url!.startsWith("/public") ? accel("/victim/y")(response) : response.end("victim");
    await world.ask("a.example", "/public/a%20b%2Fc?d=%20", { method: "POST" });
    const about = world.auth.asked.map(({ headers }) => new Map(headers).get("x-original-uri"));
    expect(about).toEqual(["/public/a%20b%2Fc?d=%20", "/victim/y"]);
  });

  test("an answer that is cached for the client's path permits no other", async () => {
    const cached = { "auth-cache-key": "$request_uri", "auth-cache-duration": "200 10m" };
    await world.apply(victim(cached), evil());
    guardVictim();
    world.auth.answer = ({ headers }, response) => {
      response.writeHead(headers["x-original-uri"] === "/victim/open" ? 200 : 403).end();
    };
    let to = "/victim/open";
    world.backend.answer = ({ url }, response) =>
      url!.startsWith("/public") ? accel(to)(response) : response.end("victim");
    expect((await world.ask("a.example", "/public/page")).status).toBe(200);
    to = "/victim/closed";
    expect((await world.ask("a.example", "/public/page")).status).toBe(403);
  });

  test.each(["/victim/a%20b", "/victim/a%0d%0aX-Evil:%20b", "/victim/%3Fopen", "/victim/%2541"])(
    "the path %s is asked about as it is, or nothing is served",
    async (path) => {
      await world.apply(victim(), evil());
      world.backend.answer = ({ url }, response) =>
        url!.startsWith("/public") ? accel(path)(response) : response.end("victim");
      const { status } = await world.ask("a.example", "/public/page");
      if (mode === "static") {
        expect(status).toBe(500);
        expect(world.auth.asked).toEqual([]);
      } else {
        expect(status).toBe(200);
        expect(question("x-original-uri")!.toLowerCase()).toBe(path.toLowerCase());
        expect(question("x-evil")).toBeUndefined();
      }
    },
  );

  test("the question names the method with which the path is served", async () => {
    await world.apply(victim(), evil({ "auth-url": world.auth.origin }));
    world.backend.answer = ({ url }, response) =>
      url!.startsWith("/public") ? accel("/victim/x")(response) : response.end("victim");
    await world.ask("a.example", "/public", { method: "POST" });
    const about = world.auth.asked.map(({ headers }) => new Map(headers).get("x-original-method"));
    expect([about, world.backend.asked.at(-1)!.method]).toEqual([["POST", "GET"], "GET"]);
  });
});
