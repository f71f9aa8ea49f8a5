/**
 * Assumes that a tenant and a client can make a worker connect to a socket of Sluice. Without the
 * controller's password that has no effect. The way in this test is one that only an operator can
 * open, so that the test needs no real hole.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { hostKey } from "../../../src/core/model/records.ts";
import { Pass } from "../../../src/nginx/index.ts";
import { type Answer, request } from "../../nginx/support/request.ts";
import { until } from "../../nginx/support/until.ts";
import { ingress, settings } from "../support/objects.ts";
import { type Place, places } from "../support/where.ts";
import type { World } from "../support/world.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 240_000 });

const issued = vi.spyOn(Pass, "issue");
const door = "192.0.2.1:24009";
const to = (runFolder: string) => `
server {
  listen ${door};
  location / {
    proxy_set_header Host sluice;
    proxy_pass http://unix:${runFolder}/sockets/$http_x_socket.sock:$request_uri;
  }
}`;

const flags = ["--enable-metrics=true"];

describe.each(Object.entries(places))("%s", (name, start) => {
  let place: Place;
  let world: World;
  beforeAll(async () => {
    place = await start({ flags });
    world = place.world;
    await world.apply(ingress({ name: "guarded" }), settings({ "http-snippet": to(world.runFolder) }));
  });
  afterAll(() => place.end());

  const through = (
    socket: string,
    path: string,
    more: { method?: string; body?: string; pass?: string | undefined } = {},
  ) =>
    request({
      to: door,
      host: "evil.example",
      path,
      method: more.method ?? "GET",
      ...(more.body === undefined ? {} : { body: more.body }),
      headers: { "x-socket": socket, ...(more.pass === undefined ? {} : { authorization: more.pass }) },
    });

  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  /**
   * Passwords that a client can find out or guess: no password, those of other users, and the text
   * of the file itself.
   */
  const guesses = (): readonly (string | undefined)[] => {
    const files = ["controller", "nginx"].map((file) =>
      readFileSync(join(world.runFolder, "keys", file), "utf8").trim(),
    );
    const known = files.flatMap((line) => [line, line.replace("{SSHA}", ""), `sluice:${line}`]);
    return [undefined, ...["sluice:", "sluice:sluice", ":", "controller:x", ...known].map(basic), "Bearer x", "Basic"];
  };

  test("without the password no question is answered and no record is stored", async () => {
    const record = JSON.stringify([hostKey("guarded.example"), JSON.stringify({ locations: [], prefix: [] })]);
    for (const pass of guesses()) {
      const found: Answer[] = [];
      for (const path of ["/generation", "/connections", "/counts", "/records", "/records?part=0"])
        found.push(await through("control", path, { pass }));
      for (const path of ["/records", "/counts", "/generation", "/connections"])
        found.push(await through("control", path, { method: "POST", body: `${record}\n`, pass }));
      const withoutLua = name.startsWith("in static mode") ? [401, 404] : [401];
      for (const { status } of found) expect(withoutLua, pass).toContain(status);
      expect(found[0]).toMatchObject({ status: 401 });
    }
    expect(await world.ask("guarded.example")).toMatchObject({ status: 200, body: "secret" });
  });

  test("a request that is smuggled in the body of another one has no password either", async () => {
    const inner = `POST /records HTTP/1.1\r\nHost: x\r\nContent-Length: 27\r\n\r\n["host guarded.example"]\r\n\r\n`;
    await through("control", "/records", { method: "POST", body: inner });
    expect(await world.ask("guarded.example")).toMatchObject({ status: 200, body: "secret" });
  });

  test("without the password no order is accepted", async (context) => {
    if (!name.endsWith("container of its own"))
      context.skip("orders are taken where nginx has a container of its own, and nowhere else");
    const before = readFileSync(join(world.runFolder, "nginx.conf"), "utf8");
    const rendered = JSON.stringify({ conf: "events {}", generation: "x", files: [] });
    for (const pass of guesses()) {
      expect((await through("nginx", "/state", { pass })).status).toBe(401);
      for (const path of ["/apply", "/test", "/files", "/state"])
        expect((await through("nginx", path, { method: "POST", body: rendered, pass })).status).toBe(401);
    }
    expect(readFileSync(join(world.runFolder, "nginx.conf"), "utf8")).toBe(before);
    // The controller itself can still send orders.
    await world.apply(ingress({ name: "later", annotations: { "client-body-buffer-size": "77k" } }));
    expect(await world.ask("later.example")).toMatchObject({ status: 200 });
  });

  test("records that another program wrote are found and corrected", async (context) => {
    if (name.startsWith("in static mode")) context.skip("static mode has no records");
    const forged = { locations: [{ shape: "@none", upstream: "none", path: "/", canaries: [] }], prefix: ["/", 1] };
    const lines = ["guarded.example", "stolen.example"].map((host) =>
      JSON.stringify([hostKey(host), JSON.stringify(forged)]),
    );
    const forge = `
      require("sluice.journal").apply([==[${lines.join("\n")}]==])
      ngx.say("forged")`;
    const inside = `${to(world.runFolder)} server { listen 192.0.2.1:24008; location / { content_by_lua_block { ${forge} } } }`;
    await world.apply(settings({ "http-snippet": inside }));
    expect((await request({ to: "192.0.2.1:24008" })).body).toBe("forged\n");
    const found = await until("it is noticed", () => world.strange().length > 0 && world.strange(), 180_000);
    expect(found.toSorted()).toEqual([hostKey("guarded.example"), hostKey("stolen.example")]);
    await until("it is put right", async () => (await world.ask("guarded.example")).body === "secret");
    expect((await world.ask("stolen.example")).status).toBe(404);
    expect(world.strange().length).toBe(2);
    await world.apply(settings({ "http-snippet": to(world.runFolder) }));
  });

  test("no file, configuration or journal contains the password", async () => {
    const texts = readdirSync(world.runFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    const passes = await Promise.all(issued.mock.results.map(({ value }) => value as Promise<Pass>));
    expect(passes.length).toBeGreaterThan(0);
    for (const { authorization } of passes) {
      const written = authorization.slice("Basic ".length);
      const secret = Buffer.from(written, "base64").toString().split(":")[1]!;
      expect(secret.length).toBeGreaterThan(40);
      expect(texts.filter((text) => text.includes(secret) || text.includes(written))).toEqual([]);
    }
    for (const file of ["controller", "nginx"])
      expect(statSync(join(world.runFolder, "keys", file)).mode & 0o777).toBe(0o600);
  });
});
