/**
 * `sluice why` with a running controller: the answer agrees with that from files, and it shows
 * no secret.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AskAnswer } from "../../src/ask/page/api/ask.ts";
import { why } from "../../src/cli/why.ts";
import { ran, type Tool } from "../golden/support/ran.ts";
import { ports, type Served, startServe, toWeb } from "./support/serve.ts";
import { until } from "./support/until.ts";

const root = join(import.meta.dirname, "../..");
const apart = 21_092;
const filesIn = (folder: string) =>
  readdirSync(join(root, folder)).map((file) => {
    const text = readFileSync(join(root, folder, file), "utf8");
    return [`${folder.replaceAll("/", "-")}-${file}`, text.replaceAll("port: 8000", `port: ${apart}`)] as const;
  });
const canary = (name: string, annotations: string) =>
  toWeb({
    name,
    host: "canary.example",
    annotations: `nginx.ingress.kubernetes.io/canary: "true", ${annotations}`,
  }).replaceAll("name: web, port", "name: api, port");
const ours = "nginx.ingress.kubernetes.io";

let served: Served;
beforeAll(async () => {
  served = startServe({
    files: {
      ...Object.fromEntries([...filesIn("examples/shop"), ...filesIn("test/golden/tools/gateways")]),
      "canary.yaml": [
        toWeb({ name: "main", host: "canary.example" }),
        canary("part", `${ours}/canary-weight: "30", ${ours}/canary-by-header: x-team`),
      ].join("---\n"),
      "alias.yaml": toWeb({ name: "alias", host: "alias.example", annotations: `${ours}/server-alias: "_"` }),
      "snippet.yaml": toWeb({
        name: "snippet",
        host: "snippet.example",
        annotations: `${ours}/configuration-snippet: "add_header X-Word opensesame;"`,
      }),
      "settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: own }
data: { allow-snippet-annotations: "true", annotations-risk-level: Critical }
`,
    },
    flags: flags.slice(0, 1),
  });
  await served.logged(/"serving"/);
});
afterAll(() => served?.remove());

const tool: Tool = (argv, out) => why(argv, out, new Date());
async function answer(...words: string[]): Promise<AskAnswer> {
  const { text, failure } = await ran(tool, ...words, "-o", "json");
  if (failure !== "") throw new Error(failure);
  return JSON.parse(text);
}
const live = (...words: string[]) => answer(...words, `--run-folder=${served.runFolder}`);
const flags = ["--configmap=own/settings", `--http-port=${ports.http}`, `--https-port=${ports.https}`];
const onFiles = (url: string, ...words: string[]) => answer(url, served.folder, ...flags, ...words);

/** The fields in which answers of a controller and of files agree. */
function comparable({ arrivals }: AskAnswer) {
  return arrivals.map(({ steps, route, problems: _, ...rest }) => {
    const shown = steps.filter(({ what }) => what !== "class" && what !== "problem");
    return { ...rest, route, shown };
  });
}

test.each([
  ["http://shop.localhost/api/items"],
  ["http://status.localhost/status/x"],
  ["http://nobody.example/"],
  ["https://docs.localhost/x"],
  ["http://canary.example/x"],
  ["http://canary.example/x", "-H", "X-Team: always"],
  ["http://canary.example/x", "-H", "X-Team: never"],
  ["http://www.shop.example/cart/x?page=1", "-H", "X-Team: a"],
  ["http://www.shop.example/cart/x?page=x", "-H", "X-Team: a"],
  ["http://www.shop.example/cart/x", "-X", "POST"],
  ["http://www.shop.example/old/a?b=c"],
  ["http://www.shop.example/none"],
  ["http://own.shop.example/"],
  ["http://other.example/"],
  ["https://www.shop.example/cart", "-H", "Host: pay.shop.example"],
  [`http://api.example:${apart}/`],
  [`http://www.shop.example:${apart}/`],
  ["http://guarded.shop.example/"],
])("the controller and the files give the same answer for %s %s %s", async (url, ...words) => {
  const [running, read] = [await live(url, ...words), await onFiles(url, ...words)];
  expect(comparable(running)).toEqual(comparable(read));
});

