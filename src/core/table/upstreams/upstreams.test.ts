import { expect, test } from "vitest";
import { base, ingress, put, service, slice, turnTo } from "../../../../test/support/sketch.ts";
import { defaultUpstream } from "../../model/configuration.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { IngressSource } from "../../sources/ingress/source.ts";
import { Claims } from "../claims.ts";
import { defaultOptions } from "../options.ts";
import { Problems } from "../problems.ts";
import { ServiceEndpoints } from "./service-endpoints.ts";
import { Upstreams } from "./upstreams.ts";

/** Returns Upstreams for one host, `a.example`, on which the Ingress `a` uses each of `used`. */
function keeper(...used: readonly string[]) {
  const problems = new Problems();
  const options = { ...defaultOptions, defaultBackendService: "ns/fallback" };
  const claims = new Claims([new IngressSource(options, problems)], problems);
  const endpoints = new ServiceEndpoints(options);
  const upstreams = new Upstreams(options, endpoints, problems);
  claims.renew(turnTo(put(base, ingress({ name: "a", host: "a.example" }))));
  const [claim] = claims.of("a.example");
  const use = (...names: readonly string[]) =>
    upstreams.use(
      "a.example",
      names.map((name) => ({
        id: `ns/${name}/80`,
        service: `ns/${name}`,
        port: "80",
        claim: claim!,
        asDefault: false,
        relieves: undefined,
      })),
    );
  use(...used);
  let before: Snapshot | undefined;
  const renew = (now: Snapshot) => {
    const old = upstreams.all;
    const turn = turnTo(now, before);
    before = now;
    upstreams.renew(turn, endpoints.update(turn));
    return upstreams.all
      .changesSince(old)
      .map(({ key }) => key)
      .sort();
  };
  return { upstreams, problems, use, renew };
}

const external = (name: string, externalName: string) => ({
  ...service(name),
  spec: { type: "ExternalName", externalName, ports: [{ port: 80 }] },
});
const world = put(base, service("web"), service("api"), slice("web", "192.0.2.1"));

test("an Upstream is computed again only when its own Service or EndpointSlices change", () => {
  const { upstreams, renew } = keeper("web", "api");
  expect(renew(world)).toEqual([defaultUpstream, "ns/api/80", "ns/web/80"]);
  const rolled = put(world, slice("web", "192.0.2.2"));
  expect(renew(rolled)).toEqual(["ns/web/80"]);
  expect(upstreams.all.get("ns/web/80")?.endpoints).toEqual([{ address: "192.0.2.2", port: 8080 }]);
  expect(renew(put(rolled, service("other"), slice("other", "192.0.2.9")))).toEqual([]);
});

test("an unused Upstream is removed", () => {
  const { use, renew, upstreams } = keeper("web", "api");
  renew(world);
  use("web");
  expect(renew(world)).toContain("ns/api/80");
  expect(upstreams.all.has("ns/api/80")).toBe(false);
});

test("the default Upstream follows the flag's Service, and is the built-in server while that has no endpoints", () => {
  const { upstreams, renew } = keeper();
  renew(world);
  expect(upstreams.all.get(defaultUpstream)?.endpoints).toEqual([{ address: "127.0.0.1", port: 8181 }]);
  expect(renew(put(world, service("fallback"), slice("fallback", "192.0.2.5")))).toEqual([defaultUpstream]);
  expect(upstreams.all.get(defaultUpstream)?.endpoints).toEqual([{ address: "192.0.2.5", port: 8080 }]);
});

test("a new address behind an ExternalName Service causes its Upstream to be computed again", () => {
  const { upstreams, renew } = keeper("web");
  const named = put(base, external("web", "db.example"));
  renew(named);
  const found = { ...named, addresses: named.addresses.with([["db.example", ["192.0.2.7"]]]) };
  expect(renew(found)).toEqual(["ns/web/80"]);
  expect(upstreams.all.get("ns/web/80")?.endpoints).toEqual([{ address: "192.0.2.7", port: 80 }]);
});
