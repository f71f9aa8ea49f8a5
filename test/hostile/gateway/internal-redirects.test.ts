/**
 * Nothing of a location stays with a request that leaves it by an internal redirect: no filter, no
 * mark of a retry, no header that it has given the request, and no header of its answer. The tenant
 * `evil` sends requests of its own paths to the path `/victim`, whose backend trusts X-Role and
 * X-Auth-User.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeEach, describe, expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import { gateway, gatewayClass, route, routeSettings } from "../../support/gateways.ts";
import { ingress, service, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const world = worldOf({ mode: "dynamic", flags: ["--gateway-addresses=192.0.2.70"] });
const allowed = settings({ "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" });
const forged = { "X-Role": "admin", "X-Auth-User": "root", "X-Own": "client", "X-Evil": "client" };

/** The ways in which `/evil` leads to `/victim`, as its backend answers. */
const byHeader = (response: ServerResponse) => response.writeHead(200, { "X-Accel-Redirect": "/victim/x" }).end();
const byStatus = (response: ServerResponse) => response.writeHead(404).end();

/** Answers the first `failures` requests of /evil with 503, and then by `how`. */
function evilAnswers(how: (response: ServerResponse) => void, failures = 0): void {
  let asked = 0;
  world.backend.answer = ({ url }: IncomingMessage, response: ServerResponse) => {
    if (!url!.startsWith("/evil")) response.writeHead(200, { "X-Victim": "kept" }).end("victim");
    else if (asked++ < failures) response.writeHead(503).end();
    else how(response);
  };
}

const modifier = (kind: "Request" | "Response", changes: object) => ({
  type: `${kind}HeaderModifier`,
  [kind === "Request" ? "requestHeaderModifier" : "responseHeaderModifier"]: changes,
});
const set = (name: string, value: string) => ({ set: [{ name, value }] });

describe("routes of a Gateway", () => {
  beforeEach(async () => {
    world.auth.answer = ({ url }, response) => {
      const user = url!.startsWith("/evil") ? "evil" : "ann";
      response.writeHead(200, { "X-Auth-User": user, "X-Evil-User": "evil" }).end();
    };
    await world.apply(allowed, gatewayClass(), gateway({}), ...service("auth", world.auth.address, world.auth.port));
  });

  const web = { name: "web", port: 80 };
  const at = (value: string) => [{ path: { type: "PathPrefix", value } }];
  const auth = (...allowedResponseHeaders: readonly string[]) => ({
    type: "ExternalAuth",
    externalAuth: { protocol: "HTTP", backendRef: { name: "auth", port: 80 }, http: { allowedResponseHeaders } },
  });
  const victim = route({
    name: "victim",
    rules: [
      {
        backendRefs: [web],
        matches: at("/victim"),
        filters: [auth("X-Auth-User"), modifier("Request", { remove: ["X-Role"] })],
      },
    ],
  });
  const evil = (more: object = {}) =>
    route({
      name: "evil",
      rules: [
        {
          backendRefs: [web],
          matches: at("/evil"),
          filters: [
            auth("X-Evil-User"),
            modifier("Request", {
              set: [
                { name: "X-Evil", value: "evil" },
                { name: "X-Auth-User", value: "evil" },
              ],
              add: [{ name: "X-Own", value: "evil" }],
              remove: ["X-Gone"],
            }),
            modifier("Response", set("X-Evil-Answer", "evil")),
            { type: "URLRewrite", urlRewrite: { hostname: "evil.example" } },
          ],
          ...more,
        },
      ],
    });
  const ask = () =>
    request({ to: "192.0.2.70:80", host: "a.example", path: "/evil", headers: { ...forged, "X-Gone": "client" } });

  /** What the victim's backend gets, and the client. */
  async function expectNoTrace(): Promise<void> {
    const answer = await ask();
    expect(answer).toMatchObject({ status: 200, body: "victim", headers: { "x-victim": "kept" } });
    expect(answer.headers).not.toHaveProperty("x-evil-answer");
    const { url, headers } = world.backend.asked.at(-1)!;
    const names = /^(x-role|x-auth-user|x-own|x-evil.*|x-gone|host)$/;
    expect(url).toMatch(/^\/victim/);
    expect(world.auth.asked.map(({ url: about }) => about).at(-1)).toBe(url);
    expect(headers.filter(([name]) => names.test(name)).sort()).toEqual([
      ["host", "a.example"],
      ["x-auth-user", "ann"],
      ["x-evil", "client"],
      ["x-gone", "client"],
      ["x-own", "client"],
    ]);
  }

  const retry = { attempts: 2, codes: [503] };
  test.each([
    ["an answer", {}, 0],
    ["an answer after a retry at once", { retry }, 1],
    ["an answer after a retry with a pause", { retry: { ...retry, backoff: "10ms" } }, 1],
    ["an answer after two retries", { retry: { ...retry, backoff: "10ms" } }, 2],
  ])("%s with X-Accel-Redirect leaves nothing behind", async (_what, more, failures) => {
    await world.apply(victim, evil(more));
    evilAnswers(byHeader, failures);
    await expectNoTrace();
  });

  test.each([
    ["an error page", "proxy_intercept_errors on; error_page 404 = /victim/x;", 0],
    ["an error page after a retry", "proxy_intercept_errors on; error_page 404 = /victim/x;", 1],
    ["try_files", "try_files /no-such-file /victim/x;", 0],
    ["a rewrite", "rewrite ^ /victim/x last;", 0],
  ])("%s of a snippet leaves nothing behind", async (_what, snippet, failures) => {
    await world.apply(
      victim,
      evil(failures > 0 ? { retry: { ...retry, backoff: "10ms" } } : {}),
      routeSettings({ to: [["HTTPRoute", "evil"]], values: { "configuration-snippet": snippet } }),
    );
    evilAnswers(byStatus, failures);
    await expectNoTrace();
  });

  test("the next route has all of its own tries", async () => {
    await world.apply(
      route({
        name: "victim",
        rules: [{ backendRefs: [web], matches: at("/victim"), retry: { attempts: 2, codes: [503], backoff: "1ms" } }],
      }),
      evil({ retry: { ...retry, backoff: "1ms" } }),
    );
    const asked = { evil: 0, victim: 0 };
    world.backend.answer = ({ url }, response) => {
      const whose = url!.startsWith("/evil") ? "evil" : "victim";
      if (++asked[whose] <= 2) response.writeHead(503).end();
      else if (whose === "evil") byHeader(response);
      else response.end("victim");
    };
    expect(await ask()).toMatchObject({ status: 200, body: "victim" });
    expect(asked).toEqual({ evil: 3, victim: 3 });
  });
});