test("the answer has the probability with which a backend gets the request", async () => {
  const sharesOf = async (...words: string[]) => {
    const { arrivals } = await live("http://canary.example/", ...words);
    return arrivals[0]!.backends.map(({ service, share, when }) => [service, Math.round(share * 100), when]);
  };
  const when = "header x-team, 30 of 100";
  expect(await sharesOf()).toEqual([
    ["shop/web", 70, undefined],
    ["shop/api", 30, when],
  ]);
  expect(await sharesOf("-H", "X-Team: always")).toEqual([["shop/api", 100, when]]);
  expect(await sharesOf("-H", "X-Team: never")).toEqual([["shop/web", 100, undefined]]);
});

test("the last step names all backends that may answer, and a canary that certainly does", async () => {
  const answerOf = async (...words: string[]) => (await live(...words)).arrivals[0]!.steps.at(-1)!.says;
  const canaryUrl = "http://canary.example/";
  const [web, api] = ["that of Service shop/web, port 80", "that of Service shop/api, port 80"];
  expect(await answerOf(canaryUrl)).toBe(`70 %: ${web}, 30 %: ${api}`);
  expect(await answerOf(canaryUrl, "-H", "X-Team: always")).toBe(api);
  expect(await answerOf(canaryUrl, "-H", "X-Team: never")).toBe(web);
  expect(await answerOf("http://www.shop.example/cart/x")).toBe(`75 %: ${web}, 25 %: 500`);
});

test("with the client's address the answer no longer depends on a list of addresses", async () => {
  const list = `${ours}/allowlist-source-range: "192.0.2.0/24", ${ours}/denylist-source-range: 192.0.2.9`;
  served.write("listed.yaml", toWeb({ name: "listed", host: "listed.example", annotations: list }));
  await until(
    "the host",
    async () => (await live("http://listed.example/")).arrivals[0]!.route?.owner?.name === "listed",
  );
  const outcomeFor = async (...words: string[]) => {
    const { guards, end } = (await live("http://listed.example/", ...words)).arrivals[0]!;
    return [guards.map(({ outcome }) => outcome), end.kind === "answer" ? end.status : end.kind];
  };
  expect(await outcomeFor()).toEqual([["depends"], "proxied"]);
  expect(await outcomeFor("--client", "192.0.2.7")).toEqual([["passes"], "proxied"]);
  expect(await outcomeFor("--client=192.0.2.9")).toEqual([["stops"], 403]);
  expect(await outcomeFor("--client=2001:db8::1")).toEqual([["stops"], 403]);
  await expect(live("http://listed.example/", "--client=me")).rejects.toThrow('"me" is not an IP address');
});

test("a mistaken route of the host is named, also by a running controller", async () => {
  const text = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: mistaken, namespace: shop }
spec:
  parentRefs: [{ name: public }]
  hostnames: [mistaken.example]
  rules: [{ matches: [{ path: { type: Prefix, value: / } }] }]
`;
  const sentence =
    'HTTPRoute shop/mistaken names this host; correct it (mistaken.yaml:7): spec.rules[0].matches[0].path.type: "Prefix" is not one of Exact, PathPrefix, RegularExpression; it is not applied';
  const changes = async () => (await live("http://mistaken.example/")).arrivals.at(-1)!.changes;
  served.write("mistaken.yaml", text);
  await until("the sentence", async () => (await changes()).includes(sentence));
  expect((await onFiles("http://mistaken.example/")).arrivals.at(-1)!.changes).toEqual([sentence]);
  served.write("mistaken.yaml", undefined);
  await until("no such sentence", async () => !(await changes()).includes(sentence));
});

test("the running controller names the backend of a stream", async () => {
  const stream = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: streams, namespace: shop }
spec:
  gatewayClassName: sluice
  listeners: [{ name: db, port: ${apart + 1}, protocol: TCP }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: TCPRoute
metadata: { name: db, namespace: shop }
spec:
  parentRefs: [{ name: streams }]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
`;
  served.write("stream.yaml", stream);
  const asked = await until("the stream", async () => {
    const found = await live(`tcp://db.example:${apart + 1}`);
    return found.arrivals[0]!.route === undefined ? undefined : found;
  });
  expect(asked).toMatchObject({
    arrivals: [{ stream: "tcp", route: { owner: { name: "db" } }, backends: [{ service: "shop/web", share: 1 }] }],
  });
  expect((await live(`db.example:${apart + 1}`)).arrivals).toEqual(asked.arrivals);
});

