/**
 * Tests the page of a running controller without a browser: on which addresses it answers, what
 * nginx reports about endpoints, and that it shows no secret.
 */
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { RouteDetail } from "../../src/ask/page/api/routes.ts";
import { request } from "./support/request.ts";
import { ports, type ServeOptions, serving, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const ownPort = 21_255;
const backendPort = 21_931;
/** No server listens there. */
const deadAddress = "127.0.0.77";
const files = { "web.yaml": toWeb({ host: "web.example" }), "backends.yaml": webAt(backendPort) };

async function served(options: Partial<ServeOptions> = {}) {
  const one = await serving({ files, ...options });
  onTestFinished(one.remove);
  const answer = async (path: string) => JSON.parse((await one.health(`/ui/api/v1/${path}`)).body);
  return { ...one, answer };
}

async function backend(): Promise<void> {
  const server = createServer((_request, response) => response.end("ok"));
  await new Promise<void>((resolve) => server.listen(backendPort, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
}

const askAt = (address: string, port: number, path = "/ui/") =>
  request({ to: `${address}:${port}`, path, host: "localhost" });

test("the health port answers only this machine, and says where the page is", async () => {
  const { logged } = await served();
  expect((await logged(/"msg":"serving"/)).page).toBe(`http://127.0.0.1:${ports.health}/ui/`);
  expect((await askAt("127.0.0.1", ports.health)).status).toBe(200);
  expect((await askAt("192.0.2.1", ports.health)).status).toBe(403);
  expect((await askAt("192.0.2.1", ports.health, "/healthz")).status).toBe(200);
});

test("--ui-port gives the page a port of its own on loopback, and 0 turns it off", async () => {
  const own = await served({ flags: [`--ui-port=${ownPort}`] });
  expect((await own.logged(/"msg":"serving"/)).page).toBe(`http://127.0.0.1:${ownPort}/ui/`);
  expect((await askAt("127.0.0.1", ownPort)).status).toBe(200);
  await expect(askAt("192.0.2.1", ownPort)).rejects.toThrow("ECONNREFUSED");
  expect((await askAt("127.0.0.1", ports.health)).status).toBe(404);
  await own.signal("SIGTERM");
  await own.ended;
  const off = await served({ flags: ["--ui-port=0"] });
  expect((await off.logged(/"msg":"serving"/)).page).toBeUndefined();
  expect((await askAt("127.0.0.1", ports.health)).status).toBe(404);
});

test("a route through nginx does not reach the page, with any Host", async () => {
  const annotations = 'nginx.ingress.kubernetes.io/upstream-vhost: "localhost"';
  for (const port of [ports.health, ownPort]) {
    const { ask, signal, ended } = await served({
      files: { "web.yaml": toWeb({ host: "web.example", annotations }), "backends.yaml": webAt(port) },
      flags: port === ownPort ? [`--ui-port=${ownPort}`] : [],
    });
    expect((await ask("web.example", "/ui/")).status).toBe(503);
    signal("SIGTERM");
    await ended;
  }
});

test("endpoints have the times of their answers, and the number of failed tries", async () => {
  await backend();
  const annotations = 'nginx.ingress.kubernetes.io/load-balance: "ewma"';
  const slice = webAt(backendPort).replace("[127.0.0.1]", `[127.0.0.1] }, { addresses: [${deadAddress}]`);
  const { ask, answer } = await served({
    files: { "web.yaml": toWeb({ host: "web.example", annotations }), "backends.yaml": slice },
  });
  const endpoints = async () => {
    const { endpoints: all }: RouteDetail = await answer("route?host=web.example&path=/&owner=shop/web");
    return all;
  };
  await until("a failed try", async () => {
    expect((await ask("web.example")).status).toBe(200);
    return (await endpoints()).some(({ address, failures }) => address.startsWith(deadAddress) && failures! > 0);
  });
  const alive = (await endpoints()).find(({ address }) => address === `127.0.0.1:${backendPort}`)!;
  expect(alive).toMatchObject({ state: "ready", failures: 0, service: "shop/web:80" });
  expect(alive.answerSeconds).toBeGreaterThanOrEqual(0);
  expect(alive.answerSeconds).toBeLessThan(10);
});

test("plots are kept unless --ui-history=false, and --ui-grafana-url is the address of a dashboard", async () => {
  const kept = await served({ flags: ["--enable-metrics", "--ui-grafana-url=https://grafana.example.com/{name}"] });
  expect((await kept.answer("history")).requestsPerSecond).toHaveLength(60);
  expect((await kept.answer("views")).grafana).toBe("https://grafana.example.com/{name}");
  kept.signal("SIGTERM");
  await kept.ended;
  const off = await served({ flags: ["--enable-metrics", "--ui-history=false"] });
  expect(await off.answer("history")).toMatchObject({ stepSeconds: 0, requestsPerSecond: [] });
});

test("a Problem is listed with its time while it lasts, and a closed path with its cause", async () => {
  const { write, answer } = await served();
  expect((await answer("problems")).total).toBe(0);
  write("web.yaml", toWeb({ host: "web.example", annotations: 'nginx.ingress.kubernetes.io/auth-type: "digest"' }));
  await until("the problem", async () => (await answer("problems")).total > 0);
  const { rows, unanswered } = await answer("problems");
  expect(rows[0]).toMatchObject({ object: { kind: "Ingress", name: "shop/web" }, meanwhile: "503 on its paths" });
  expect(Math.abs(Date.now() - Date.parse(rows[0].since))).toBeLessThan(120_000);
  expect(unanswered[0]).toMatchObject({ paths: 1, host: "web.example" });
  write("web.yaml", files["web.yaml"]);
  await until("it to be gone", async () => (await answer("problems")).total === 0);
});

/** Malicious values. Each is tried for each parameter. */
const harmful = [
  "",
  "-1",
  "1e309",
  "NaN",
  "__proto__",
  "constructor",
  "../../etc/passwd",
  "\u0000",
  "\r\nX-Injected: 1",
  "\u202e\u2066",
  "\ud800",
  "%",
  "[::1",
  "http://[",
  "//",
  "a".repeat(7_000),
  "%ff".repeat(500),
  "é".repeat(500),
  "' OR 1=1 --",
  "<script>alert(1)</script>",
  "${7*7}",
  "(a+)+$",
];

test("any parameter gets an answer or one sentence, and the controller continues", async () => {
  const one = await served({ flags: ["--enable-metrics"] });
  const list = ["filter", "sort", "order", "offset", "limit"];
  const parameters = {
    status: ["x"],
    views: ["x"],
    events: ["x"],
    routes: list,
    problems: list,
    certificates: list,
    gateways: list,
    shadow: list,
    route: ["host", "path", "owner", "listener", "when"],
    ask: ["url", "method", "client", "header"],
  };
  const seen = new Map<string, number>();
  for (const [part, names] of Object.entries(parameters))
    for (const name of names)
      for (const value of harmful) {
        const given = new URLSearchParams(part === "ask" && name !== "url" ? { url: "http://web.example/" } : {});
        given.set(name, value);
        const { status, body } = await one.health(`/ui/api/v1/${part}?${given}`);
        expect([200, 400, 404], `${part} ${given}: ${body}`).toContain(status);
        if (status === 200) expect(JSON.parse(body)).toBeTypeOf("object");
        else expect(JSON.parse(body)).toEqual({ why: expect.stringMatching(/^[^\n\p{Cc}]{10,700}$/u) });
        seen.set(part, (seen.get(part) ?? 0) + Number(status === 400));
      }
  // A filter or a path may be any text; every other parameter has to be valid.
  for (const [part, wrong] of seen) expect([part, wrong > 0]).toEqual([part, true]);
  for (const path of ["/ui/api/v1/%00", "/ui/api/v1/routes/../../x", "/ui/%2e%2e/%2e%2e/etc/passwd", "/ui/api/v1/"])
    expect((await one.health(path)).status).toBe(404);
  expect(await one.answer("routes")).toMatchObject({ total: 2, rows: [{ host: "*" }, { host: "web.example" }] });
  expect((await one.health("/healthz")).status).toBe(200);
});

test("a pattern that JavaScript would apply for years is left to nginx, and the controller continues", async () => {
  const annotations = 'nginx.ingress.kubernetes.io/use-regex: "true"';
  const web = toWeb({ host: "web.example", path: "/(a+)+!", annotations });
  // In static mode nginx has no router that could answer.
  const one = await served({ files: { ...files, "web.yaml": web }, flags: ["--mode=static"] });
  const asked = await one.health(`/ui/api/v1/ask?url=http://web.example/${"a".repeat(200)}`);
  const { status, body } = asked;
  expect([status, JSON.parse(body)]).toMatchObject([200, { arrivals: [{ end: { kind: "unclear" } }] }]);
  expect((await one.answer("ask?url=http://web.example/aaa!")).arrivals).toHaveLength(1);
  expect((await one.health("/healthz")).status).toBe(200);
});

test("no key, password or snippet is in any answer, and a flag shows snippets", async () => {
  const word = (name: string) => `hunter2-${name}`;
  const ticketKey = Buffer.alloc(48, 7).toString("base64");
  const configMap = `apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: shop }
data:
  allow-snippet-annotations: "true"
  annotations-risk-level: Critical
  ssl-session-tickets: "true"
  ssl-session-ticket-key: ${ticketKey}
  global-auth-url: "http://${word("user")}:${word("password")}@auth.example/check?token=${word("query")}"
  http-snippet: "# ${word("operator")}"
`;
  const annotations = [
    `nginx.ingress.kubernetes.io/configuration-snippet: 'more_set_headers "X: ${word("snippet")}";'`,
    `nginx.ingress.kubernetes.io/auth-signin: "https://${word("user")}:${word("password")}@login.example/?t=${word("query")}"`,
    'nginx.ingress.kubernetes.io/proxy-body-size: "9m"',
  ].join(", ");
  const all = { ...files, "web.yaml": toWeb({ host: "web.example", annotations }), "settings.yaml": configMap };
  const paths = [
    "status",
    "routes",
    "problems",
    "certificates",
    "gateways",
    "shadow",
    "views",
    "route?host=web.example&path=/&owner=shop/web",
  ];
  const answers = async (flags: readonly string[]) => {
    const one = await served({ files: all, flags: ["--configmap=shop/settings", ...flags] });
    const texts = await Promise.all(paths.map(async (path) => JSON.stringify(await one.answer(path))));
    one.signal("SIGTERM");
    await one.ended;
    return texts.join("\n");
  };
  const closed = await answers([]);
  expect(closed).toContain("9m");
  expect(closed).toContain('{"key":"configuration-snippet","value":null');
  expect(closed).not.toMatch(/hunter2|PRIVATE KEY/);
  expect(closed).not.toContain(ticketKey);
  const open = await answers(["--ui-show-snippets"]);
  expect(open).toContain(word("snippet"));
  expect(open).toContain(word("operator"));
  for (const name of ["user", "password", "query"]) expect(open).not.toContain(word(name));
  expect(open).not.toContain(ticketKey);
});
