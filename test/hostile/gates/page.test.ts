/**
 * Attacks on the page of a running controller. Tenants write what the page shows, and users who may
 * forward a port read it. It must show no secret, and no request may block the event loop.
 */
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { gatewayClass, ports, serving, toWeb, webAt } from "../../nginx/support/serve.ts";

vi.setConfig({ testTimeout: 240_000 });

const word = (name: string) => `hunter2-${name}`;
const written = (annotations: Readonly<Record<string, string>>) =>
  Object.entries(annotations)
    .map(([key, text]) => `nginx.ingress.kubernetes.io/${key}: ${JSON.stringify(text)}`)
    .join(", ");

const asked = `http://192.0.2.77/check?token=${word("query")}`;
const refused = {
  "auth-url": `http://${word("user")}:${word("pass@word")}@192.0.2.77/check?token=${word("query")}`,
  "mirror-target": `http://192.0.2.78/x?t=${word("query")}`,
};
const taken = {
  ...{ "auth-url": asked, "mirror-target": `http://192.0.2.78/x?t=${word("query")}` },
  ...{ "auth-signin": `https://login.example/?t=${word("query")}`, "custom-headers": "shop/headers" },
  ...{ "auth-proxy-set-headers": "shop/headers", "configuration-snippet": `set $x ${word("snippet")};` },
};
const objects = `apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: shop }
data:
  allow-snippet-annotations: "true"
  annotations-risk-level: Critical
  global-allowed-response-headers: Authorization
  proxy-set-headers: shop/headers
---
apiVersion: v1
kind: ConfigMap
metadata: { name: headers, namespace: shop }
data: { Authorization: "Basic ${word("header")}" }
---
${gatewayClass}---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: gw, namespace: shop }
spec: { gatewayClassName: sluice, listeners: [{ name: http, port: 80, protocol: HTTP }] }
---
apiVersion: sluice.dev/v1alpha1
kind: RouteSettings
metadata: { name: settings, namespace: shop }
spec: { auth-url: "${asked}", configuration-snippet: "set $x ${word("snippet")};" }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: route, namespace: shop }
spec:
  parentRefs: [{ name: gw }]
  hostnames: [route.example]
  rules:
    - matches:
        - { path: { value: / }, headers: [{ name: X-Api-Key, value: ${word("condition")} }] }
        - { path: { value: /p } }
      filters:
        - type: RequestHeaderModifier
          requestHeaderModifier: { set: [{ name: Authorization, value: "Bearer ${word("filter")}" }] }
        - type: ExtensionRef
          extensionRef: { group: sluice.dev, kind: RouteSettings, name: settings }
      backendRefs: [{ name: web, port: 80 }]
`;

/** The search for URLs once took quadratic time for such a text: each letter may start a scheme. */
const long = "a".repeat(100_000);
const files = {
  "refused.yaml": toWeb({ name: "refused", host: "refused.example", annotations: written(refused) }),
  "taken.yaml": toWeb({ name: "taken", host: "taken.example", annotations: written(taken) }),
  "long.yaml": toWeb({ name: "long", host: "long.example", annotations: written({ "proxy-body-size": long }) }),
  "slow.yaml": toWeb({
    ...{ name: "slow", host: "slow.example", path: "/(a+)+b" },
    annotations: written({ "use-regex": "true" }),
  }).replaceAll("Prefix", "ImplementationSpecific"),
  "backends.yaml": webAt(21_931),
  "objects.yaml": objects,
};
const flags = ["--configmap=shop/settings", "--gateway-addresses=192.0.2.70"];

const owners = ["refused", "taken", "long", "slow"] as const;
const paths = [
  ...["status", "routes", "problems", "certificates", "gateways"],
  ...["taken", "long"].map((name) => `route?host=${name}.example&path=/&owner=shop/${name}`),
  ...owners.map((name) => `ask?url=http://${name}.example/`),
  "route?host=route.example&path=/p&owner=shop/route&listener=shop/gw/http",
  "ask?url=http://route.example/p",
  `ask?url=http://route.example/&header=X-Api-Key:${word("asked")}`,
];

/** A path that does not match the pattern of `slow.yaml`, which then backtracks almost forever. */
const slow = `http://slow.example/${"a".repeat(60)}`;

test.each(["dynamic", "static"])("in %s mode the page shows no secret, and no request blocks it", async (mode) => {
  const one = await serving({ files, flags: [...flags, `--mode=${mode}`] });
  onTestFinished(one.remove);
  for (const path of paths) {
    // nginx without Lua serves no Gateways.
    if (mode === "static" && path.startsWith("route?host=route.example")) continue;
    const { status, body } = await one.health(`/ui/api/v1/${path}`);
    expect.soft([path, status]).toEqual([path, 200]);
    expect.soft(body.match(/.{40}hunter2\S*/)?.[0], path).toBeUndefined();
  }
  const shown = await one.health("/ui/api/v1/ask?url=http://taken.example/");
  expect(shown.body).toContain("http://192.0.2.77/check?…");
  const { settings } = JSON.parse((await one.health("/ui/api/v1/route?host=long.example&path=/&owner=shop/long")).body);
  expect(settings[0].value).toMatch(/^a{500}…$/);

  expect((await one.health(`/ui/api/v1/ask?url=${slow}`)).status).toBe(200);
  expect(await one.health()).toMatchObject({ status: 200, body: "ok" });
});

