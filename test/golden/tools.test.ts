/**
 * Golden files of the tools on files: complete answers, as text and as JSON, beside the folders
 * that they are about.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { routesOf } from "../../src/ask/routes/routes.ts";
import { openOperatorSocket } from "../../src/ask/routes/socket.ts";
import { check } from "../../src/cli/check.ts";
import { convert } from "../../src/cli/convert.ts";
import { diff } from "../../src/cli/diff.ts";
import { render } from "../../src/cli/render.ts";
import { routes } from "../../src/cli/routes.ts";
import { why } from "../../src/cli/why.ts";
import { translateOptions } from "../../src/controller/flags/options.ts";
import { defaultFlags } from "../../src/controller/flags.ts";
import type { Problem } from "../../src/core/model/problem.ts";
import { translate } from "../../src/core/table/translator.ts";
import { emptyInputs } from "../../src/core/table/turn.ts";
import { OperatorToken } from "../../src/edges/operator-token.ts";
import { pathsOf } from "../../src/nginx/folder/paths.ts";
import { newLibrary, readFolder, unmadeCertificate } from "../../src/tools/folder.ts";
import { ingress } from "../support/ingress.ts";
import { ran, type Tool } from "./support/ran.ts";

const folder = (name: string) => fileURLToPath(new URL(`tools/${name}`, import.meta.url));
const onlyIf =
  "only if an IngressClass is its default one, or with --watch-ingress-without-class; set spec.ingressClassName";
const classless = `sluice check: 2 Ingresses name no class (shop/shop, shop/twin): a cluster serves them ${onlyIf}`;

test.each([
  ["check", check, [folder("broken")], classless],
  ["diff", diff, [folder("old"), folder("new")], ""],
] as const)("the output of %s about mistakes is that of the golden files", async (name, tool, folders, note) => {
  const text = await ran(tool, ...folders);
  const json = await ran(tool, ...folders, "-o", "json");
  await expect(text.text).toMatchFileSnapshot(folder(`${name}.txt`));
  await expect(json.text).toMatchFileSnapshot(folder(`${name}.json`));
  expect([text.code, json.code, text.failure, json.failure]).toEqual([1, 1, note, note]);
});

test("mistakes in YAML are explained by their cause, with the lines around them", async () => {
  const warned = vi.spyOn(process, "emitWarning");
  const { text, failure } = await ran(check, folder("mistakes"));
  await expect(text).toMatchFileSnapshot(folder("mistakes.txt"));
  expect([failure, warned.mock.calls]).toEqual(["", []]);
  expect(text).not.toContain("abcd");
});

test("patches of a kustomization are left out with a note, and others are said to look like patches", async () => {
  const notes: string[] = [];
  let text = "";
  await check([folder("patches")], { write: (more) => (text += more), fail: (note) => notes.push(note) });
  await expect(text).toMatchFileSnapshot(folder("patches.txt"));
  expect(notes).toEqual([
    `sluice check: overlay/kustomization.yaml is not built here, so the effect of its namespace and patches is not seen, and 2 files of patches are left out (overlay/size.yaml and overlay/host.yaml); pipe kubectl kustomize ${folder("patches")}/overlay into this command`,
    "sluice check: 2 files are not Kubernetes objects, and left out: dashboard.json, values.yaml",
    `sluice check: 1 Ingress names no class (shop/web): a cluster serves it ${onlyIf}`,
  ]);
});

test("annotations on objects that have no use for them are named with where they belong", async () => {
  const { text, failure } = await ran(check, folder("misplaced"));
  await expect(text).toMatchFileSnapshot(folder("misplaced.txt"));
  expect(failure).toBe(`sluice check: 1 Ingress names no class (default/web): a cluster serves it ${onlyIf}`);
});

test("mistakes of ListenerSets are reported, and the served ones have routes", async () => {
  const tool: Tool = (argv, out) => routes(argv, out, new Date("2026-11-21T12:00:00Z"));
  const [checked, served] = [await ran(check, folder("listener-sets")), await ran(tool, folder("listener-sets"))];
  await expect(`${checked.text}\n${served.text}`).toMatchFileSnapshot(folder("listener-sets.txt"));
  const left = "ListenerSet shop/wrong has a mistake and is left out; sluice check says what is wrong";
  expect([checked.code, checked.failure, served.failure]).toEqual([1, "", `sluice routes: ${left}`]);
});

const shop = fileURLToPath(new URL("../../examples/shop", import.meta.url));

test.each([
  [["-n", "shopp"], "no Ingress is in namespace shopp (did you mean shop?)"],
  [["--ingress", "dox", "-nshop"], "no Ingress is called dox; there is api, docs, shop"],
  [["--ingress=other/docs"], "no Ingress is called other/docs; there is shop/api, shop/docs, shop/shop"],
  [["--host", "shp.localhost"], "no Ingress has the host shp.localhost (did you mean shop.localhost?)"],
])("where no object fits %j, routes and check name those that exist", async (words, hint) => {
  const tool: Tool = (argv, out) => routes(argv, out, new Date("2026-11-21T12:00:00Z"));
  expect(await ran(tool, shop, ...words)).toEqual({ code: 0, text: "", failure: `sluice routes: ${hint}` });
  expect((await ran(check, shop, ...words)).failure).toBe(`sluice check: ${hint}`);
});

test("routes and check print only what the arguments select", async () => {
  const tool: Tool = (argv, out) => routes(argv, out, new Date("2026-11-21T12:00:00Z"));
  const routesOf = async (...words: string[]) =>
    JSON.parse((await ran(tool, shop, "-o", "json", ...words)).text).map((one: { ingress: string }) => one.ingress);
  expect(await routesOf("--ingress", "docs")).toEqual(["shop/docs"]);
  expect(await routesOf("--ingress", "shop/api", "-n", "shop")).toEqual(["shop/api"]);
  expect(await routesOf("--host", "STATUS.localhost")).toEqual(["shop/shop", "shop/shop"]);
  const about = async (...words: string[]) =>
    JSON.parse((await ran(check, folder("broken"), "-o", "json", ...words)).text).problems;
  const [first] = (await about()).filter((one: { object: { kind: string } }) => one.object.kind === "Ingress");
  const { namespace, name } = first.object;
  const own = await about("-n", namespace, "--ingress", name);
  expect(own).toContainEqual(first);
  const others = own.filter(({ object }: { object: { kind: string } }) => object.kind !== "File");
  for (const { object } of others) expect(object).toMatchObject({ kind: "Ingress", namespace, name });
});

test("routes of a running controller name the last good forms in use, with their beginning and end", async () => {
  const runFolder = mkdtempSync(join(tmpdir(), "sluice-run-"));
  const { routesSocket, token } = pathsOf(runFolder);
  mkdirSync(dirname(routesSocket), { recursive: true });
  const operator = new OperatorToken();
  writeFileSync(token, operator.text);
  const library = newLibrary(defaultFlags("serve"));
  const read = readFolder(shop);
  if (!read.ok) throw new Error(read.why);
  library.change(read.files);
  const { snapshot } = library;
  const options = translateOptions(defaultFlags("serve"), "serve", undefined);
  const { configuration } = translate({ ...emptyInputs, snapshot }, options, unmadeCertificate);
  const kept = (kind: string, name: string, until: string): Problem => {
    const object = { kind, namespace: "shop", name };
    return {
      object,
      kind: "last-good",
      what: "the new one is broken",
      instead: "the last one is served",
      since: "2026-01-01 12:00 UTC",
      until,
    };
  };
  const lastGood = [
    kept("Secret", "docs-tls", "and it expires on 2046-11-16"),
    kept("Ingress", "api", "until it is mended"),
  ];
  const close = await openOperatorSocket(routesSocket, operator, {
    "/routes": (query) => routesOf(configuration, snapshot, query.get("host") ?? undefined, lastGood),
  });
  try {
    const tool: Tool = (argv, out) => routes(argv, out, new Date("2026-11-21T12:00:00Z"));
    const { text } = await ran(tool, "--run-folder", runFolder);
    const notice = "the new one is broken; the last one is served, since 2026-01-01 12:00 UTC or longer";
    const lines = text.split("\n");
    const after = (path: string) => lines[lines.findIndex((line) => line.startsWith(path)) + 1];
    expect(after("docs.localhost/ ")).toBe(
      `  not in force: Secret shop/docs-tls: ${notice}, and it expires on 2046-11-16`,
    );
    expect(after("shop.localhost/api")).toBe(`  not in force: Ingress shop/api: ${notice}, until it is mended`);
    expect(lines.filter((line) => line.includes("not in force"))).toHaveLength(2);
    expect((await ran(tool, "--run-folder", runFolder, "--ingress", "dcs")).failure).toContain("did you mean docs?");
  } finally {
    await close();
    rmSync(runFolder, { recursive: true });
  }
});

test("class and flags are those of the controller's Deployment, where the files contain one", async () => {
  const own = mkdtempSync(join(tmpdir(), "sluice-deployment-"));
  const container = {
    name: "controller",
    image: "registry.k8s.io/ingress-nginx/controller:v1.15.1",
    args: ["/nginx-ingress-controller", "--ingress-class=edge", "--controller-class=example.com/edge"],
  };
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "edge", namespace: "edge" },
    spec: { selector: {}, template: { metadata: {}, spec: { containers: [container] } } },
  };
  const ingressClass = {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: "edge" },
    spec: { controller: "example.com/edge" },
  };
  const inClass = (name: string, ingressClass: string) =>
    ingress({ name, namespace: "shop", ingressClass, spec: { rules: [{ host: `${name}.example` }] } });
  const objects = [deployment, ingressClass, inClass("in", "edge"), inClass("out", "nginx")];
  writeFileSync(join(own, "all.yaml"), objects.map((one) => JSON.stringify(one)).join("\n---\n"));
  const tool: Tool = (argv, out) => routes(argv, out, new Date("2026-11-21T12:00:00Z"));
  const notice = "class and flags are those of Deployment edge/edge";
  expect(await ran(tool, own, "--ingress", "out")).toMatchObject({
    text: "",
    failure:
      "sluice routes: 1 Ingress is not served here, and left out: shop/out (its class is nginx, and edge is served)",
  });
  expect((await ran(tool, own, "--ingress", "in")).failure).toContain(notice);
  expect((await ran(check, own)).failure).toContain(notice);
  rmSync(own, { recursive: true });
});

test("check, routes and convert name what they leave out, with the reason", async () => {
  const own = mkdtempSync(join(tmpdir(), "sluice-left-out-"));
  const about = async (tool: Tool, ...words: string[]) => {
    const printed: string[] = [];
    await tool([own, ...words], { write: () => {}, fail: (sentence) => void printed.push(sentence) });
    return printed.map((sentence) => sentence.replaceAll(own, "FOLDER"));
  };
  const listed: Tool = (argv, out) => routes(argv, out, new Date("2026-11-21T12:00:00Z"));
  const converted: Tool = (argv, out) => convert(argv, out);
  const spec = { defaultBackend: { service: { name: "web", port: { number: 80 } } } };
  const written = (name: string, ingressClass: string | undefined) =>
    JSON.stringify(ingress({ name, namespace: "shop", ...(ingressClass && { ingressClass }), spec }));
  const broken = ingress({
    name: "broken",
    namespace: "shop",
    annotations: { "proxy-read-timeout": "9s" },
    spec: { rules: [{ host: "Shop.example" }] },
  });
  try {
    expect(await about(check)).toEqual(["sluice check: FOLDER has no YAML or JSON file, so there is nothing to check"]);
    writeFileSync(join(own, "a.yaml"), [written("web", "internal"), JSON.stringify(broken)].join("\n---\n"));
    writeFileSync(join(own, "torn.yaml"), "a: [");
    const left = "1 Ingress is not served here, and left out: shop/web (its class is internal, and nginx is served)";
    const unread = "Ingress shop/broken, torn.yaml have mistakes and are left out; sluice check says what is wrong";
    expect(await about(check)).toEqual([`sluice check: ${left}`]);
    expect(await about(listed)).toEqual([`sluice routes: ${left}`, `sluice routes: ${unread}`]);
    const [report = ""] = await about(converted);
    expect(report.split("\n").slice(-3)).toEqual([
      `note: ${unread}`,
      `note: ${left}`,
      "sluice convert: FOLDER has no Ingress that is served, so there is nothing to convert",
    ]);
    const asked = await ran((argv, out) => why(["http://shop.example/", ...argv], out, new Date(0)), own);
    expect(asked.text).toContain(
      'to change:   Ingress shop/broken names this host; correct it (a.yaml:3): spec.rules[0].host: "Shop.example" has capital letters; write "shop.example"; it is not applied\n',
    );
    expect(asked.text).not.toContain("add a rule");
    expect(asked.failure).toBe("sluice why: torn.yaml has a mistake and is left out; sluice check says what is wrong");
  } finally {
    rmSync(own, { recursive: true });
  }
});

test("tools read what a shell passes as a pipe with a name, and refuse one that is empty", async () => {
  const own = mkdtempSync(join(tmpdir(), "sluice-pipe-"));
  const pipe = join(own, "pipe");
  try {
    execFileSync("mkfifo", [pipe]);
    const writer = spawn("sh", ["-c", 'cat "$0" > "$1"', folder("why-mistakes/all.yaml"), pipe]);
    const found = await ran(check, pipe);
    expect(found.text).toContain(`${pipe}:88:`);
    if (writer.exitCode === null) await once(writer, "exit");
    const listed: Tool = (argv, out) => routes(argv, out, new Date(0));
    for (const tool of [check, listed]) {
      const empty = await ran(tool, "/dev/null");
      expect(empty).toMatchObject({ code: 2, text: "" });
      expect(empty.failure).toMatch(/: \/dev\/null is empty; did the command that writes it fail\?$/);
    }
  } finally {
    rmSync(own, { recursive: true });
  }
});

test("check and routes name the Gateways that they leave out because of an unknown or foreign class", async () => {
  const own = mkdtempSync(join(tmpdir(), "sluice-gateways-left-out-"));
  const failure = async (tool: Tool, ...words: string[]) => (await ran(tool, own, ...words)).failure;
  const listed: Tool = (argv, out) => routes(argv, out, new Date("2026-11-21T12:00:00Z"));
  const apiVersion = "gateway.networking.k8s.io/v1";
  const gatewayOf = (name: string, gatewayClassName: string) => ({
    apiVersion,
    kind: "Gateway",
    metadata: { name, namespace: "shop" },
    spec: { gatewayClassName, listeners: [{ name: "http", port: 8000, protocol: "HTTP" }] },
  });
  const classOf = (name: string, controllerName: string) => ({
    apiVersion,
    kind: "GatewayClass",
    metadata: { name },
    spec: { controllerName },
  });
  const write = (...objects: object[]) =>
    writeFileSync(join(own, "all.yaml"), objects.map((one) => JSON.stringify(one)).join("\n---\n"));
  try {
    write(gatewayOf("public", "sluice"));
    const left = "1 Gateway is not served here, and left out: shop/public (its GatewayClass sluice is in no file)";
    expect(await failure(check)).toBe(`sluice check: ${left}`);
    expect(await failure(listed)).toBe(`sluice routes: ${left}`);
    const printed: string[] = [];
    await check([own, "-n", "shop"], { write: () => {}, fail: (sentence) => void printed.push(sentence) });
    expect(printed).toContain(`sluice check: ${left}`);
    printed.length = 0;
    await check([own, "-n", "other"], { write: () => {}, fail: (sentence) => void printed.push(sentence) });
    expect(printed).not.toContain(`sluice check: ${left}`);
    const ours = classOf("sluice", "sluice.dev/gateway-controller");
    write(gatewayOf("public", "sluice"), gatewayOf("mesh", "istio"), ours, classOf("istio", "istio.io/gateway"));
    expect(await failure(check)).toBe(
      "sluice check: 1 Gateway is not served here, and left out: shop/mesh (its GatewayClass istio has the controller istio.io/gateway)",
    );
    write(gatewayOf("public", "sluice"), ours);
    expect(await failure(check)).toBe("");
  } finally {
    rmSync(own, { recursive: true });
  }
});

test("why names the listener and route of a Gateway that take a request, and the reason why others do not", async () => {
  const tool: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
  const asked = [
    ["http://www.shop.example/cart/x?page=1", "-H", "X-Team: a"],
    ["http://www.shop.example/cart/x", "-X", "POST"],
    ["http://www.shop.example/old/a?b=c"],
    ["http://www.shop.example/none"],
    ["http://own.shop.example/"],
    ["http://other.example/"],
    ["https://www.shop.example/cart", "-H", "Host: pay.shop.example"],
    ["http://api.example:8000/"],
    ["http://www.shop.example:8000/"],
    ["http://guarded.shop.example/"],
    ["http://guard.shop.example/"],
    ["http://api.example:8000/cart/x", "-X", "POST"],
    ["http://api.example:8000/none"],
  ];
  const all = await Promise.all(asked.map(([url = "", ...more]) => ran(tool, url, folder("gateways"), ...more)));
  await expect(all.map(({ text }) => text).join("\n")).toMatchFileSnapshot(folder("why-gateways.txt"));
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1]);
  const json = JSON.parse((await ran(tool, asked[0]![0]!, folder("gateways"), "-o", "json")).text);
  expect(json.arrivals).toMatchObject([
    { listener: { gateway: "shop/public" }, route: { owner: { name: "web" } }, lost: [{ why: expect.any(String) }] },
  ]);
});

test("why names each mistake of an object that has the host or port, with its place", async () => {
  const tool: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
  const asked = [
    "http://www.shop.example/",
    "http://a.shops.example/",
    "http://loose.example:8000/",
    "http://other.example/",
    "http://items.example/",
    "https://vault.example/",
    "tls://vault.example:9443",
    "tcp://db.example:5432",
    "udp://dns.example:53",
    "tcp://mail.example:2525",
    "http://docs.example/",
    "http://wiki.example/",
    "http://trial.example/",
    "http://nobody.example/",
  ];
  const flags = ["--http-port=8080", "--https-port=8443"];
  const all = await Promise.all(asked.map((url) => ran(tool, url, folder("why-mistakes"), ...flags)));
  const changes = all.map(({ text }) => text.split("\n").filter((line, at) => at === 0 || line.includes("to change:")));
  await expect(`${changes.flat().join("\n")}\n`).toMatchFileSnapshot(folder("why-mistakes.txt"));
  expect(all.map(({ code }) => code)).toEqual(asked.map(() => 1));
  const json = JSON.parse((await ran(tool, asked[2]!, folder("why-mistakes"), "-o", "json")).text);
  expect(json.arrivals.map((one: { readonly changes: readonly string[] }) => one.changes)).toEqual([
    [
      "HTTPRoute shop/loose names this host; correct it (all.yaml:39): spec.parentRefs[0]: Gateway shop/public has no listener named htpp (did you mean http?); the route is not attached there",
    ],
  ]);
});

const streamFlags = [
  ...["--tcp-services-configmap=own/tcp", "--udp-services-configmap=own/udp", "--enable-ssl-passthrough"],
  ...["--http-port=8080", "--https-port=8443"],
];

test("why traces a connection or a datagram, and routes lists every stream", async () => {
  const now = new Date("2026-11-21T12:00:00Z");
  const tool: Tool = (argv, out) => why(argv, out, now);
  const asked = [
    ["tcp://db.example:5432", 0],
    ["db.example:5432", 0],
    ["tcp://db.example:5433", 1],
    ["udp://192.0.2.1:53", 0],
    ["tls://a.vault.example:9443", 0],
    ["https://a.vault.example:9443/secret", 0],
    ["tls://idle.vault.example:9443", 1],
    ["tls://redis.example:9443", 1],
    ["tls://other.example:9443", 1],
    ["tcp://mail.example:2525", 0],
    ["udp://mail.example:2525", 1],
    ["tcp://mail.example:9999", 1],
    ["udp://names.example:5353", 0],
    ["tls://pay.example", 0],
    ["https://pay.example/cart", 0],
    ["http://pay.example/cart", 0],
  ] as const;
  const all = await Promise.all(asked.map(([url]) => ran(tool, url, folder("streams"), ...streamFlags)));
  await expect(all.map(({ text }) => text).join("\n")).toMatchFileSnapshot(folder("why-streams.txt"));
  expect(all.map(({ code }) => code)).toEqual(asked.map(([, code]) => code));
  expect(await ran(tool, "tcp://db.example", folder("streams"))).toMatchObject({
    code: 2,
    failure: expect.stringContaining('"tcp://db.example" is not a stream such as tcp://db.example.com:5432'),
  });
  const json = JSON.parse((await ran(tool, "tls://pay.example", folder("streams"), ...streamFlags, "-o", "json")).text);
  expect(json.arrivals).toMatchObject([
    { stream: "tls", route: { owner: { name: "pay" } }, backends: [{ service: "shop/pay", port: "443", share: 1 }] },
  ]);
  const listed = await ran((argv, out) => routes(argv, out, now), folder("streams"), ...streamFlags);
  await expect(listed.text).toMatchFileSnapshot(folder("routes-streams.txt"));
});

test("why says that a name which no TLS listener of a port has is closed there, with the names that they have", async () => {
  const tool: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
  const asked = [
    ...["tls://other.example:443", "https://other.example/", "tls://192.0.2.10:443", "tls://a.db.example:443"],
    ...["https://web.example/", "http://other.example/"],
  ];
  const flags = ["--gateway-addresses=192.0.2.10", "--http-port=8080", "--https-port=8443"];
  const all = await Promise.all(asked.map((url) => ran(tool, url, folder("closed"), ...flags)));
  await expect(all.map(({ text }) => text).join("\n")).toMatchFileSnapshot(folder("why-closed.txt"));
});

test("why explains a request step by step, with the change that would alter the answer", async () => {
  const tool: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
  const urls = [
    "https://docs.localhost/x",
    "http://shop.localhost/api/items",
    "http://shopp.localhost/",
    "http://status.localhost/status/x",
    "http://docs.localhost/",
    "http://shop.localhost:8081/",
    "http://shop.localhost:443/",
    "https://shop.localhost:8080/",
  ];
  const all = await Promise.all(urls.map((url) => ran(tool, url, shop)));
  await expect(all.map(({ text }) => text).join("\n")).toMatchFileSnapshot(folder("why.txt"));
  expect(all.map(({ code }) => code)).toEqual([0, 0, 1, 1, 0, 0, 1, 1]);
  const secret = "Authorization: Bearer abcdefgh";
  const json = await ran(tool, urls[1]!, shop, "-o", "json", "-H", secret);
  await expect(json.text).toMatchFileSnapshot(folder("why.json"));
  expect(json.text).not.toContain("abcdefgh");
  expect(await ran(tool, "ftp://x", shop)).toMatchObject({ code: 2 });
});

test("why and check name objects that are missing or defined twice, and no others", async () => {
  const flag = "--configmap=ingress-nginx/ingress-nginx-controller";
  const tool: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
  const urls = ["https://reading.example/x", "https://lending.example/", "http://twice.example/lists"];
  const all = await Promise.all(urls.map((url) => ran(tool, url, folder("missing"), flag)));
  const checked = await ran(check, folder("missing"), flag);
  await expect([...all, checked].map(({ text }) => text).join("\n")).toMatchFileSnapshot(folder("missing.txt"));
  expect([...all, checked].map(({ code }) => code)).toEqual([1, 1, 0, 1]);
});

test("routes lists the paths of hosts, and accepts a host as a filter", async () => {
  const noon = new Date("2026-11-21T12:00:00Z");
  const tool: Tool = (argv, out) => routes(argv, out, noon);
  const text = await ran(tool, folder("routes"));
  const json = await ran(tool, folder("routes"), "-o", "json");
  await expect(text.text).toMatchFileSnapshot(folder("routes.txt"));
  await expect(json.text).toMatchFileSnapshot(folder("routes.json"));
  expect([text.code, json.code]).toEqual([0, 0]);
  const some = async (host: string) =>
    JSON.parse((await ran(tool, folder("routes"), "--host", host, "-o", "json")).text).map(
      (one: { readonly host: string }) => one.host,
    );
  expect(await some("Shop.example")).toEqual(["shop.example", "shop.example"]);
  expect(await some("a.teams.example")).toEqual(["*.teams.example", "*.teams.example"]);
  expect(await some("a.b.teams.example")).toEqual([]);
  expect(await ran(tool, "--run-folder", "/nowhere")).toMatchObject({
    code: 2,
    failure: expect.stringContaining("sluice routes: no controller answers at /nowhere/sockets/routes.sock"),
  });
});

test("routes names certificates with the date of their expiry", async () => {
  const tool: Tool = (argv, out) => routes(argv, out, new Date("2026-11-21T12:00:00Z"), true);
  const { text } = await ran(tool, fileURLToPath(new URL("../../examples/shop", import.meta.url)));
  expect(text).toMatch(/docs\.localhost\/ .* shop\/docs-tls until \d{4}-\d\d-\d\d/);
});

/** Other golden cases have the full text of nginx.conf and of the records. */
test("render prints nginx.conf and the records, also as JSON", async () => {
  const json = JSON.parse((await ran(render, "--output=json", folder("old"))).text);
  const { text } = await ran(render, folder("old"));
  expect(text.startsWith(json.conf)).toBe(true);
  const keys = ["host _", "host a.example", "host b.example", "pair default", "upstream shop/web/80"];
  expect(Object.keys(json.records)).toEqual(expect.arrayContaining(keys));
  for (const [key, record] of Object.entries(json.records)) {
    expect(text).toContain(`#   ${JSON.stringify(key)}: ${JSON.stringify(record)}\n`);
  }
  expect((await ran(render, "--mode=static", folder("old"))).text).not.toContain("Records in shared memory");
});

