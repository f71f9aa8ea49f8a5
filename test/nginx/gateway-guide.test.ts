/**
 * The guide of docs/gateway-api.md under `sluice serve`, beside an Ingress, and behind the guards
 * of the ConfigMap.
 */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { installedNginx } from "./support/installed.ts";
import { request } from "./support/request.ts";
import { ports, program, serving, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/gateway-api.md"), "utf8");
const port = 21_091;
const guide = /^```yaml\n(.*?)^```$/ms.exec(page)![1]!.replace("port: 8000", `port: ${port}`);
const askRoute = (host: string, path = "/", headers: Readonly<Record<string, string>> = {}) =>
  request({ to: `127.0.0.1:${port}`, host, path, headers });
const backendPort = 21_990;

let backend: Server;
beforeAll(async () => {
  backend = createServer((request, response) => response.end(`${request.headers.host} ${request.url}`));
  await new Promise<void>((resolve) => backend.listen(backendPort, "127.0.0.1", resolve));
});
afterAll(() => {
  backend.close();
  backend.closeAllConnections();
});

const settings = (data: Readonly<Record<string, string>>) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name: "settings" }, data });

test("the guide's objects are served unchanged, beside the hosts of Ingresses", async () => {
  const files = {
    "guide.yaml": guide,
    "backends.yaml": webAt(backendPort),
    "web.yaml": toWeb({ host: "www.other.example" }),
  };
  const { ask, folder, remove, write } = await serving({ files });
  onTestFinished(remove);
  const answer = await askRoute("www.shop.example", "/a");
  expect([answer.status, answer.body]).toEqual([200, "www.shop.example /a"]);
  expect(answer.headers["strict-transport-security"]).toBeUndefined();
  expect((await ask("www.other.example", "/b")).body).toBe("www.other.example /b");
  expect((await askRoute("x.shop.example")).status, "a host of the listener without a route").toBe(404);
  const commands = /^```sh\n(.*?)^```$/ms.exec(page)![1]!.trim().split("\n");
  expect(commands.map((line) => line.split(" ")[2])).toEqual(["check", "routes", "serve", "'Host:", "why"]);
  for (const [at, expected] of [
    [0, /^no errors and no warnings/],
    [1, /^\S*www\.shop\.example\/ .*HTTPRoute/m],
    [3, /^www\.shop\.example \/$/],
    [4, /^ {2}route: +HTTPRoute shop\/web: .*^ {2}answer: +that of Service shop\/web, port 80$/ms],
  ] as const) {
    const line = commands[at]!.replace("npx @sluice-ingress/sluice", `${process.execPath} ${program}`)
      .replace("FOLDER", folder)
      .replace(":8000", `:${port}`);
    const { exitCode, stdout } = await execa("bash", ["--norc", "-uo", "pipefail", "-c", line], { reject: false });
    expect.soft([commands[at], exitCode]).toEqual([commands[at], 0]);
    expect.soft(stdout).toMatch(expected);
  }
  write("guide.yaml", guide.replace("value: / ", "value: /moved "));
  await until("the edit", async () => (await askRoute("www.shop.example", "/a")).status === 404);
  expect((await askRoute("www.shop.example", "/moved/a")).status).toBe(200);
});