test("no path leads to other files, and odd queries get an answer with a client error", async () => {
  const one = await serving({ files: { "web.yaml": toWeb({ host: "web.example" }), "backends.yaml": webAt(21_931) } });
  onTestFinished(one.remove);
  const odd = [
    ...["/ui/..%2f..%2fetc/passwd", "/ui/views/../../package.json", "/ui/%00", "/ui//"],
    ...["/ui/....//package.json", "/ui/tsconfig.json", "/ui/\\..\\package.json", "/ui/api/v1/__proto__", "/ui/views"],
    ...["/ui/api/v1/ask?url=a&method=GET%0d%0aX:1", "/ui/api/v1/ask?url=a&client=unix:"],
    ...["/ui/api/v1/ask?url=a&header=a:b%0d%0ac:d", "/ui/api/v1/ask?url="],
    ...["/ui/api/v1/route?host=__proto__&path=constructor", "/ui/api/v1/ask?header=a:b"],
  ];
  for (const path of odd) {
    const { status, body } = await sent(path);
    expect.soft([path, ["400", "404"].includes(status)]).toEqual([path, true]);
    expect.soft(body, path).not.toMatch(/root:|"devDependencies"|# HELP|\n\s+at /);
  }
  const tooMuch = [
    `/ui/api/v1/ask?url=http://web.example/&header=a:${"+".repeat(14_000)}x`,
    `/ui/api/v1/ask?url=http://web.example/&${Array.from({ length: 900 }, (_, at) => `header=a${at}:b`).join("&")}`,
    `/ui/api/v1/routes?filter=${"a+".repeat(7_000)}`,
    "/ui/api/v1/routes?sort=__proto__&order=desc&offset=-5&limit=1e9",
  ];
  for (const path of tooMuch) expect.soft((await sent(path)).status, path.slice(0, 60)).toBe("400");
  const unusual = ["/ui/api/v1/ask?url=http://[", "/ui/api/v1/ask?url=a/%00"];
  for (const path of unusual) expect.soft((await sent(path)).status, path).toBe("200");
  expect(await one.health()).toMatchObject({ status: 200, body: "ok" });
});

test("a page of another site gets no events and no answers, under any host name", async () => {
  const one = await serving({ files: { "web.yaml": toWeb({ host: "web.example" }), "backends.yaml": webAt(21_931) } });
  onTestFinished(one.remove);
  const parts = ["events", "ask?url=http://web.example/", "status", "routes", "shadow"];
  // After DNS rebinding the name of the other site resolves to 127.0.0.1, and the browser sends no
  // Origin.
  const strangers = [
    ...["evil.example", "evil.example:21254", "127.0.0.1.evil.example", "localhost.evil.example", "127.1", "[::]"],
    ...["localhost@evil.example", "localhost:80:80", "", "0.0.0.0", "2130706433", "localhost.", "[::ffff:127.0.0.1]"],
  ].map((host) => `Host: ${host}`);
  const others = [
    ...["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "X-Forwarded-For: 127.0.0.1", "Via: 1.1 a"],
    ...["Forwarded: for=127.0.0.1", "X-Forwarded-Proto: https", "X-Original-URI: /"],
  ].map((header) => `Host: localhost\r\n${header}`);
  for (const part of parts)
    for (const head of [...strangers, ...others]) {
      const { status, body } = await sent(`/ui/api/v1/${part}`, head);
      expect.soft([part, head, ["400", "403"].includes(status)]).toEqual([part, head, true]);
      expect.soft(body, head).not.toMatch(/web\.example|event:|connected/);
    }
  for (const origin of ["http://evil.example", "http://localhost.evil.example:80"]) {
    expect.soft((await sent(`${origin}/ui/api/v1/status`)).status, origin).toBe("403");
  }
  // A page may send this POST without a preflight. It changes nothing, and the page cannot read the
  // answer.
  const { status } = await sent("/ui/api/v1/events", "Host: localhost\r\nContent-Type: text/plain", "POST");
  expect(status).toBe("405");
  expect((await one.health("/ui/api/v1/status")).headers).not.toHaveProperty("access-control-allow-origin");
});

/** Sends the path byte for byte, because an HTTP client would change some of these paths. */
function sent(
  path: string,
  head = "Host: localhost",
  method = "GET",
): Promise<{ readonly status: string; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(ports.health, "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    socket.on("error", reject);
    socket.on("end", () => {
      const [head = "", ...rest] = text.split("\r\n\r\n");
      resolve({ status: head.split(" ")[1] ?? "", body: rest.join("\r\n\r\n") });
    });
    socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n`);
  });
}
