/**
 * An auth service is asked about the same path and query that the backend gets, and so are copies
 * and redirects, however odd the target of the request is. A target that is no path is refused.
 */
import { describe, expect, test } from "vitest";
import { overHttp2 } from "../support/http2-raw.ts";
import { ingress, settings } from "../support/objects.ts";
import { statuses } from "../support/raw.ts";
import { ask, refused, served } from "../support/targets.ts";
import { ports, worldOf } from "../support/world.ts";

const to = `192.0.2.1:${ports.http}`;

const headersOf = (one: { readonly headers: readonly (readonly [string, string])[] } | undefined) =>
  Object.fromEntries(one?.headers ?? []);

describe.each(["dynamic", "static"] as const)("Ingresses in %s mode", (mode) => {
  const world = worldOf({ mode });

  test.each(served)("the target %s is asked about, copied and sent as %s", async (target, sent) => {
    const { origin } = world.auth;
    await world.apply(
      settings({ "proxy-add-original-uri-header": "true" }),
      ingress({
        name: "a",
        annotations: {
          "auth-url": `${origin}/check?uri=$request_uri`,
          "auth-method": "GET",
          "mirror-target": `${origin}$request_uri`,
        },
      }),
    );
    expect(statuses(await ask(to, target))).toEqual([200]);
    const [question, copy] = world.auth.asked;
    expect([question!.url, copy!.url]).toEqual([`/check?uri=${sent}`, sent]);
    expect(headersOf(question)).toMatchObject({
      "x-original-uri": sent,
      "x-auth-request-redirect": sent,
      "x-original-url": `http://a.example${sent}`,
    });
    const [backend] = world.backend.asked;
    expect([backend!.url, headersOf(backend)["x-original-uri"]]).toEqual([sent, sent]);
  });

  test("redirects lead to the path and query that the backend would get", async () => {
    const { origin } = world.auth;
    const where = async (annotations: Record<string, string>, more: object = {}) => {
      await world.apply(ingress({ name: "a", annotations, ...more }));
      return /^Location: (.*)\r$/im.exec(await ask(to, "http://a.example?admin=1"))?.[1];
    };
    expect(await where({ "force-ssl-redirect": "true" })).toBe("https://a.example/?admin=1");
    expect(await where({ "force-ssl-redirect": "true", "preserve-trailing-slash": "true" })).toBe(
      "https://a.example/?admin=1",
    );
    world.auth.answer = (_, response) => response.writeHead(401).end();
    const signin = { "auth-url": origin, "auth-signin": "https://login.example/?rd=https://$host$request_uri" };
    expect(await where(signin)).toBe("https://login.example/?rd=https://a.example/?admin=1");
    const escaped = await where({ "auth-url": origin, "auth-signin": "https://login.example/" });
    expect(decodeURIComponent(escaped!)).toBe("https://login.example/?rd=http://a.example/?admin=1");
  });

  test.each(refused)("the target %s is refused", async (target) => {
    await world.apply(ingress({ name: "a", annotations: { "auth-url": `${world.auth.origin}/check` } }));
    expect(statuses(await ask(to, target))).toEqual([400]);
    expect([world.auth.asked, world.backend.asked]).toEqual([[], []]);
  });

  test("a path of HTTP/2 begins with a slash", async () => {
    await world.apply(ingress({ name: "a", annotations: { "auth-url": `${world.auth.origin}/check` } }));
    const asking = (path: string) => [
      [":method", "GET"] as const,
      [":scheme", "https"] as const,
      [":authority", "a.example"] as const,
      [":path", path] as const,
    ];
    for (const path of ["?admin=1", "*", "#x", "http://a.example?admin=1", "http://a.example/x"]) {
      await overHttp2([asking(path), asking("/last")], (bytes) => bytes.includes("secret"));
    }
    expect(new Set(world.backend.asked.map(({ url }) => url))).toEqual(new Set(["/last"]));
  });
});
