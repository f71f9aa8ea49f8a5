import { expect, test } from "vitest";
import { serverKey } from "../../model/listeners.ts";
import type { Service } from "../../model/objects.ts";
import { fullSentence } from "../../model/problem.ts";
import type { StreamListener, StreamPort } from "../../model/streams.ts";
import { Table } from "../../model/table.ts";
import type { Claim } from "../../table/claim.ts";
import { IngressNames } from "./contested-names.ts";
import { gatewayStreams } from "./gateway-streams.ts";
import type { StreamWorld } from "./servers.ts";

const world: StreamWorld = {
  service: () => ({ spec: { ports: [{ port: 443 }] } }) as unknown as Service,
  endpoints: (key) => ({ kind: "endpoints", endpoints: [{ address: key, port: 1 }] }),
  taken: () => undefined,
  elsewhere: () => undefined,
  refusal: () => undefined,
};

const listener = (id: string, hostname: string): StreamListener => ({ id, hostname, certificates: undefined });

const port = (...listeners: readonly StreamListener[]): StreamPort => {
  return { id: "gw:443", protocol: "tls", address: undefined, listenPort: 443, owners: [], listeners };
};

/**
 * Returns the Claim of a route that sends these hosts of a listener to a backend with the route's
 * name.
 */
const claim = (name: string, on: string, ...hosts: readonly string[]): Claim => {
  const backends = [{ part: "", upstream: "", key: name, service: name, port: "443", weight: 1 }];
  const path = { field: "", match: { text: "/", type: "prefix", loose: false }, backends };
  const owner = { kind: "TLSRoute", namespace: "ns", name };
  return {
    owner,
    hosts: new Map(hosts.map((host) => [serverKey({ listener: on, name: host }), [path]])),
  } as unknown as Claim;
};

const noIngresses = () => new IngressNames(Table.empty(), () => []);

const placed = (some: StreamPort, ...claims: readonly Claim[]) =>
  gatewayStreams([some], claims, world, noIngresses).streams.flatMap(({ hosts }) =>
    hosts.map(({ hostname, backends }) => [hostname, ...backends.map(({ endpoints }) => endpoints[0]?.address)]),
  );

test("a route has the hosts that it shares with its listener", () => {
  const exact = port(listener("l", "abc.example.com"));
  expect(placed(exact, claim("wide", "l", "*.example.com"))).toEqual([["abc.example.com", "wide"]]);
  const wildcard = port(listener("l", "*.example.com"));
  expect(placed(wildcard, claim("wide", "l", "*.com"), claim("one", "l", "abc.example.com"))).toEqual([
    ["*.example.com", "wide"],
    ["abc.example.com", "one"],
  ]);
});

test("the route with the longer hostname gets a host, and the older route where the hostnames are equal", () => {
  const one = port(listener("l", "*.example.com"));
  const [older, younger] = [claim("older", "l", "*.com"), claim("younger", "l", "*.example.com")];
  expect(placed(one, older, younger)).toEqual([["*.example.com", "younger"]]);
  expect(placed(one, claim("older", "l", "*.com"), claim("younger", "l", "*.com"))).toEqual([
    ["*.example.com", "older"],
  ]);
});

const lost = (some: StreamPort, ...claims: readonly Claim[]) =>
  gatewayStreams([some], claims, world, noIngresses).problems.map(fullSentence);

test("the message about a route that gets nothing from a listener names the route that has it", () => {
  const one = port(listener("ns/gw/l", "*.example.com"));
  const older = claim("older", "ns/gw/l", "*.com", "a.example.com");
  expect(lost(one, older, claim("younger", "ns/gw/l", "*.com", "a.example.com", "b.example.com"))).toEqual([
    "TLSRoute ns/younger: spec.hostnames: the older TLSRoute ns/older has host a.example.com on listener ns/gw/l; this route gets no connections of it",
    "TLSRoute ns/younger: spec.hostnames: the older TLSRoute ns/older has host *.example.com on listener ns/gw/l; this route gets no connections of it",
  ]);
  expect(lost(one, older, claim("younger", "ns/gw/l", "*.example.com"))).toEqual([
    "TLSRoute ns/older: spec.hostnames: TLSRoute ns/younger, whose hostname *.example.com is longer, has host *.example.com on listener ns/gw/l; this route gets no connections of it",
  ]);
  expect(lost(one, claim("both", "ns/gw/l", "*.com", "*.example.com"))).toEqual([]);
  const [first, second] = [claim("first", "ns/gw/l", "_"), claim("second", "ns/gw/l", "_")];
  const bare = listener("ns/gw/l", "");
  expect(lost({ ...port(bare), protocol: "tcp" }, first, second)).toEqual([
    "TLSRoute ns/second: spec.rules[0]: the older TLSRoute ns/first has listener ns/gw/l; this route gets no connections of it",
  ]);
  expect(lost({ ...port(bare), protocol: "udp" }, first, second)).toEqual([
    "TLSRoute ns/second: spec.rules[0]: the older TLSRoute ns/first has listener ns/gw/l; this route gets no datagrams of it",
  ]);
});

test("a name of a more specific listener belongs to no other listener, and is closed where that one has no route", () => {
  const two = port(listener("all", ""), listener("own", "*.a.example"));
  const claims = [claim("taker", "all", "x.a.example", "*.example", "*.b.a.example")];
  expect(placed(two, ...claims)).toEqual([[""], ["*.a.example"], ["*.example", "taker"]]);
});

test("a backend that needs TLS which nginx cannot do is refused where the listener ends TLS, and gets the bytes where TLS passes through", () => {
  const passes = listener("l", "");
  const secured = claim("secured", "l", "_");
  for (const [path] of secured.hosts.values()) Object.assign(path!.backends[0]!, { wantsTls: true });
  expect(placed(port(passes), secured)).toEqual([["", "secured"]]);
  const ends = port({ ...passes, certificates: ["ns/tls"] });
  expect(placed(ends, secured)).toEqual([["", undefined]]);
  expect(placed(ends, claim("plain", "l", "_"))).toEqual([["", "plain"]]);
});