test("folders without mistakes cause no output, and unchanged ones no cost", async () => {
  const shop = fileURLToPath(new URL("../../examples/shop", import.meta.url));
  expect(await ran(check, shop)).toEqual({ code: 0, text: "no errors and no warnings in 4 files\n", failure: "" });
  expect(await ran(diff, shop, shop)).toEqual({ code: 0, text: "nginx has nothing to do\n", failure: "" });
});

test("why asks for the file of a Secret or Service if the files have no object of that kind", async () => {
  const place = mkdtempSync(join(tmpdir(), "sluice-why-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const ingressAt = (host: string, annotations: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${host}, namespace: shop, annotations: { ${annotations} } }
spec:
  ingressClassName: nginx
  defaultBackend: { service: { name: web, port: { number: 80 } } }
  rules: [{ host: ${host} }]
---
`;
  const guard = "nginx.ingress.kubernetes.io/auth-type: basic, nginx.ingress.kubernetes.io/auth-secret: users";
  writeFileSync(join(place, "all.yaml"), ingressAt("open.example", "") + ingressAt("guarded.example", guard));
  const tool: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
  const answers = await Promise.all(
    ["http://open.example/", "http://guarded.example/"].map((url) => ran(tool, url, place)),
  );
  expect(answers.map(({ text }) => /to change: +(.*)/.exec(text)?.[1])).toEqual([
    "Service shop/web is not here, and neither is any other: add the file that has it, or create it",
    "Secret shop/users is not here, and neither is any other: add the file that has it, or create it",
  ]);
});

test("why says how the class of an Ingress would be served that no IngressClass has", async () => {
  const place = mkdtempSync(join(tmpdir(), "sluice-why-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const ingressAt = (host: string, annotations: string, spec: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${host}, namespace: shop, annotations: { ${annotations} } }
spec: { ${spec}rules: [{ host: ${host} }], defaultBackend: { service: { name: web, port: { number: 80 } } } }
---
`;
  writeFileSync(
    join(place, "all.yaml"),
    ingressAt("noted.example", "kubernetes.io/ingress.class: private", "") +
      ingressAt("named.example", "", "ingressClassName: private, "),
  );
  const tool: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
  const changes = async (host: string, ...words: readonly string[]) =>
    /to change: +(.*)/.exec((await ran(tool, `http://${host}/`, place, ...words)).text)?.[1];
  const isOther = "has this host, and is not served here: its class is private; write ingressClassName: nginx";
  expect(await changes("noted.example")).toBe(
    `Ingress shop/noted.example ${isOther}, or serve the class with --ingress-class=private`,
  );
  expect(await changes("named.example")).toBe(
    `Ingress shop/named.example ${isOther}, or add an IngressClass private with the controller k8s.io/ingress-nginx`,
  );
  expect(await changes("noted.example", "--ingress-class=private")).toMatch(/^Service shop\/web/);
});

test("why names the mistake of an Ingress without a host that serves nothing, and routes says that snippets are not tested", async () => {
  const place = mkdtempSync(join(tmpdir(), "sluice-why-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const backend = "{ service: { name: web, port: { number: 80 } } }";
  const ingressOf = (name: string, host: string, annotations: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name}, namespace: shop, annotations: { ${annotations} } }
spec: { ingressClassName: nginx, rules: [{ ${host}http: { paths: [{ path: /a, pathType: Prefix, backend: ${backend} }] } }] }
---
`;
  const settings = `apiVersion: v1
kind: ConfigMap
metadata: { name: ingress-nginx-controller, namespace: ingress-nginx }
data: { allow-snippet-annotations: "true", annotations-risk-level: Critical }
---
`;
  const own = "nginx.ingress.kubernetes.io";
  writeFileSync(
    join(place, "all.yaml"),
    settings +
      ingressOf("green", "", `${own}/canary: "true"`) +
      ingressOf("old", "host: old.example, ", `${own}/configuration-snippet: "location ~ ^/b { return 404; }"`),
  );
  const asked: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
  const { text } = await ran(asked, "http://a.example/a", place);
  expect([...text.matchAll(/to change: +(.*)/g)].map(([, change]) => change)).toEqual([
    expect.stringMatching(
      /^Ingress shop\/green takes all hosts; correct it \(all\.yaml:9\): .*the canary gets no requests/,
    ),
  ]);
  const listed: Tool = (argv, out) => routes(argv, out, new Date("2026-11-21T12:00:00Z"));
  expect((await ran(listed, place)).failure).toBe("sluice routes: 1 snippet was not tested: /no/nginx was not found");
});

test("why finds an Ingress of another class that takes the host by a wildcard, or all hosts", async () => {
  const place = mkdtempSync(join(tmpdir(), "sluice-why-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const backend = "{ service: { name: web, port: { number: 80 } } }";
  const ingressOf = (name: string, host: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name}, namespace: shop }
spec: { ingressClassName: private, rules: [{ ${host}http: { paths: [{ path: /, pathType: Prefix, backend: ${backend} }] } }] }
---
`;
  writeFileSync(join(place, "all.yaml"), ingressOf("all", "") + ingressOf("wild", "host: '*.wild.example', "));
  const tool: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
  const changes = async (host: string) =>
    [...(await ran(tool, `http://${host}/`, place)).text.matchAll(/to change: +(.*?); /g)].map(([, text]) => text);
  const isOther = "and is not served here: its class is private";
  const takesAll = `Ingress shop/all takes all hosts, ${isOther}`;
  expect(await changes("a.example")).toEqual([takesAll]);
  expect(await changes("a.wild.example")).toEqual([
    takesAll,
    `Ingress shop/wild has *.wild.example, which takes this host, ${isOther}`,
  ]);
});

test("why names the paths of rules without a host, and speaks of no missing host where one takes the request", async () => {
  const place = mkdtempSync(join(tmpdir(), "sluice-why-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const backend = "{ service: { name: web, port: { number: 80 } } }";
  const path = `{ path: /app, pathType: Prefix, backend: ${backend} }`;
  writeFileSync(
    join(place, "all.yaml"),
    `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop }
spec: { ingressClassName: nginx, rules: [{ http: { paths: [${path}, ${path.replace("/app", "/docs/")}] } }] }
`,
  );
  const tool: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
  const changes = async (uri: string) =>
    [...(await ran(tool, `http://a.example${uri}`, place)).text.matchAll(/to change: +(.*)/g)].map(([, text]) => text);
  expect(await changes("/other")).toEqual([
    "no path of the rules without a host takes /other; they have /docs/ (prefix, Ingress shop/web), /app (prefix, Ingress shop/web)",
    "no Ingress has the host a.example; add a rule for it",
  ]);
  expect(await changes("/app")).toEqual([expect.stringMatching(/^Service shop\/web is not here/)]);
});

test("a misspelt class is named beside another mistake of the Ingress", async () => {
  const place = mkdtempSync(join(tmpdir(), "sluice-check-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  writeFileSync(
    join(place, "old.yaml"),
    `apiVersion: extensions/v1beta1
kind: Ingress
metadata:
  name: web
  annotations:
    kubernets.io/ingress.class: nginx
    nginx.ingress.kubernetes.io/auth-realm: not said here since the object may be a patch
spec: { backend: { serviceName: web, servicePort: 80 } }
`,
  );
  const { text } = await ran(check, place);
  expect(text.split("\n").slice(1)).toEqual([
    "old.yaml:6:5: warning: Ingress default/web: annotation kubernets.io/ingress.class has no effect: the class is read from kubernetes.io/ingress.class",
    "1 error and 1 warning in 1 file",
    "",
  ]);
});

test("Secrets and Services in other folders are not reported as missing", async () => {
  const copy = mkdtempSync(join(tmpdir(), "sluice-tools-"));
  cpSync(folder("broken/shop.yaml"), join(copy, "shop.yaml"));
  const { text } = await ran(check, copy);
  expect(text).not.toContain("not found");
  expect(text).toContain("proxy-raed-timeout");
  rmSync(copy, { recursive: true });
});

test("Secrets and Services of Gateways and routes are reported as missing only where others of their kind are given", async () => {
  const copy = mkdtempSync(join(tmpdir(), "sluice-tools-"));
  const findings = async () => {
    const { text } = await ran(check, copy, "-o", "json");
    return JSON.parse(text).problems.map((one: { sentence: string }) => one.sentence);
  };
  try {
    cpSync(folder("elsewhere/gateways.yaml"), join(copy, "gateways.yaml"));
    expect(await findings()).toEqual([]);
    cpSync(folder("elsewhere/others.yaml"), join(copy, "others.yaml"));
    expect(await findings()).toEqual([
      "spec.tls.frontend.default.validation.caCertificateRefs: give no certificate of an authority; the listener is not served",
      "spec.tls.frontend.default.validation.caCertificateRefs[0]: ConfigMap shop/clients not found; no client is let in by it",
      "spec.tls.backend.clientCertificateRef: Secret shop/own not found; backends are not shown a client certificate",
      "spec.listeners[0].tls.certificateRefs[0]: Secret shop/pair not found; it is not served",
      "spec.parentRefs: ListenerSet shop/more not found; the route is not attached there",
      "spec.rules[0].filters[0].requestMirror.backendRef: Service shop/copy not found; it gets no copies of requests",
      "spec.rules[0].backendRefs[0]: Service shop/web not found; its share of the requests gets 500",
      "spec.rules[0].backendRefs[0]: Service shop/items not found; its share of the requests gets 503",
      "spec.rules[0].backendRefs[0]: Service shop/db not found; its share of the connections is refused",
      "spec.targetRefs[0]: Service shop/web not found; the policy is not followed there",
      "spec.validation.caCertificateRefs: gives no certificate of an authority; requests to its targets get 500",
      "spec.validation.caCertificateRefs[0]: ConfigMap shop/authorities not found; no certificate is trusted by it",
    ]);
    const others = readFileSync(folder("elsewhere/others.yaml"), "utf8");
    const services = others.replaceAll("name: other,", "name: web,").split("---\n").slice(0, 1);
    writeFileSync(join(copy, "others.yaml"), services.join("---\n"));
    expect(await findings()).toEqual([
      "spec.rules[0].filters[0].requestMirror.backendRef: Service shop/copy not found; it gets no copies of requests",
      "spec.rules[0].backendRefs[0]: Service shop/items not found; its share of the requests gets 503",
      "spec.rules[0].backendRefs[0]: Service shop/db not found; its share of the connections is refused",
    ]);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test("no key and no password is printed", async () => {
  const copy = mkdtempSync(join(tmpdir(), "sluice-tools-"));
  const docs = readFileSync(fileURLToPath(new URL("../../examples/shop/docs.yaml", import.meta.url)), "utf8");
  writeFileSync(join(copy, "docs.yaml"), docs);
  const [, key] = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+(\S{20})/.exec(docs) ?? [];
  expect(key).toHaveLength(20);
  for (const output of ["text", "json"]) {
    const { text } = await ran(render, copy, "-o", output);
    expect(text).toContain("docs-tls");
    expect(text).not.toContain(key);
    expect(text).not.toContain("PRIVATE KEY");
  }
  rmSync(copy, { recursive: true });
});

test("mistakes in the command line are one sentence and exit code 2", async () => {
  expect(await ran(check)).toMatchObject({ code: 2, failure: "sluice check: it takes a folder, and here is none" });
  expect(await ran(diff, "a")).toMatchObject({
    code: 2,
    failure: "sluice diff: it takes an old folder and a new one, and here is a",
  });
  expect(await ran(check, "/nowhere")).toMatchObject({
    code: 2,
    failure: expect.stringContaining("there is no folder or file /nowhere"),
  });
  expect(await ran(check, folder("broken"), "-o", "xml")).toMatchObject({
    code: 2,
    failure: expect.stringContaining('"xml"'),
  });
  expect(await ran(render, "--no-such", folder("old"))).toMatchObject({ code: 2 });
  expect(await ran(render, "--template-dir=/nowhere", folder("old"))).toMatchObject({
    code: 2,
    failure: "sluice render: the template in /nowhere cannot be read: it does not exist",
  });
  expect((await ran(check, "--help")).text).toMatch(/^Usage: sluice check/);
});

test.each([
  ["the catch-all", "other.example"],
  ["an alias that is a pattern", "shop-de.example"],
  ["a wildcard", "a.wild.example"],
])("why names the endpoints of %s", async (_, host) => {
  const whole = mkdtempSync(join(tmpdir(), "sluice-why-"));
  const backend = "{ service: { name: web, port: { number: 80 } } }";
  const http = `{ paths: [{ path: /, pathType: Prefix, backend: ${backend} }] }`;
  const ofClass = "spec:\n  ingressClassName: nginx\n";
  const alias = "{ nginx.ingress.kubernetes.io/server-alias: '~^shop-[a-z]+[.]example$' }";
  writeFileSync(
    join(whole, "all.yaml"),
    [
      `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: { name: any }\n${ofClass}  defaultBackend: ${backend}\n`,
      `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: { name: shop, annotations: ${alias} }\n${ofClass}  rules: [{ host: shop.example, http: ${http} }]\n`,
      `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: { name: wild }\n${ofClass}  rules: [{ host: "*.wild.example", http: ${http} }]\n`,
      "apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { ports: [{ name: http, port: 80 }] }\n",
      "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: { name: web-1, labels: { kubernetes.io/service-name: web } }\naddressType: IPv4\nendpoints: [{ addresses: [127.0.9.1] }]\nports: [{ name: http, port: 9900 }]\n",
    ].join("---\n"),
  );
  try {
    const tool: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
    const { code, text } = await ran(tool, `http://${host}/`, whole);
    expect([code, /backend: .*: (.*)/.exec(text)?.[1]]).toEqual([0, "127.0.9.1:9900"]);
  } finally {
    rmSync(whole, { recursive: true });
  }
});

test("a Service of the type ExternalName lacks an address here, and no Pods", async () => {
  const here = mkdtempSync(join(tmpdir(), "sluice-outside-"));
  onTestFinished(() => rmSync(here, { recursive: true }));
  const spec = { type: "ExternalName", externalName: "site.example", ports: [{ port: 80 }] };
  const outside = { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "shop" }, spec };
  const objects = [ingress({ namespace: "shop", name: "web", host: "a.example" }), outside];
  writeFileSync(join(here, "all.yaml"), objects.map((one) => JSON.stringify(one)).join("\n---\n"));
  const tool: Tool = (argv, out) => why(argv, out, new Date("2026-11-21T12:00:00Z"));
  const { text } = await ran(tool, "http://a.example/", here);
  expect(text).toContain("no address of site.example, the externalName of Service shop/web, is known");
  expect(text).not.toContain("Pods");
});