test("both ways are named where a route gets a part of an Ingress's requests", async () => {
  const route = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: beside, namespace: shop, annotations: { sluice.dev/weight: "30" } }
spec:
  parentRefs: [{ name: public, sectionName: http }]
  hostnames: [both.shop.example]
  rules: [{ matches: [{ path: { value: /x } }], backendRefs: [{ name: web, port: 80 }] }]
`;
  served.write("both.yaml", `${toWeb({ name: "both", host: "both.shop.example", path: "/x" })}---\n${route}`);
  const arrivals = await until("the route", async () => {
    const found = (await live("http://both.shop.example/x")).arrivals;
    return found[0]!.listener === undefined ? undefined : found;
  });
  expect(arrivals.map(({ route: one, end }) => [one?.owner?.name, end.kind])).toEqual([
    ["beside", "proxied"],
    ["both", "proxied"],
  ]);
  expect(arrivals[0]!.steps).toContainEqual({ what: "weight", says: expect.stringMatching(/^30 % of the requests/) });
});

test("the wildcard of an Ingress takes one label, and that of a route several", async () => {
  const route = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: wild, namespace: shop }
spec:
  parentRefs: [{ name: public, sectionName: http }]
  hostnames: ["*.shop.example"]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
`;
  served.write("wild.yaml", `${toWeb({ name: "wild", host: "*.shop.example", path: "/y" })}---\n${route}`);
  const urls = ["http://a.shop.example/y", "http://a.b.shop.example/y", "http://a.shop.example/z"];
  const ownerOf = async (url: string) => (await live(url)).arrivals[0]!.route?.owner?.kind;
  await until("the route", async () => (await ownerOf(urls[2]!)) === "HTTPRoute");
  expect(await Promise.all(urls.map(ownerOf))).toEqual(["Ingress", "HTTPRoute", "HTTPRoute"]);
  for (const url of urls) expect(comparable(await live(url))).toEqual(comparable(await onFiles(url)));
  served.write("wild.yaml", undefined);
  await until("no such route", async () => (await ownerOf(urls[2]!)) === undefined);
});

test("an alias that is a pattern does not match the name of the catch-all", async () => {
  const [arrival] = (await live("http://unknown.example/")).arrivals;
  expect(arrival!.host).toMatchObject({ name: "_", how: "nothing else" });
});

test("the next answer contains a change", async () => {
  served.write("later.yaml", toWeb({ name: "later", host: "later.example" }));
  await until("the new host", async () => {
    const { arrivals } = await live("http://later.example/x");
    return arrivals[0]!.route?.owner?.name === "later";
  });
});

test("no value of a header and no text of an author is in an answer", async () => {
  const headers = ["Authorization: Bearer open-sesame", "Cookie: sid=open-sesame", "X-Team: open-sesame"];
  const words = headers.flatMap((line) => ["-H", line]);
  for (const url of ["http://www.shop.example/cart", "http://snippet.example/", "http://canary.example/"]) {
    const text = JSON.stringify(await live(url, ...words));
    expect(text).toContain("authorization");
    expect(text).not.toMatch(/open-?sesame|BEGIN/);
  }
});

test("the text mentions the controller, and the exit code tells whether the request is served", async () => {
  const folder = `--run-folder=${served.runFolder}`;
  const found = await ran(tool, "http://shop.localhost/", folder);
  expect([found.code, found.text]).toEqual([0, expect.stringMatching(/^ {2}asked: +the running controller$/m)]);
  expect((await ran(tool, "http://nobody.example/", folder)).code).toBe(1);
  expect(await ran(tool, "http://shop.localhost/", "--run-folder=/no/such")).toMatchObject({
    code: 2,
    failure: expect.stringContaining("name a folder or a file after the URL"),
  });
});
