import { expect, test } from "vitest";
import { base, fake, ingress, put, service, turnTo } from "../../../../test/support/sketch.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { IngressSource } from "../../sources/ingress/source.ts";
import { Claims } from "../claims.ts";
import { defaultOptions } from "../options.ts";
import { Problems } from "../problems.ts";
import { Certificates } from "./certificates.ts";
import { Servers } from "./servers.ts";

/** Returns the hosts that each turn builds. */
function builder() {
  const problems = new Problems();
  const claims = new Claims([new IngressSource(defaultOptions, problems)], problems);
  const servers = new Servers(
    {
      claims,
      certificates: new Certificates(undefined, fake),
      sslPassthrough: false,
      pathsAreText: false,
      commonListeners: () => new Map(),
      annotationsPrefix: "nginx.ingress.kubernetes.io",
    },
    problems,
  );
  let before: Snapshot | undefined;
  const turn = (now: Snapshot) => {
    const next = turnTo(now, before);
    before = now;
    return servers.renew(next, claims.renew(next));
  };
  return {
    servers,
    turn,
    hostsOf: (now: Snapshot) =>
      turn(now)
        .map(({ host }) => host)
        .sort(),
  };
}

const tls = { tls: [{ secretName: "none" }] };
const wild = (spec: object = {}) => {
  const one = ingress({ name: "wild", host: "*.example" });
  return { ...one, spec: { ...one.spec, ...spec } };
};
const world = put(
  base,
  service("web"),
  ingress({ name: "a", host: "a.example" }),
  ingress({ name: "b", host: "b.other", paths: [["/", "api"]] }),
  wild(),
);

test("the first turn builds every host and the catch-all, and the next ones only hosts whose objects have changed", () => {
  const { hostsOf } = builder();
  expect(hostsOf(world)).toEqual(["*.example", "_", "a.example", "b.other"]);
  expect(hostsOf(world)).toEqual([]);
  expect(hostsOf(put(world, service("api", 81)))).toEqual(["b.other"]);
});

test("hosts under a wildcard are built again when TLS begins for it, and after no other change of it", () => {
  const { servers, hostsOf } = builder();
  hostsOf(world);
  const secured = put(world, wild(tls));
  expect(hostsOf(secured)).toEqual(["*.example", "a.example"]);
  expect(servers.all.get("a.example")?.tlsConfigured).toBe(true);
  expect(hostsOf(put(secured, wild({ ...tls, defaultBackend: { service: { name: "web" } } })))).toEqual(["*.example"]);
});

test("a host that gets its own Ingress takes its name from the host that had it as an alias", () => {
  const { servers, turn, hostsOf } = builder();
  const aliased = put(world, ingress({ name: "a", host: "a.example", annotations: { "server-alias": "c.other" } }));
  hostsOf(aliased);
  expect(servers.all.get("a.example")?.aliases.map(({ name }) => name)).toEqual(["c.other"]);
  expect(hostsOf(put(aliased, ingress({ name: "c", host: "c.other" })))).toEqual(["a.example", "c.other"]);
  expect(servers.all.get("a.example")?.aliases).toEqual([]);
  expect(turn(aliased).find(({ host }) => host === "c.other")?.upstreams).toEqual([]);
});
