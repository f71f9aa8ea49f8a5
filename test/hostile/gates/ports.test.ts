/**
 * Requests that end or change the controller, from programs that have an address of this machine.
 * The address alone proves nothing.
 */
import { readFileSync, statSync } from "node:fs";
import { request as plainRequest } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { showing } from "../../../src/edges/operator-token.ts";
import { request } from "../../nginx/support/request.ts";
import { ports, serving } from "../../nginx/support/serve.ts";

vi.setConfig({ testTimeout: 240_000 });

const profilerPort = 21_245;
const health = `127.0.0.1:${ports.health}`;
const profiler = `127.0.0.1:${profilerPort}`;
const files = { "more.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: { name: more }\n" };

const asked = [
  [health, "/stop"],
  [health, "/healthz/../stop"],
  [profiler, "/debug/pprof/heap"],
  [profiler, "/debug/pprof/profile?seconds=0.01"],
  [`127.0.0.1:${ports.status}`, "/stop"],
  [`127.0.0.1:${ports.status}`, "/configuration"],
] as const;

test.each(["dynamic", "static"] as const)(
  "in %s mode no request without the token ends or changes the controller",
  async (mode) => {
    const one = await serving({ files, flags: [`--mode=${mode}`, "--profiling", `--profiler-port=${profilerPort}`] });
    onTestFinished(one.remove);
    const file = join(one.runFolder, "operator.token");
    const token = readFileSync(file, "utf8").trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const strangers = [
      {},
      { authorization: token },
      showing("x"),
      { ...showing(token), origin: "https://evil.example" },
      { ...showing(token), "sec-fetch-site": "cross-site" },
      { host: "evil.example" },
      { "x-forwarded-for": "127.0.0.1" },
    ];
    for (const [to, path] of asked)
      for (const headers of strangers)
        for (const method of ["GET", "POST", "PUT", "DELETE"]) {
          const { status } = await request({ to, path, method, headers });
          expect([401, 403, 404, 405], `${method} ${path}`).toContain(status);
        }
    const routes = await new Promise<number | undefined>((resolve, reject) => {
      plainRequest({ socketPath: join(one.runFolder, "sockets/routes.sock"), path: "/routes" }, (response) => {
        resolve(response.resume().statusCode);
      })
        .on("error", reject)
        .end();
    });
    expect(routes).toBe(401);
    expect(await one.health()).toMatchObject({ status: 200, body: "ok" });

    expect((await request({ to: health, path: "/stop", method: "POST", headers: showing(token) })).status).toBe(202);
    expect(await one.ended).toBe(0);
  },
);
