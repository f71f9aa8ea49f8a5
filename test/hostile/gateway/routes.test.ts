/**
 * Tests the highest cost of one route of the Gateway API for a worker, and the limits of its
 * backends and clients.
 */
import { beforeEach, expect, test } from "vitest";
import { type Answer, type RequestOptions, request } from "../../nginx/support/request.ts";
import { gateway, gatewayClass, listener, route } from "../../support/gateways.ts";
import type { Directive } from "../../support/nginx-tree.ts";
import { ingress, service } from "../support/objects.ts";
import { ports, worldOf } from "../support/world.ts";

const world = worldOf({ mode: "dynamic", flags: ["--gateway-addresses=192.0.2.70-192.0.2.71"] });
const to = "192.0.2.70:80";

beforeEach(() => world.apply(gatewayClass(), gateway({})));

const ask = (more: Partial<RequestOptions> = {}): Promise<Answer> => request({ to, host: "a.example", ...more });
const web = { name: "web", port: 80 };

async function milliseconds(more: Partial<RequestOptions>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < 5; at++) {
    const begun = performance.now();
    await ask(more);
    times.push(performance.now() - begun);
  }
  return Math.min(...times);
}

/**
 * Returns matches of one path that differ in their last condition alone, in as many rules and
 * routes as the API server allows.
 */
function crowd(condition: (at: number) => object, routes = 8) {
  return Array.from({ length: routes }, (_, one) =>
    route({
      name: `crowd-${one}`,
      rules: [0, 1].map((half) => ({
        backendRefs: [web],
        matches: Array.from({ length: 64 }, (_, at) => condition((2 * one + half) * 64 + at)),
      })),
    }),
  );
}

test("a long query costs about the same, however many matches compare its parameters", async () => {
  const wanted = (at: number) => ({ queryParams: [{ name: `p${at}`, value: "1" }] });
  const path = `/?${"%61&".repeat(1900)}`;
  await world.apply(route({ name: "crowd-0", rules: [{ backendRefs: [web], matches: [wanted(0)] }] }));
  const one = await milliseconds({ path });
  await world.apply(...crowd(wanted));
  expect((await ask({ path: "/?p7=1" })).status).toBe(200);
  const many = await milliseconds({ path });
  expect(many / one).toBeLessThan(20);
});

test("patterns of headers and parameters share one time limit for each request", async () => {
  const slow = { type: "RegularExpression", value: "(a|aa|aaa)+[bc]" };
  const value = `${"a".repeat(40)}`;
  await world.apply(
    ...crowd((at) => ({ headers: [{ ...slow, name: `x-${at}` }], queryParams: [{ ...slow, name: "q" }] })),
  );
  const headers = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x-${at}`, value]));
  expect((await ask({ path: `/?q=${value}`, headers })).status).toBe(500);
  // Other requests are served: a worker that is busy for seconds would answer none of these.
  const plain = await milliseconds({ host: "nobody.example", path: "/x" });
  expect(await milliseconds({ path: `/?q=${value}`, headers })).toBeLessThan(Math.max(50 * plain, 500));
});

function internalOf(tree: readonly Directive[]): string[] {
  return tree.flatMap(({ name, args, block = [] }) => [
    ...(name === "location" && /^@|^\/_sluice/.test(args.at(-1)!) ? [args.at(-1)!] : []),
    ...internalOf(block),
  ]);
}

test("a backend's X-Accel-Redirect leads to routes of the listener, and to no internal location", async () => {
  await world.apply(
    route({ rules: [{ backendRefs: [web], matches: [{ path: { value: "/open" } }] }] }),
    ingress({ name: "other", host: "a.example" }),
  );
  world.backend.answer = (asked, response) => {
    const where = new URL(asked.url!, "http://a").searchParams.get("to");
    if (where === null) response.end(`served ${asked.url}`);
    else response.writeHead(200, { "X-Accel-Redirect": where }).end();
  };
  const led = async (where: string) => {
    const { status, body } = await ask({ path: `/open?to=${encodeURIComponent(where)}` });
    return status === 200 ? body : status;
  };
  expect(await led("/open/file")).toBe("served /open/file");
  expect(await led("/elsewhere")).toBe(404);
  for (const name of ["/nginx_status", "/_sluice/variables", "@sluice_status", ...internalOf(world.tree())]) {
    expect.soft([name, /Active connections/.test(String(await led(name)))]).toEqual([name, false]);
  }
});

test("a port of a Gateway reaches no Ingress, and a port of Ingresses reaches no route", async () => {
  await world.apply(
    gateway({}),
    gateway({ name: "other", age: 1, listeners: [listener({ hostname: "other.example" })] }),
    route({ hostnames: ["a.example"] }),
    route({ name: "others", parent: { name: "other" }, hostnames: ["other.example"] }),
    ingress({ name: "ingress" }),
  );
  const statuses = async (at: string) => {
    const hosts = ["a.example", "other.example", "ingress.example", "neighbour.example"];
    const all = hosts.map(async (host) => (await request({ to: at, host })).status);
    return Promise.all(all);
  };
  expect(await statuses(to)).toEqual([200, 404, 404, 404]);
  expect(await statuses("192.0.2.71:80")).toEqual([404, 200, 404, 404]);
  expect(await statuses(`192.0.2.1:${ports.http}`)).toEqual([404, 404, 200, 200]);
});

test("a route's Service leads to no port of Sluice's own, in any spelling", async () => {
  const own = [ports.status, ports["default-server"], 10254];
  const spellings = ["127.0.0.1", "0.0.0.0", "192.0.2.1", "192.0.2.70", "169.254.169.254", "224.0.0.1"];
  for (const address of spellings) {
    for (const port of own) {
      await world.apply(
        ...service("evil", address, port),
        route({
          rules: [
            {
              backendRefs: [{ name: "evil", port: 80 }],
              filters: [{ type: "RequestMirror", requestMirror: { backendRef: { name: "evil", port: 80 } } }],
            },
          ],
        }),
      );
      for (const path of ["/", "/nginx_status", "/metrics"]) {
        expect.soft([address, port, (await ask({ path })).status]).toEqual([address, port, 503]);
      }
    }
  }
});
