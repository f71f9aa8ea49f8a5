/** The complete output of `sluice convert`, beside the converted Ingresses. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { check } from "../../src/cli/check.ts";
import { convert } from "../../src/cli/convert.ts";
import { ran } from "./support/ran.ts";

const root = fileURLToPath(new URL("convert", import.meta.url));

test.each(readdirSync(root))(
  "the converted objects and the report of %s are those of the golden files",
  async (name) => {
    const file = (one: string) => join(root, name, one);
    const printed = await ran(convert, file("cluster.yaml"));
    await expect(printed.text).toMatchFileSnapshot(file("gateway.yaml"));
    const folder = mkdtempSync(join(tmpdir(), "convert-"));
    try {
      const written = await ran(convert, file("cluster.yaml"), "--to", folder);
      await expect(written.text.replaceAll(`${root}/`, "")).toMatchFileSnapshot(file("report.txt"));
      expect([printed.code, written.failure]).toEqual([written.code, ""]);
      const objects = (text: string) => text.split("---\n").sort();
      const files = readdirSync(folder).map((one) => readFileSync(join(folder, one), "utf8"));
      expect(files.flatMap(objects).sort()).toEqual(objects(printed.text));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test("the converted objects have no mistake that the API server or Sluice would find", async () => {
  const { text } = await ran(check, join(root, "shop", "gateway.yaml"), "-o", "json");
  const sentences = JSON.parse(text).problems.map((one: { readonly sentence: string }) => one.sentence);
  // Findings about missing Secrets are left out, because the Secrets of the listeners are in the
  // cluster.
  expect(sentences.filter((one: string) => !/Secret \S+ not found/.test(one))).toEqual([]);
});

test.each([
  [["--gateway", "shop"], '--gateway takes NAMESPACE/NAME, and here is "shop"'],
  [["--gateway-clas", "x"], "--gateway-clas is not a flag"],
])("%j is a mistake in the command line", async (words, why) => {
  const { code, failure } = await ran(convert, join(root, "shop", "cluster.yaml"), ...words);
  expect([code, failure]).toEqual([2, expect.stringContaining(why)]);
});

test("with --shadow each route begins in shadow, and no other object does", async () => {
  const { text } = await ran(convert, join(root, "shop", "cluster.yaml"), "--shadow");
  const objects = text.split("---\n").filter((one) => /^kind: /m.test(one));
  const inShadow = (one: string) => one.includes('sluice.dev/shadow: "true"');
  expect(objects.map(inShadow)).toEqual(objects.map((one) => /^kind: \w+Route$/m.test(one)));
  expect(objects.some(inShadow)).toBe(true);
});

test("without nginx the matcher alone answers the requests, and the report says so", async () => {
  const { code, failure } = await ran(convert, join(root, "shop", "cluster.yaml"), "--requests");
  expect(failure).toContain("note: nginx was asked none of these requests: /no/nginx was not found");
  expect(code).toBe(0);
});

test("an accepted difference does not count", async () => {
  const wildcards = join(root, "differences", "cluster.yaml");
  const codes = await Promise.all(
    [[], ["--accept", "wildcard-depth"], ["--accept", "wildcard-depth,redirect-slash,fake-certificate"]].map(
      async (words) => (await ran(convert, wildcards, ...words)).code,
    ),
  );
  expect(codes).toEqual([1, 1, 0]);
});

interface Sketch {
  readonly name?: string;
  readonly host?: string;
  readonly paths: readonly (readonly [path: string, service: string])[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly class?: string;
}

function ingressOf(sketch: Sketch, at: number) {
  const { name = "web", host = "shop.example", paths, annotations = {} } = sketch;
  const own = Object.entries(annotations).map(([key, text]) => [`nginx.ingress.kubernetes.io/${key}`, text]);
  const creationTimestamp = `2026-01-01T00:00:0${at}Z`;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name, namespace: "shop", creationTimestamp, annotations: Object.fromEntries(own) },
    spec: {
      ingressClassName: sketch.class ?? "nginx",
      rules: [
        {
          host,
          http: {
            paths: paths.map(([path, service]) => ({
              path,
              pathType: "Prefix",
              backend: { service: { name: service, port: { number: 80 } } },
            })),
          },
        },
      ],
    },
  };
}

const many = (count: number, service: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => [`/p${at}`, service(at)] as const);
const good: Sketch = { name: "good", host: "good.example", paths: [["/", "web"]] };

test.each<[string, readonly Sketch[], string]>([
  [
    "an Ingress that is refused today",
    [good, { paths: [["/", "web"]], annotations: { "custom-http-errors": "200" } }],
    'Ingress shop/web: it is not served, and not converted: annotation custom-http-errors: "200" is not',
  ],
  [
    "a path of two Ingresses",
    [{ ...good, host: "shop.example" }, { paths: [["/", "other"]] }],
    "Ingress shop/web: path / of host shop.example belongs to the older Ingress shop/good; this one is ignored; the path is left out",
  ],
  [
    "an annotation that no route has",
    [good, { paths: [["/", "web"]], annotations: { "app-root": "/$host" } }],
    "host shop.example: it has variables in app-root, and redirects of routes have none; it stays with its Ingresses",
  ],
  [
    "an unknown annotation",
    [{ ...good, annotations: { "proxy-body-sise": "8m" } }],
    "Ingress shop/good: annotation proxy-body-sise does not exist (did you mean proxy-body-size?); it is ignored; no route gets it",
  ],
  [
    "an unreadable value",
    [{ ...good, annotations: { "proxy-read-timeout": "5 m" } }],
    'Ingress shop/good: annotation proxy-read-timeout: "5 m" has a unit; it is a number of seconds, like 300; the default is used; no route gets it',
  ],
  [
    "a standard annotation without an effect",
    [{ ...good, annotations: { "ssl-passthrough": "true" } }],
    "Ingress shop/good: annotation ssl-passthrough has no effect: the controller runs without --enable-ssl-passthrough; no route gets it",
  ],
  [
    "a canary without an Ingress beside it",
    [good, { paths: [["/", "web"]], annotations: { canary: "true", "canary-weight": "20" } }],
    "Ingress shop/web: it is converted as it is served, and not as it is written: spec.rules[0].http.paths[0].backend: no ordinary Ingress has this host, path and path type; the canary gets no requests there",
  ],
  [
    "a guard that cannot be read",
    [{ ...good, annotations: { "whitelist-source-range": "10.0.0/8" } }],
    'Ingress shop/good: it is converted as it is served, and not as it is written: annotation whitelist-source-range: "10.0.0/8" is neither',
  ],
  [
    "a variable that names objects",
    [
      {
        ...good,
        annotations: { "auth-url": "http://192.0.2.20/check", "auth-signin": "http://a.example/$ingress_name" },
      },
    ],
    "Ingress shop/good: annotation auth-signin uses $ingress_name, which names the route, its path or the number of the port there, and not those of the Ingress",
  ],
  [
    "an Ingress of another class",
    [good, { name: "other", paths: [["/", "web"]], class: "traefik" }],
    "1 Ingress is not served here, and left out: shop/other (its class is traefik, and nginx is served)",
  ],
  [
    "an Ingress with a mistake",
    [good, { name: "wrong", paths: [["api", "web"]] }],
    "Ingress shop/wrong has a mistake and is left out; sluice check says what is wrong",
  ],
  [
    "17 rules",
    [{ paths: many(17, (at) => `web-${at}`) }],
    "HTTPRoute shop/web: host shop.example has more rules, matches or names than one route may have; it is written as 2 routes",
  ],
  [
    "65 matches of a rule",
    [{ paths: many(65, () => "web") }],
    "HTTPRoute shop/web: the rule from Ingress shop/web has 65 matches, and 64 are the most; it is written as 2 rules",
  ],
  [
    "129 matches of a route",
    [{ paths: many(129, (at) => `web-${at % 3}`) }],
    "HTTPRoute shop/web: host shop.example has more rules, matches or names than one route may have; it is written as 2 routes",
  ],
])("%s is reported in one sentence", async (_, sketches, sentence) => {
  const folder = mkdtempSync(join(tmpdir(), "convert-"));
  try {
    // JSON is YAML.
    writeFileSync(
      join(folder, "all.yaml"),
      sketches.map((one, at) => JSON.stringify(ingressOf(one, at))).join("\n---\n"),
    );
    const { code, text } = await ran(convert, folder, "--accept", "fake-certificate", "--to", join(folder, "to"));
    const notes = text.split("\n").filter((line) => line.startsWith("note: ") && !line.includes("assumed to exist"));
    expect(notes).toEqual([expect.stringContaining(`note: ${sentence}`)]);
    expect(code, text).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a folder without Secrets is converted with the certificate of --default-ssl-certificate", async () => {
  const folder = mkdtempSync(join(tmpdir(), "convert-"));
  try {
    writeFileSync(join(folder, "all.yaml"), JSON.stringify(ingressOf(good, 0)));
    const words = ["--default-ssl-certificate", "certificates/usual", "-o", "json"];
    const { code, text } = await ran(convert, folder, ...words);
    const { objects, findings, notes } = JSON.parse(text);
    expect([code, findings]).toEqual([0, []]);
    expect(notes).toContain(
      `${folder}: it has no Secrets, so those that Ingresses and --default-ssl-certificate name are assumed to exist`,
    );
    const { spec } = objects.find(({ kind }: { readonly kind: string }) => kind === "Gateway");
    expect(spec.listeners.flatMap(({ tls }: { readonly tls?: object }) => tls ?? [])).toEqual([
      { certificateRefs: [{ name: "usual", namespace: "certificates" }] },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("where every Ingress stays, the reasons are printed, and the result does not count as equal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "convert-"));
  try {
    const guarded = { "auth-tls-secret": "shop/ca", "auth-tls-verify-client": "on" };
    const sketch = { paths: [["/", "web"]], annotations: guarded } as const;
    writeFileSync(join(folder, "all.yaml"), JSON.stringify(ingressOf(sketch, 0)));
    const { code, text, failure } = await ran(convert, folder);
    expect([code, text]).toEqual([2, ""]);
    expect(failure).toContain("note: host shop.example: it asks for certificates of clients (auth-tls-secret)");
    expect(failure).toContain("has no Ingress that routes can replace, so there is nothing to convert");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each<[string, Sketch, Readonly<Record<string, string>>, string]>([
  [
    "a group in the ConfigMap of add-headers",
    { paths: [["/(team|crew)/(.*)", "web"]], annotations: { "use-regex": "true" } },
    { "add-headers": "sluice/heads" },
    "it has groups of the path, which add-headers of the ConfigMap may name, and they are empty on routes",
  ],
  [
    "a group in the ConfigMap of proxy-set-headers, beside a wildcard host",
    { host: "*.shop.example", paths: [["/", "web"]] },
    { "proxy-set-headers": "sluice/heads" },
    "it has groups of the path, which proxy-set-headers of the ConfigMap may name, and they are empty on routes",
  ],
  [
    "a group in global-auth-signin",
    { paths: [["/(team|crew)/(.*)", "web"]], annotations: { "rewrite-target": "/$2" } },
    { "global-auth-url": "http://auth.example/check", "global-auth-signin": "https://login.example/$1" },
    "it has groups of the path, which global-auth-signin of the ConfigMap may name, and they are empty on routes",
  ],
  [
    "a named group in a snippet",
    {
      paths: [["/(?<team>[a-z]+)/(.*)", "web"]],
      annotations: { "use-regex": "true", "configuration-snippet": 'more_set_headers "X-Team: $team";' },
    },
    {},
    "it has a configuration-snippet that means something only under the path of an Ingress",
  ],
  [
    "a snippet that rewrites the path and goes on",
    {
      paths: [["/(.*)", "web"]],
      annotations: { "rewrite-target": "/new/$1", "configuration-snippet": "rewrite ^ $request_uri;" },
    },
    {},
    "it has a configuration-snippet that means something only under the path of an Ingress",
  ],
])("a host stays with its Ingress because of %s", async (_, sketch, settings, why) => {
  const others: readonly Sketch[] = [
    // It has no group, so the operator's values are the same there.
    { name: "plain", host: "plain.example", paths: [["/", "web"]] },
    { name: "free", host: "free.example", paths: [["/(?:a|b)", "web"]], annotations: { "use-regex": "true" } },
  ];
  const folder = mkdtempSync(join(tmpdir(), "convert-"));
  try {
    const allowed = { "annotations-risk-level": "Critical", "allow-snippet-annotations": "true" };
    const configMap = (name: string, data: object) => ({
      ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "sluice" } },
      data,
    });
    const ingresses = [sketch, ...others].map((one, at) =>
      JSON.stringify(ingressOf(one, at)).replaceAll(/"path":"(\/\([^"]*)","pathType":"Prefix"/g, specificPath),
    );
    const maps = [configMap("sluice", { ...allowed, ...settings }), configMap("heads", { "X-Team": "of $1" })];
    writeFileSync(join(folder, "all.yaml"), [...ingresses, ...maps.map((one) => JSON.stringify(one))].join("\n---\n"));
    const words = ["--configmap", "sluice/sluice", "--accept", "fake-certificate,wildcard-depth"];
    const { code, text } = await ran(convert, folder, ...words, "--to", join(folder, "to"));
    const stays = text.split("\n").filter((line) => line.includes("stays with its Ingresses"));
    const { host = "shop.example" } = sketch;
    expect(stays).toEqual([`note: host ${host}: ${why}; it stays with its Ingresses`]);
    expect(code, text).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const specificPath = '"path":"$1","pathType":"ImplementationSpecific"';

test("an affinity that ends with an Ingress that stays has its own kind of difference", async () => {
  const folder = mkdtempSync(join(tmpdir(), "convert-"));
  try {
    const annotations = { affinity: "cookie", "server-snippet": "return 404;" };
    const sketches = [{ name: "oldest", paths: [["/", "web"]], annotations } as const, good];
    const settings = { "annotations-risk-level": "Critical", "allow-snippet-annotations": "true" };
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "sluice", namespace: "sluice" } };
    const objects = [...sketches.map(ingressOf), { ...configMap, data: settings }];
    writeFileSync(join(folder, "all.yaml"), objects.map((one) => JSON.stringify(one)).join("\n---\n"));
    const words = [folder, "--configmap", "sluice/sluice", "--accept", "fake-certificate"];
    const { code, text } = await ran(convert, ...words, "-o", "json");
    const findings = JSON.parse(text).findings.filter(({ accepted }: { readonly accepted: boolean }) => !accepted);
    expect(findings).toMatchObject([
      { example: { kind: "balance", field: "balance of shop/web", after: '{"algorithm":"round_robin"}' } },
    ]);
    const accepted = await ran(convert, ...words, "--accept", "fake-certificate,balance");
    expect([code, accepted.code]).toEqual([1, 0]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("an annotation whose value is not used keeps no host, even if it names a group of the path", async () => {
  const text = readFileSync(join(root, "shop", "cluster.yaml"), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "convert-"));
  const ingress = (annotations: string) => `
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: pgadmin, namespace: db, annotations: { ${annotations} } }
spec:
  ingressClassName: nginx
  rules: [{ host: pgadmin.example, http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: p, port: { number: 80 } } } }] } }]
`;
  const prefix = "nginx.ingress.kubernetes.io/";
  try {
    for (const unused of [`${prefix}proxy-redirect-to: "https://$1/a"`, `${prefix}no-such-name: "$1"`]) {
      writeFileSync(join(folder, "all.yaml"), `${text}${ingress(unused)}`);
      const { text: report } = await ran(convert, folder, "--to", join(folder, "out"));
      expect(report).not.toContain("pgadmin.example: it has a group");
    }
    writeFileSync(join(folder, "all.yaml"), `${text}${ingress(`${prefix}auth-url: "http://auth.example/$1"`)}`);
    const { text: report } = await ran(convert, folder, "--to", join(folder, "out"));
    expect(report).toContain("pgadmin.example: it has a group of the path in auth-url");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
