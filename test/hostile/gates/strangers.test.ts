/**
 * Other accounts of the machine and clients of nginx cannot use the files, sockets and ports that
 * are for Sluice alone.
 */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import { ingress, secret } from "../support/objects.ts";
import { ports, startWorld, type World } from "../support/world.ts";

const nobody = { uid: 65_534, gid: 65_534 };

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ mode, flags: ["--enable-metrics=true"] });
    await world.apply(
      secret("users", { auth: "u:{PLAIN}password-of-u\n" }),
      ingress({ name: "a", annotations: { "auth-type": "basic", "auth-secret": "users" } }),
    );
  });
  afterAll(() => world.stop());

  const all = () =>
    readdirSync(world.runFolder, { recursive: true, encoding: "utf8" }).map((name) => join(world.runFolder, name));
  const permissions = (path: string) => lstatSync(path).mode & 0o777;

  test("another account can open no file or folder of Sluice", () => {
    const made = all().filter((path) => !path.startsWith(join(world.runFolder, "temp/")));
    // The permissions of a link say nothing; it leads to a file of nginx's package.
    const own = made.filter((path) => !lstatSync(path).isSocket() && !lstatSync(path).isSymbolicLink());
    const open = own.filter((path) => (permissions(path) & 0o077) !== 0);
    const shown = open.map((path) => `${path.slice(world.runFolder.length)} ${permissions(path).toString(8)}`);
    expect(shown.filter((line) => !/^\/nginx\.pid 644$/.test(line))).toEqual([]);
  });

  test("key material and passwords are in private files of private folders", () => {
    const secrets = all().filter(
      (path) => lstatSync(path).isFile() && /PRIVATE KEY|password-of-u/.test(readFileSync(path, "latin1")),
    );
    expect(secrets.length).toBeGreaterThan(0);
    for (const path of secrets) {
      expect([path, permissions(path)]).toEqual([path, 0o600]);
      expect([path, permissions(join(path, ".."))]).toEqual([path, 0o700]);
    }
  });

  test("sockets are in a private folder, and another account reaches none", async () => {
    const sockets = all().filter((path) => lstatSync(path).isSocket());
    expect(sockets.length).toBeGreaterThan(0);
    for (const path of sockets) {
      expect(permissions(join(path, ".."))).toBe(0o700);
      const code = `require("net").connect(${JSON.stringify(path)}).on("error", e => console.log(e.code)).on("connect", () => console.log("in") || process.exit())`;
      const { stdout } = await execa("/usr/bin/env", ["node", "-e", code], { ...nobody, reject: false, cwd: "/" });
      expect([path, stdout]).toEqual([path, "EACCES"]);
    }
  });

  test("the status port listens on loopback addresses only", async () => {
    await expect(request({ to: `192.0.2.1:${ports.status}`, path: "/nginx_status" })).rejects.toThrow("ECONNREFUSED");
    expect((await request({ to: `127.0.0.1:${ports.status}`, path: "/nginx_status" })).status).toBe(200);
  });

  test.each([
    "/records",
    "/generation",
    "/connections",
    "/counts",
    "/_sluice/variables",
    "/_sluice/0123456789abcdef",
    "/@sluice_status",
  ])("a client gets no internal answer of Sluice from %s", async (path) => {
    for (const host of ["neighbour.example", "nobody.example", ""]) {
      for (const method of ["GET", "POST"]) {
        const answer = await world.ask(host, path, { method });
        const mayBe = host === "neighbour.example" ? [path, 200, true] : [path, 404, false];
        expect([path, answer.status, answer.body === "secret"]).toEqual(mayBe);
      }
    }
  });
});
