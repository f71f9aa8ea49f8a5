/**
 * Tests the addresses to which nginx connects. A tenant, a client or a nameserver wants nginx to
 * connect to this machine, a port of Sluice's own, its control socket or the cloud's metadata. None
 * of these gets a request, and the objects of other users still work.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { until } from "../../nginx/support/until.ts";
import { type Nameserver, startNameserver } from "../../support/nameserver.ts";
import { ingress, service, settings } from "../support/objects.ts";
import { exchange } from "../support/raw.ts";
import { type Place, places } from "../support/where.ts";
import { ports, type World } from "../support/world.ts";

/**
 * Ports of Sluice's own on which no server of the test listens, so that a trap listens on each of
 * them.
 */
const own = { health: 10_254, page: 10_255, profiler: 10_245, webhook: 8443, names: 10_299 };
const [sidecar, other] = [4180, 4181];
const sluice = "192.0.2.1";
const flags = [
  "--validating-webhook=:8443",
  "--validating-webhook-certificate=/none.crt",
  "--validating-webhook-key=/none.key",
  `--allowed-loopback-ports=${sidecar},${own.health},${ports.status}`,
  `--name-check-port=${own.names}`,
  `--ui-port=${own.page}`,
];

/**
 * It makes no difference to an address which process writes the text, so one mode is enough if
 * nginx is in a container of its own.
 */
const where = Object.entries(places).filter(([name]) => name !== "in static mode with nginx in a container of its own");

