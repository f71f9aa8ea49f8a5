/**
 * The auth service of a route is asked about the same path and query that the backend gets, and so
 * are copies and redirects, however odd the target of the request is.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import { startExtAuthz, status as verdict } from "../../nginx/support/ext-authz.ts";
import { gateway, gatewayClass, route } from "../../support/gateways.ts";
import { service } from "../support/objects.ts";
import { statuses } from "../support/raw.ts";
import { type Speaker, speaker } from "../support/speaker.ts";
import { ask, refused, served } from "../support/targets.ts";
import { worldOf } from "../support/world.ts";

const world = worldOf({ mode: "dynamic", flags: ["--gateway-addresses=192.0.2.70"] });
const to = "192.0.2.70:80";

let copies: Speaker;
beforeEach(async () => {
  copies = await speaker("192.0.2.62", "copied");
  await world.apply(gatewayClass(), gateway({}));
});
afterEach(() => copies.stop());

const web = { name: "web", port: 80 };
const copied = { type: "RequestMirror", requestMirror: { backendRef: { name: "copies", port: 80 } } };
const auth = (protocol: "HTTP" | "GRPC") => ({
  type: "ExternalAuth",
  externalAuth: {
    protocol,
    backendRef: { name: "auth", port: 80 },
    ...(protocol === "HTTP" ? { http: { path: "/check" } } : {}),
  },
});

test.each(served)("the target %s is asked about over HTTP, copied and sent as %s", async (target, sent) => {
  await world.apply(
    ...service("auth", world.auth.address, world.auth.port),
    ...service("copies", copies.address, copies.port),
    route({ rules: [{ backendRefs: [web], filters: [auth("HTTP"), copied] }] }),
  );
  expect(statuses(await ask(to, target))).toEqual([200]);
  await expect.poll(() => copies.asked.length).toBe(1);
  expect(world.auth.asked.map(({ url }) => url)).toEqual([`/check${sent}`]);
  expect(world.backend.asked.map(({ url }) => url)).toEqual([sent]);
  expect(copies.asked.map(({ url }) => url)).toEqual([sent]);
});

test("over gRPC the auth service is asked about the same text", async () => {
  const asked: string[] = [];
  await startExtAuthz(9100, "192.0.2.61", ({ url }) => {
    asked.push(url);
    return { message: verdict() };
  });
  await world.apply(
    ...service("auth", "192.0.2.61", 9100),
    route({ rules: [{ backendRefs: [web], filters: [auth("GRPC")] }] }),
  );
  for (const [target] of served) await ask(to, target);
  expect(asked).toEqual(served.map(([, sent]) => sent));
  expect(world.backend.asked.map(({ url }) => url)).toEqual(served.map(([, sent]) => sent));
});

test("a redirect to another host keeps the path and query that the backend would get", async () => {
  const requestRedirect = { hostname: "b.example", statusCode: 302 } as const;
  await world.apply(route({ rules: [{ filters: [{ type: "RequestRedirect", requestRedirect }] }] }));
  for (const [target, sent] of served) {
    expect((await ask(to, target)).match(/^Location: (.*)\r$/im)?.[1]).toBe(`http://b.example${sent}`);
  }
});

test("a changed path is copied as it is sent", async () => {
  const path = { type: "ReplacePrefixMatch", replacePrefixMatch: "/new" } as const;
  await world.apply(
    ...service("copies", copies.address, copies.port),
    route({
      rules: [
        {
          backendRefs: [web],
          matches: [{ path: { type: "PathPrefix", value: "/old" } }],
          filters: [copied, { type: "URLRewrite", urlRewrite: { path } }],
        },
      ],
    }),
  );
  for (const target of ["/old/a%2Fb?c=%2F", "/old//x", "http://a.example/old?"]) await ask(to, target);
  await expect.poll(() => copies.asked.length).toBe(3);
  expect(copies.asked.map(({ url }) => url).sort()).toEqual(world.backend.asked.map(({ url }) => url).sort());
});

test.each(refused)("the target %s is refused", async (target) => {
  await world.apply(route({ rules: [{ backendRefs: [web] }] }));
  expect(statuses(await ask(to, target))).toEqual([400]);
  expect(world.backend.asked).toEqual([]);
});
