/**
 * Small objects with huge products: each address of an EndpointSlice on each of its ports, groups
 * of a thousand million Endpoints, a try for each peer. Neither the controller nor a worker may
 * compute all of them.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { ingress, service, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

/** Returns a Service whose port has no name, so that it has all ports of its slice. */
function crowd(name: string, slice: { readonly endpoints: readonly object[]; readonly ports: readonly object[] }) {
  const [made, first] = service(name, "192.0.2.60", 80) as [KubernetesObject, KubernetesObject];
  return [
    { ...made, spec: { ports: [{ port: 80 }] } },
    { ...first, ...slice },
  ] as KubernetesObject[];
}

const to = (name: string, annotations: Record<string, string> = {}) =>
  ingress({ name: "crowded", annotations, paths: [["/", "Prefix", name]] });

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode });

  test("a slice of many addresses and ports has only some endpoints, and its Ingress has a Problem about it", async () => {
    const endpoints = numbers(200).map((at) => ({ addresses: numbers(100).map((last) => `10.0.${at}.${last}`) }));
    const ports = numbers(15_000).map((at) => ({ name: `p${at}`, port: at + 1 }));
    await world.apply(...crowd("many", { endpoints, ports }), to("many"), ingress({ name: "later" }));
    expect(world.problemsOf("crowded")).toEqual([
      "Service ns/many: its EndpointSlices have more than 10000 pairs of an address and a port; the others get no requests",
    ]);
    for (const host of ["neighbour.example", "later.example"]) expect((await world.ask(host)).body).toBe("secret");
  });

  test("a subset size of a thousand million is limited to the number of endpoints", async () => {
    const subset = { "upstream-hash-by-subset": "true", "upstream-hash-by-subset-size": "1000000000" };
    const { address, port } = world.backend;
    await world.apply(
      ...service("hashed", address, port),
      to("hashed", { "upstream-hash-by": "$request_uri", ...subset }),
    );
    for (const path of ["/a", "/b"]) expect((await world.ask("crowded.example", path)).body).toBe("secret");
    expect((await world.ask("neighbour.example")).body).toBe("secret");
  });

  test("hosts of one Ingress and its aliases are not multiplied", async () => {
    const hosts = numbers(2_000).map((at) => `r${at}.example`);
    const aliases = numbers(700).map((at) => `a${at}.b`);
    const annotations = { "server-alias": aliases.join(",") };
    await world.apply(rules(ingress({ name: "crowded", annotations }), hosts));
    expect(world.problemsOf("crowded")).toContain(
      "annotation server-alias has no effect: 700 names for each of its 2000 hosts are more than 10000; host r0.example alone gets them",
    );
    expect((await world.ask("neighbour.example")).body).toBe("secret");
  });

  test("a long annotation is not written thousands of times, and its paths do not fall to another Ingress", async () => {
    const origins = numbers(1_000)
      .map((at) => `https://app-${at}.example`)
      .join(",");
    const annotations = { "enable-cors": "true", "cors-allow-origin": origins, "ssl-ciphers": "HIGH" };
    await world.apply(
      rules(
        ingress({ name: "crowded", annotations, paths: [["/admin", "Prefix", "web"]] }),
        numbers(2_000).map((at) => `r${at}.example`),
      ),
      ingress({ name: "later", host: "r7.example", paths: [["/", "Prefix", "web"]] }),
    );
    expect(world.problemsOf("crowded")).toEqual([
      expect.stringMatching(
        /^annotation cors-allow-origin: .* for each of 2000 \w+; .* ingress-records-per-namespace .*; its paths answer 503$/,
      ),
    ]);
    expect((await world.ask("r7.example", "/admin")).status).toBe(503);
    expect((await world.ask("r7.example", "/other")).body).toBe("secret");
    expect((await world.ask("neighbour.example")).body).toBe("secret");
  });

  test("the operator's key ingress-records-per-namespace permits more or less", async () => {
    const origins = numbers(100)
      .map((at) => `https://app-${at}.example`)
      .join(",");
    const annotations = { "enable-cors": "true", "cors-allow-origin": origins };
    const hosts = numbers(100).map((at) => `r${at}.example`);
    await world.apply(
      rules(ingress({ name: "crowded", annotations }), hosts),
      settings({ "ingress-records-per-namespace": "64k" }),
    );
    expect((await world.ask("r7.example")).status).toBe(503);
    await world.apply(settings({ "ingress-records-per-namespace": "8m" }));
    expect((await world.ask("r7.example")).body).toBe("secret");
  });

  test("a request does not try every endpoint of a large Service", async () => {
    let tries = 0;
    const servers = await Promise.all(numbers(150).map((at) => closing("192.0.2.60", 30_000 + at, () => tries++)));
    const ports = numbers(150).map((at) => ({ name: `p${at}`, port: 30_000 + at }));
    await world.apply(
      ...crowd("closed", { endpoints: [{ addresses: ["192.0.2.60"] }], ports }),
      to("closed", { "proxy-next-upstream": "error", "proxy-next-upstream-tries": "0" }),
    );
    expect((await world.ask("crowded.example")).status).toBe(502);
    for (const server of servers) server.close();
    // Each try of the router reads the list of earlier tries again. nginx itself, in static mode,
    // does not.
    expect(tries).toBeLessThanOrEqual(mode === "dynamic" ? 100 : 150);
    expect((await world.ask("neighbour.example")).body).toBe("secret");
  });
});

/** Returns the rule of an Ingress, for each of these hosts. */
function rules(one: ReturnType<typeof ingress>, hosts: readonly string[]): ReturnType<typeof ingress> {
  const [rule] = one.spec?.rules ?? [];
  return { ...one, spec: { ...one.spec, rules: hosts.map((host) => ({ ...rule, host })) } };
}

/** Starts a server that ends each connection at once. */
async function closing(address: string, port: number, noticed: () => void): Promise<Server> {
  const server = createServer((socket) => {
    noticed();
    socket.destroy();
  });
  server.listen(port, address);
  await once(server, "listening");
  return server;
}
