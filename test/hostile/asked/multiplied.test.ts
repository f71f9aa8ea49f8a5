/**
 * One request of a client that causes as many others as its author can arrange: copies and auth
 * requests that lead to further paths with copies and auth requests, through backends that lead
 * back to Sluice. A relay stands for the load balancer, and counts.
 */
import { request as httpRequest } from "node:http";
import { beforeEach, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { request } from "../../nginx/support/request.ts";
import { until } from "../../nginx/support/until.ts";
import { gateway, gatewayClass, route } from "../../support/gateways.ts";
import { ingress, service } from "../support/objects.ts";
import { ports, type World, worldOf } from "../support/world.ts";

/** The bound of docs/security.md, which src/core/tokens/hops.test.ts derives. */
const bound = 156;
const address = "192.0.2.70";
const back = { name: "back", port: 80 };
const mirror = { type: "RequestMirror", requestMirror: { backendRef: back } };
const fifteen = Array(15).fill(mirror) as object[];

/** Passes each request on to Sluice: to its Gateway if the host begins with g. */
function relay({ auth: speaker }: World, failing = false): void {
  speaker.answer = (asked, response) => {
    const { headers, method, url: path } = asked;
    if (path === "/check") return void response.end();
    const to = headers.host?.startsWith("g") ? { host: address, port: 80 } : { host: "192.0.2.1", port: ports.http };
    const passed = httpRequest({ ...to, path, method, headers }, (answer) => {
      response.writeHead(failing ? 503 : (answer.statusCode ?? 502));
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    passed.end();
  };
}

/** Returns the number of requests that Sluice has sent when no more of them follow. */
async function sent({ auth, backend }: World, least: number, settle: () => Promise<unknown>): Promise<number> {
  await until("the copies", () => auth.asked.length + backend.asked.length >= least);
  // The answers to later requests come after all effects of the copies.
  for (let at = 0; at < 30; at++) await settle();
  return auth.asked.length + backend.asked.length;
}

describe("a Gateway", () => {
  const world = worldOf({ mode: "dynamic", flags: [`--gateway-addresses=${address}`] });
  beforeEach(() => {
    relay(world);
    return world.apply(gatewayClass(), gateway({}), ...service("back", world.auth.address, world.auth.port));
  });
  const ask = (host: string) => request({ to: `${address}:80`, host });
  const nobody = () => ask("nobody.example");
  /** A route that sends everything on to another host of the same Sluice. */
  const passing = (host: string, next: string, filters: readonly object[]): KubernetesObject => {
    const rewrite = { type: "URLRewrite", urlRewrite: { hostname: next } };
    const rules = [{ backendRefs: [back], filters: [rewrite, ...filters] }];
    return route({ name: host.split(".")[0]!, hostnames: [host], rules });
  };

  test("five routes that mirror 15 times each and lead to the next one", async () => {
    const hosts = ["g1", "g2", "g3", "g4", "g5"].map((name) => `${name}.example`);
    await world.apply(...hosts.map((host, at) => passing(host, hosts[at + 1] ?? "web.example", fifteen)));
    expect((await ask("g1.example")).status).toBe(508);
    // The first two routes make their copies; the others refuse the request and the copies.
    expect(await sent(world, 32, nobody)).toBe(32);
  });

  test("a chain of single copies ends, and the routes in it serve as usual", async () => {
    const hosts = ["g1", "g2", "g3", "g4", "g5"].map((name) => `${name}.example`);
    const copying = (host: string, next: string) => {
      const filters = [mirror, { type: "URLRewrite", urlRewrite: { hostname: next } }];
      return route({ name: host.split(".")[0]!, hostnames: [host], rules: [{ backendRefs: [back], filters }] });
    };
    await world.apply(...hosts.map((host, at) => copying(host, hosts[at + 1] ?? "web.example")));
    await ask("g1.example");
    expect(await sent(world, 10, nobody)).toBeLessThanOrEqual(bound);
  });

  test("a chain through routes and Ingresses", async () => {
    const annotations = (next: string) => ({
      "auth-url": `${world.auth.origin}/check`,
      "mirror-target": `${world.auth.origin}$request_uri`,
      "mirror-host": next,
      "upstream-vhost": next,
    });
    const paths = [["/", "Prefix", "back"]] as const;
    await world.apply(
      passing("g1.example", "i1.example", [mirror, mirror]),
      ingress({ name: "i1", annotations: annotations("g2.example"), paths }),
      passing("g2.example", "i2.example", [mirror, mirror]),
      ingress({ name: "i2", annotations: annotations("g3.example"), paths }),
      passing("g3.example", "g1.example", [mirror]),
    );
    await ask("g1.example");
    const seen = await sent(world, 4, nobody);
    expect(seen).toBeLessThanOrEqual(bound);
  });

  test("retries multiply no request that has come back", async () => {
    relay(world, true);
    const retry = { attempts: 5, codes: [503] };
    const rules = [{ backendRefs: [back], retry }];
    await world.apply(route({ name: "g1", hostnames: ["g1.example"], rules }));
    await ask("g1.example");
    // Six tries of the client's request, three of each that comes back, and one of all others.
    expect(await sent(world, 6, nobody)).toBeLessThanOrEqual(6 * (1 + 3 * 5));
  });
});

describe.each(["dynamic", "static"] as const)("Ingresses in %s mode", (mode) => {
  const world = worldOf({ mode });
  beforeEach(() => {
    relay(world);
    return world.apply(...service("back", world.auth.address, world.auth.port));
  });
  const ask = (host: string) => world.ask(host);

  test("hosts that ask and copy and lead to the next one", async () => {
    const hosts = ["i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8"];
    const all = hosts.map((name, at) => {
      const next = `${hosts[at + 1] ?? "i1"}.example`;
      const annotations = {
        "auth-url": `${world.auth.origin}/check`,
        "mirror-target": `${world.auth.origin}$request_uri`,
        "mirror-host": next,
        "upstream-vhost": next,
      };
      return ingress({ name, annotations, paths: [["/", "Prefix", "back"]] });
    });
    await world.apply(...all);
    await ask("i1.example");
    expect(await sent(world, 3, () => ask("nobody.example"))).toBeLessThanOrEqual(bound);
  });

  test("an error page whose backend is the path itself", async () => {
    world.backend.answer = (_, response) => response.writeHead(503).end();
    const annotations = { "custom-http-errors": "503,508,400", "default-backend": "back" };
    await world.apply(ingress({ name: "i1", annotations }));
    world.auth.answer = (asked, response) => {
      if (world.auth.asked.length > 40) return void response.end("endless");
      const headers = { ...asked.headers, host: "i1.example" };
      httpRequest({ host: "192.0.2.1", port: ports.http, path: "/", headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0);
        answer.pipe(response);
      }).end();
    };
    await ask("i1.example");
    expect(await sent(world, 2, () => ask("nobody.example"))).toBeLessThanOrEqual(mode === "dynamic" ? 10 : 28);
  });
});