describe.each(where)("%s", (_where, start) => {
  let place: Place;
  let world: World;
  let names: Nameserver;
  const traps: Server[] = [];
  let trapped: string[] = [];
  let sidecarAsked = 0;

  beforeAll(async () => {
    for (const [address, port] of [
      ...Object.values(own).flatMap((port) => [
        ["127.0.0.1", port] as const,
        [sluice, port] as const,
        ["::1", port] as const,
      ]),
      ["127.0.0.1", other] as const,
      ["127.0.0.1", 80] as const,
    ])
      traps.push(await listening(address, port, () => trapped.push(`${address}:${port}`)));
    traps.push(await listening("127.0.0.1", sidecar, () => sidecarAsked++));
    names = await startNameserver("192.0.2.53");
    place = await start({ flags, nameservers: ["192.0.2.53"] });
    world = place.world;
    names.addresses.set("auth.test", [world.auth.address]);
    names.addresses.set("guarded.example", [world.auth.address]);
  });
  afterEach(async () => {
    trapped = [];
    await world.clear();
  });
  afterAll(async () => {
    await place.end();
    await names.stop();
    for (const trap of traps) trap.close();
  });

  const guarded = (url: string, more: Record<string, string> = {}) =>
    ingress({ name: "guarded", annotations: { "auth-url": url, ...more } });
  const mirrored = (url: string) => ingress({ name: "guarded", annotations: { "mirror-target": url } });

  /**
   * Returns whether the auth service let the request pass. Also expects that no trap got a request.
   */
  async function passes(host = "guarded.example"): Promise<boolean> {
    const { body } = await world.ask(host);
    expect(trapped).toEqual([]);
    return body === "secret";
  }

  test("an auth service may be given by a name, the host of the request or an address", async () => {
    for (const origin of [
      `http://auth.test:${world.auth.port}`,
      `http://$host:${world.auth.port}`,
      world.auth.origin,
    ]) {
      await world.apply(guarded(`${origin}/check`));
      world.auth.forget();
      expect.soft(await passes(), origin).toBe(true);
      const host = /\$|\d\./.test(origin)
        ? origin.includes("$")
          ? "guarded.example"
          : world.auth.address
        : "auth.test";
      expect.soft(world.auth.asked[0]?.headers, origin).toContainEqual(["host", host]);
    }
    expect(world.problemsOf("guarded")).toEqual([]);
  });

  test("the name of an auth service may resolve to Sluice, for another path of the same host", async () => {
    names.addresses.set("home.example", [sluice]);
    const paths = { name: "proxy", host: "home.example", paths: [["/oauth2"]] } as const;
    const annotations = { "auth-url": `http://$host:${ports.http}/oauth2/auth` };
    await world.apply(ingress({ ...paths, paths: [["/oauth2"]] }), ingress({ name: "home", annotations }));
    expect(await passes("home.example")).toBe(true);
    expect(world.backend.asked.map(({ url }) => url)).toEqual(["/oauth2/auth", "/"]);
    world.backend.answer = (request, response) =>
      response.writeHead(request.url === "/oauth2/auth" ? 401 : 200).end("secret");
    expect((await world.ask("home.example")).status).toBe(401);
  });

  test("where the Host selects the auth service, a request with a second or odd Host reaches no server", async () => {
    names.addresses.set("elsewhere.example", [world.auth.address]);
    await world.apply(guarded(`http://$host:${world.auth.port}/check`), ingress({ name: "elsewhere" }));
    for (const head of [
      "GET http://guarded.example/ HTTP/1.1\r\nHost: elsewhere.example",
      "GET http://elsewhere.example/ HTTP/1.1\r\nHost: guarded.example",
      "GET / HTTP/1.1\r\nHost: guarded.example:1@elsewhere.example",
      "GET / HTTP/1.1\r\nHost: guarded.example\r\nHost: elsewhere.example",
    ]) {
      world.auth.forget();
      world.backend.forget();
      expect.soft(await exchange(`${head}\r\nConnection: close\r\n\r\n`), head).toMatch(/^HTTP\/1\.1 400 /);
      expect.soft([world.auth.asked, world.backend.asked], head).toEqual([[], []]);
    }
    const port = `guarded.example:${ports.http}`;
    expect(await exchange(`GET / HTTP/1.1\r\nHost: ${port}\r\nConnection: close\r\n\r\n`)).toContain("secret");
    expect(world.auth.asked[0]!.headers).toContainEqual(["host", "guarded.example"]);
  });

  const ownPorts = [...Object.values(own), ports.status, ports["default-server"]];

  test("a name that resolves to this machine or to a port of Sluice's own gets no request", async () => {
    const leads = [
      ...ownPorts.flatMap((port) => [`127.0.0.1 ${port}`, `${sluice} ${port}`]),
      ...[`127.0.0.1 ${other}`, `127.8.8.8 ${other}`, `0.0.0.0 ${other}`, "169.254.169.254 80", "224.0.0.1 80"],
    ];
    for (const [at, lead] of leads.entries()) {
      const [address = "", port] = lead.split(" ");
      names.addresses.set(`rebound${at}.test`, [address]);
      await world.apply(guarded(`http://rebound${at}.test:${port}/healthz`));
      expect(world.problemsOf("guarded"), lead).toEqual([]);
      expect.soft(await passes(), lead).toBe(false);
      expect.soft(names.asked, lead).toContain(`rebound${at}.test`);
    }
    names.addresses.set("both.test", ["127.0.0.1", world.auth.address]);
    await world.apply(guarded(`http://both.test:${world.auth.port}/check`));
    for (let at = 0; at < 4; at++) expect(await passes()).toBe(true);
  });

  test("an address of this machine is refused in any spelling, and no request passes", async () => {
    for (const host of ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "localhost", "localhost.", "0", "unix", "::1"])
      for (const port of [other, own.health]) {
        const written = host.includes(":") ? `[${host}]` : host;
        await world.apply(guarded(`http://${written}:${port}/`));
        expect.soft(world.problemsOf("guarded").join(), host).toMatch(/^annotation (auth-url|mirror-target): /);
        expect.soft(await passes(), host).toBe(false);
        await world.apply(mirrored(`http://${written}:${port}/`));
        expect.soft(world.problemsOf("guarded").join(), host).toMatch(/^annotation (auth-url|mirror-target): /);
        expect.soft(await passes(), host).toBe(true);
      }
    for (const url of [
      `http://${sluice}:${own.health}/stop`,
      `https://${sluice}:${own.webhook}/`,
      "http://169.254.169.254/",
    ]) {
      await world.apply(guarded(url));
      expect
        .soft(world.problemsOf("guarded"), url)
        .toEqual([expect.stringMatching(/ is not asked: .*; its paths answer 503$/)]);
      expect.soft(await passes(), url).toBe(false);
    }
  });

  test("an allowed port of this machine gets requests, and one of Sluice's own never does", async () => {
    for (const host of ["127.0.0.1", "localhost"]) {
      sidecarAsked = 0;
      await world.apply(guarded(`http://${host}:${sidecar}/`));
      expect.soft(await passes(), host).toBe(true);
      expect.soft(sidecarAsked, host).toBe(1);
      await world.apply(guarded(`http://${host}:${ports.status}/healthz`));
      expect.soft(await passes(), host).toBe(false);
    }
  });

  test("no header, argument or cookie of a client selects the address of a request", async () => {
    const socket = `unix:${join(world.runFolder, "sockets/control.sock")}:`;
    const target = { "x-target": socket, cookie: `target=${socket}` };
    for (const origin of ["http://$http_x_target", "http://$arg_target", "http://$cookie_target", "http://a:$http_x"]) {
      await world.apply(mirrored(`${origin}/records`));
      expect
        .soft(world.problemsOf("guarded"), origin)
        .toEqual([expect.stringMatching(/^annotation mirror-target: .* is not (asked|an absolute)/)]);
      expect.soft((await world.ask("guarded.example", `/?target=${socket}`, { headers: target })).body).toBe("secret");
      await world.apply(guarded(`${origin}/records`));
      expect
        .soft((await world.ask("guarded.example", `/?target=${socket}`, { headers: target })).body)
        .not.toBe("secret");
    }
  });

  test("on a path of all hosts a client cannot name an address of this machine", async () => {
    const open = ingress({ name: "open", host: "", annotations: { "auth-url": `http://$host:${other}/` } });
    const closed = ingress({ name: "open", host: "", annotations: { "auth-url": `http://$host:${own.health}/stop` } });
    for (const one of [open, closed]) {
      await world.apply(one);
      for (const host of [
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "[::1]",
        "unix",
        "upstream_balancer",
        "169.254.169.254",
        sluice,
      ])
        expect
          .soft(await exchange(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`), host)
          .not.toContain("secret");
      expect.soft(trapped).toEqual([]);
    }
  });

  test("a Host that would end the address before the checked name causes no request", async () => {
    for (const annotations of [
      { "auth-url": "http://$host/" },
      { "auth-url": `http://$host:${other}/` },
      { "mirror-target": "http://$host/" },
    ]) {
      await world.apply(ingress({ name: "open", host: "", annotations }));
      expect(world.problemsOf("open")).toEqual([]);
      for (const host of ["127.0.0.1?", "127.0.0.1?.example", "127.0.0.1#", "127.0.0.1?@a.test", "x@127.0.0.1?"])
        await exchange(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect.soft(trapped, JSON.stringify(annotations)).toEqual([]);
    }
  });

  test("a client cannot add digits to the port that was checked", async () => {
    for (const url of ["http://auth.test:1$http_x/", "http://auth.test:1$http_x", `http://${sluice}:1$arg_x/`])
      for (const one of [guarded(url), mirrored(url)]) {
        await world.apply(one);
        expect.soft(world.problemsOf("guarded"), url).toHaveLength(1);
        await world.ask("guarded.example", "/?x=0254", { headers: { x: "0254" } });
        expect.soft(trapped, url).toEqual([]);
      }
  });

  test("an alias without an address lets no request pass, and does not end the controller", async () => {
    names.aliases.add("away.test");
    await world.apply(guarded(`http://away.test:${world.auth.port}/`));
    expect(await passes()).toBe(false);
    await until("the name", () => names.asked.includes("away.test"));
    names.addresses.set("back.test", [world.auth.address]);
    names.aliases.add("back.test");
    await world.apply(guarded(`http://back.test:${world.auth.port}/`));
    expect(await passes()).toBe(true);
  });

  test("the operator's auth service may be on this machine, but not on a port of Sluice's own", async () => {
    sidecarAsked = 0;
    await world.apply(settings({ "global-auth-url": `http://127.0.0.1:${sidecar}/` }), ingress({ name: "guarded" }));
    expect(await passes()).toBe(true);
    expect(sidecarAsked).toBe(1);
    for (const url of [`http://127.0.0.1:${own.health}/`, "http://$http_x_target/", "http://169.254.169.254/"]) {
      await world.clear();
      await world.apply(settings({ "global-auth-url": url }), ingress({ name: "guarded" }));
      expect.soft(world.problemsOf("ingress-nginx-controller"), url).toEqual([expect.stringContaining("is not asked")]);
      expect
        .soft((await world.ask("guarded.example", "/", { headers: { "x-target": "auth.test" } })).status, url)
        .toBe(503);
    }
  });

  test("no endpoint is this machine, a link-local address or a port of Sluice's own", async () => {
    const leads = [
      ...ownPorts.flatMap((port) => [["127.0.0.1", port] as const, [sluice, port] as const]),
      ...([
        ["169.254.169.254", 80],
        ["0.0.0.0", other],
        ["127.0.0.1", other],
        ["224.0.0.1", 80],
      ] as const),
    ];
    for (const [address, port] of leads) {
      await world.apply(
        ...service("bad", address, port),
        ingress({ name: "guarded", paths: [["/", "Prefix", "bad"]] }),
      );
      const { status } = await world.ask("guarded.example", "/healthz");
      expect.soft([address, port, status]).toEqual([address, port, 503]);
    }
    const external = { apiVersion: "v1", kind: "Service", metadata: { name: "bad", namespace: "ns" } };
    for (const externalName of ["127.1", "localhost", "2130706433", sluice]) {
      const spec = { type: "ExternalName", externalName, ports: [{ port: 80, targetPort: own.health }] };
      await world.apply(
        { ...external, spec } as KubernetesObject,
        ingress({ name: "guarded", paths: [["/", "Prefix", "bad"]] }),
      );
      expect.soft((await world.ask("guarded.example", "/healthz")).status, externalName).toBe(503);
    }
    expect(trapped).toEqual([]);
  });

  test("copies go to permitted names, and to no others", async () => {
    await world.apply(mirrored(`http://auth.test:${world.auth.port}/copy`));
    expect((await world.ask("guarded.example", "/?a=b")).body).toBe("secret");
    await until("the copy", () => world.auth.asked.some(({ url }) => url === "/copy?a=b"));
    expect(world.auth.asked[0]!.headers).toContainEqual(["host", "auth.test"]);
    names.addresses.set("copy.test", ["127.0.0.1"]);
    await world.apply(mirrored(`http://copy.test:${own.health}/copy`));
    expect(await passes()).toBe(true);
    await until("the name", () => names.asked.includes("copy.test"));
    expect(await passes()).toBe(true);
  });
});

async function listening(address: string, port: number, noticed: () => void): Promise<Server> {
  const server = createServer((_request, response) => void response.end("a port of this machine"));
  server.on("connection", noticed);
  server.listen(port, address);
  await once(server, "listening");
  return server;
}