describe("Ingresses", () => {
  const victim = ingress({ name: "victim", host: "a.example", paths: [["/victim"]] });
  const evil = (annotations: Record<string, string>) =>
    ingress({ name: "evil", host: "a.example", paths: [["/evil"]], annotations });

  test.each([
    ["X-Accel-Redirect", "", byHeader],
    ["an error page", "proxy_intercept_errors on; error_page 404 = /victim/x;", byStatus],
    ["try_files", "try_files /no-such-file /victim/x;", byStatus],
  ])("%s leaves no header of the first auth service", async (_what, snippet, how) => {
    world.auth.answer = (_, response) => response.writeHead(200, { "X-Auth-User": "evil", "X-Role": "evil" }).end();
    await world.apply(
      allowed,
      victim,
      evil({
        "auth-url": world.auth.origin,
        "auth-response-headers": "X-Auth-User, X-Role, X-Empty",
        ...(snippet === ""
          ? { "enable-cors": "true", "cors-allow-origin": "https://evil.example" }
          : { "configuration-snippet": snippet }),
      }),
    );
    expect(world.problemsOf("evil")).toEqual([]);
    evilAnswers(how);
    const headers = { ...forged, "X-Empty": "client", Origin: "https://evil.example" };
    const answer = await world.ask("a.example", "/evil", { headers });
    expect(answer).toMatchObject({ status: 200, body: "victim" });
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
    const found = new Map(world.backend.asked.at(-1)!.headers);
    expect(["x-auth-user", "x-role", "x-own", "x-empty"].map((name) => found.get(name))).toEqual([
      "root",
      "admin",
      "client",
      "client",
    ]);
  });

  test("a path without endpoints does not close the next one", async () => {
    await world.apply(
      allowed,
      victim,
      ingress({
        ...{ name: "evil", host: "a.example", paths: [["/evil", "Prefix", "missing"]] },
        annotations: { "configuration-snippet": "rewrite ^ /victim/x last;" },
      }),
    );
    expect((await world.ask("a.example", "/evil")).status).toBe(200);
  });
});
