/**
 * Request smuggling. `/guarded` is closed to every client. So if a backend ever gets a request for
 * it, it has read a body as a request.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ingress } from "../support/objects.ts";
import { exchange } from "../support/raw.ts";
import { startWorld, type World } from "../support/world.ts";
import { framings } from "./framings.ts";

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ mode });
    world.backend.answer = (request, response) => response.end(`answer to ${request.url}`);
    await world.apply(
      ingress({ name: "a" }),
      ingress({
        name: "guarded",
        host: "a.example",
        paths: [["/guarded"]],
        annotations: { "denylist-source-range": "0.0.0.0/0" },
      }),
    );
  });
  afterAll(() => world.stop());

  test.each(framings)("no backend reads a body as a request through %s", async (_what, bytes) => {
    expect((await world.ask("a.example", "/guarded")).status, "the guard stands").toBe(403);
    world.backend.forget();
    await exchange(bytes, { silenceMs: 300 });
    const seen = world.backend.asked.map(({ method, url }) => `${method} ${url}`);
    expect(seen.filter((line) => line.includes("guarded"))).toEqual([]);
    // No bytes are left on a connection that the next client's request uses.
    for (const path of ["/next-1", "/next-2"]) {
      expect((await world.ask("a.example", path)).body).toBe(`answer to ${path}`);
    }
  });

  test("a request with one host in its target and another in its header reaches neither", async () => {
    world.backend.forget();
    const text = await exchange(
      "GET http://neighbour.example/in HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n",
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(world.backend.asked).toEqual([]);
  });
});
