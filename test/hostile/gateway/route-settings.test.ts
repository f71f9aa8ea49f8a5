/**
 * Hostile values of RouteSettings: no part of them becomes configuration, and they never affect a
 * neighbour.
 */
import { expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import { drawn } from "../../support/drawn.ts";
import { bySettings, gateway, gatewayClass, route, routeSettings } from "../../support/gateways.ts";
import { hostileObjects } from "../search/objects.ts";
import { intruders } from "../support/corpus.ts";
import { secret } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const world = worldOf({ mode: "dynamic", flags: ["--gateway-addresses=192.0.2.71"] });
const backendRefs = [{ name: "web", port: 80 }];
const prefix = "nginx.ingress.kubernetes.io/";

/** The annotations of hostile Ingresses as settings, some for a rule and some for a whole route. */
function hostileSettings(seed: number, count: number) {
  return hostileObjects(seed, 0, count).flatMap(({ name, objects }, at) => {
    const annotations = objects.find(({ kind }) => kind === "Ingress")?.metadata.annotations ?? {};
    const named = Object.entries(annotations).filter(([key]) => key.startsWith(prefix));
    const values = Object.fromEntries(named.map(([key, text]) => [key.slice(prefix.length), text]));
    const others = objects.filter(({ kind }) => kind === "Secret" || kind === "ConfigMap");
    const filters = at % 2 === 0 ? [bySettings(name)] : [];
    const matches = [{ path: { value: "/" } }, { path: { type: "RegularExpression", value: "/(a+)/(.*)" } }];
    return [
      ...others,
      routeSettings({ name, values, ...(at % 2 === 0 ? {} : { to: [["HTTPRoute", name]] }) }),
      route({ name, hostnames: [`${name}.example`], rules: [{ matches, filters, backendRefs }] }),
    ];
  });
}

test("hostile values add no configuration, and other routes are served", async () => {
  const { seed, numRuns } = drawn(150);
  const plain = route({ name: "neighbour", hostnames: ["plain.example"] });
  await world.apply(gatewayClass(), gateway({}), plain, ...hostileSettings(seed, numRuns));
  expect(intruders(world.tree())).toEqual([]);
  expect((await request({ to: "192.0.2.71:80", host: "plain.example" })).status).toBe(200);
});

test("an allow list that no client is on refuses every client, whatever the values beside it", async () => {
  for (const text of ["x", "1; pwned", "\n", "}", "${host}"]) {
    const values = { "denylist-source-range": "0.0.0.0/0", "proxy-read-timeout": text, "upstream-vhost": text };
    const rules = [{ filters: [bySettings()], backendRefs }];
    await world.apply(gatewayClass(), gateway({}), routeSettings({ values }), route({ rules }));
    expect([text, (await request({ to: "192.0.2.71:80", host: "a.example" })).status]).toEqual([text, 403]);
  }
});

test("a route does not switch off the passwords that its Gateway demands", async () => {
  const basic = { "auth-type": "basic", "auth-secret": "users" };
  const gatewayWide = routeSettings({ name: "wide", values: basic, to: [["Gateway", "gw"]] });
  await world.apply(gatewayClass(), gateway({}), secret("users", { auth: "alice:{PLAIN}secret" }), gatewayWide);
  for (const realm of ["off", " off ", "x"]) {
    const own = routeSettings({ values: { ...basic, "auth-realm": realm }, to: [["HTTPRoute", "route"]] });
    await world.apply(route({}), own);
    const ask = async (auth?: string) =>
      (await request({ to: "192.0.2.71:80", host: "a.example", headers: auth ? { authorization: auth } : {} })).status;
    expect.soft([realm, await ask(), await ask(`Basic ${btoa("alice:secret")}`)]).toEqual([realm, 401, 200]);
  }
});