test("listeners on 80 and 443 use the ports of Ingresses, and the host decides who gets a request", async () => {
  const onUsual = guide.replace(
    /^ {4}- name: http$.*hostname: .*?$/ms,
    '    - { name: http, port: 80, protocol: HTTP, hostname: "*.shop.example" }',
  );
  const toHttps = `
    - matches: [{ path: { type: PathPrefix, value: /secure } }]
      filters: [{ type: RequestRedirect, requestRedirect: { scheme: https, statusCode: 301 } }]
`;
  const files = {
    "guide.yaml": onUsual.trimEnd() + toHttps,
    "backends.yaml": webAt(backendPort),
    "web.yaml": `${toWeb({ host: "own.shop.example" })}---\n${toWeb({ host: "www.shop.example", name: "same" })}`,
  };
  const { ask, remove, write, printed } = await serving({ files });
  onTestFinished(remove);
  expect((await ask("www.shop.example", "/a")).body).toBe("www.shop.example /a");
  const leads = await ask("www.shop.example", "/secure");
  expect([leads.status, leads.headers.location]).toEqual([301, `https://www.shop.example:${ports.https}/secure`]);
  expect((await ask("own.shop.example", "/b")).body, "an Ingress has the name itself").toBe("own.shop.example /b");
  expect((await ask("other.shop.example")).status, "no route and no Ingress").toBe(404);
  expect(printed().match(/"problem":"[^"]*"/g)).toEqual([
    '"problem":"spec.rules[0].http.paths[0].path: HTTPRoute shop/web of the same namespace has path / of host www.shop.example, too; its requests go there"',
  ]);
  write("guide.yaml", undefined);
  await until("the Ingress to have the host", async () => (await ask("www.shop.example", "/secure")).status === 200);
});

interface Guarded {
  readonly data: Readonly<Record<string, string>>;
  /** The guard stops requests with these headers alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The guard stops requests for this path alone. */
  readonly path?: string;
}
const { modsecurity } = await installedNginx();
const firewall = 'SecRuleEngine On\nSecRule ARGS:block "@streq yes" "id:1,phase:1,deny,status:418"';
const guards: readonly (readonly [what: string, Guarded])[] = [
  ["denylist-source-range", { data: { "denylist-source-range": "127.0.0.0/8" } }],
  ["whitelist-source-range", { data: { "whitelist-source-range": "192.0.2.0/24" } }],
  ["block-cidrs", { data: { "block-cidrs": "127.0.0.0/8" } }],
  ["global-auth-url", { data: { "global-auth-url": "http://127.0.0.1:9/no" } }],
  ["block-user-agents", { data: { "block-user-agents": "Bad" }, headers: { "user-agent": "Bad" } }],
  [
    "block-referers",
    { data: { "block-referers": "http://bad.example/" }, headers: { referer: "http://bad.example/" } },
  ],
  ...(modsecurity
    ? [
        [
          "ModSecurity",
          { data: { "enable-modsecurity": "true", "modsecurity-snippet": firewall }, path: "/?block=yes" },
        ] as const,
      ]
    : []),
];
test("guards of the ConfigMap for Ingresses also guard a path that moves to a route", async () => {
  // The same Gateway under other names, on the port of Ingresses.
  const objects = guide.split("---\n");
  const beside = objects
    .slice(1)
    .join("---\n")
    .replace(`port: ${port}`, "port: 80")
    .replaceAll("shop.example", "beside.example")
    .replaceAll("name: public", "name: beside")
    .replace(/^( {2}name: )web$/m, "$1beside");
  const files = {
    "guide.yaml": guide,
    "beside.yaml": beside,
    "backends.yaml": webAt(backendPort),
    "web.yaml": toWeb({ host: "www.other.example" }),
    "settings.yaml": settings({}),
  };
  const { ask, remove, write } = await serving({ files, flags: ["--configmap=shop/settings"] });
  onTestFinished(remove);
  const moved = [
    (one: Guarded) => askRoute("www.shop.example", one.path, one.headers),
    (one: Guarded) => ask("www.beside.example", one.path, one.headers),
  ];
  for (const route of moved) expect((await route({ data: {} })).status).toBe(200);
  for (const [what, guard] of guards) {
    write("settings.yaml", settings(guard.data));
    // All requests are in one check: while a reload runs, the next request may reach workers of the
    // previous text.
    await until(`${what} to guard the Ingress and the routes alike`, async () => {
      const { status } = await ask("www.other.example", guard.path, guard.headers);
      const others = await Promise.all(moved.map((route) => route(guard)));
      return status >= 400 && others.every((other) => other.status === status);
    });
    write("settings.yaml", settings({}));
    await until(`${what} to be gone`, async () => {
      const all = [
        await ask("www.other.example", guard.path, guard.headers),
        ...(await Promise.all(moved.map((route) => route(guard)))),
      ];
      return all.every(({ status }) => status === 200);
    });
  }
});
