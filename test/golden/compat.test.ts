/**
 * The complete reports of `sluice compat` about clusters like those of public projects, as text and
 * as JSON. Every finding in these files was compared by hand with ingress-nginx's behaviour; check
 * a new one in the same way.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { compat } from "../../src/cli/compat.ts";
import { differencesIn, readDifferences } from "../../src/move/compat/differences.ts";
import { ran, type Tool } from "./support/ran.ts";

const root = fileURLToPath(new URL("compat", import.meta.url));
/**
 * Line breaks must not depend on the folder of the checkout, so the names of files are relative to
 * the present folder.
 */
const shown = relative(process.cwd(), root);
const projects = readdirSync(root);

test("at least ten projects have a recorded report", () => expect(projects.length).toBeGreaterThanOrEqual(10));

test.each(projects)("the reports of compat about %s are those of the golden files", async (name) => {
  const file = (one: string) => join(root, name, one);
  const given = ["cluster.yaml", "values.yaml", "folder"].filter((one) => existsSync(file(one)));
  const argv = given.flatMap((one) =>
    one === "values.yaml" ? ["--values", join(shown, name, one)] : [join(shown, name, one)],
  );
  const text = await ran(compat, ...argv);
  const json = await ran(compat, ...argv, "-o", "json");
  await expect(text.text.replaceAll(`${shown}/`, "")).toMatchFileSnapshot(file("report.txt"));
  const markdown = await ran(compat, ...argv, "-o", "markdown");
  await expect(markdown.text.replaceAll(`${shown}/`, "")).toMatchFileSnapshot(file("report.md"));
  await expect(json.text.replaceAll(`${shown}/`, "")).toMatchFileSnapshot(file("report.json"));
  const { ingresses, unjudged } = JSON.parse(json.text);
  const needsWork = text.text.includes("\nNeeds work\n");
  const code = needsWork ? 1 : unjudged.length > 0 ? 3 : 0;
  expect([text.code, json.code, markdown.code, text.failure]).toEqual([code, code, code, ""]);
  expect(ingresses.work === 0 || needsWork).toBe(true);
});

async function compatOf(text: string) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-compat-"));
  writeFileSync(join(folder, "values.yaml"), text);
  try {
    return await ran(compat, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("values that most charts have are not read as those of ingress-nginx", async () => {
  const usual = "nameOverride: web\nserviceAccount: { create: true }\nimage: { tag: v1 }\nreplicaCount: 2\n";
  for (const text of [usual, `${usual}rbac: { create: true }\n`]) {
    const found = await compatOf(text);
    expect(found.code).toBe(3);
    expect(found.text).toContain("no ingress-nginx was found in it");
    expect(found.text).not.toContain("chart value");
  }
});

test("values with a key twice are judged by the last one, and both lines are named", async () => {
  const config = (indent: string) =>
    [
      "controller:",
      "  replicaCount: 2",
      "  config: { proxy-body-size: 8m, no-such-key: a }",
      "  config: { load-balance: ewma, other-such-key: b }",
      "  kind: DaemonSet",
      "",
    ].join(`\n${indent}`);
  const release = "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: { name: ingress-nginx }\n";
  const forms = [
    { text: config(""), line: 3, of: "values.yaml" },
    { text: `grafana: { a: 1, a: 2 }\nown:\n  ${config("  ")}`, line: 5, of: "values.yaml" },
    {
      text: `${release}spec:\n  valuesContent: |-\n    ${config("    ")}`,
      line: 8,
      of: "HelmChart default/ingress-nginx (values.yaml",
    },
  ];
  for (const { text, line, of } of forms) {
    const found = await compatOf(text);
    const words = found.text.replace(/\s+/g, " ");
    expect([found.code, found.failure]).toEqual([3, ""]);
    expect(words).toContain(of);
    expect(words).toContain(`:${line + 1}:`);
    expect(words).toContain(`the key "config" occurs twice in one mapping, first in line ${line}; helm takes the last`);
    expect(words).toMatch(new RegExp(`:${line + 1}:\\d+\\): key other-such-key does not exist`));
    expect(words).not.toContain("no-such-key");
    expect(words).not.toContain('the key "a"');
  }
});

test("a release that sets no values is judged, and not called nothing", async () => {
  const application = [
    "apiVersion: argoproj.io/v1alpha1",
    "kind: Application",
    "metadata: { name: ingress-nginx, namespace: argocd }",
    "spec: { source: { chart: ingress-nginx, repoURL: https://kubernetes.github.io/ingress-nginx } }",
    "",
  ].join("\n");
  for (const text of [application, "ingress-nginx:\n  controller:\n    service: {}\n"]) {
    const found = await compatOf(text);
    expect([found.code, found.failure]).toEqual([0, ""]);
    expect(found.text).toContain("its release of ingress-nginx sets no values");
  }
});

test("a template of values in a folder is named as not judged, and one alone is read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-compat-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = ["ingress.yaml.gotmpl", "values.yaml.tpl", "README.md.gotmpl", "grafana.yaml.gotmpl"];
  const text = "controller: { config: { no-such-key: a } }\n";
  for (const file of files) writeFileSync(join(folder, file), file === "values.yaml.tpl" ? `# ingress\n${text}` : text);
  const all = await ran(compat, folder);
  expect(all.code).toBe(3);
  const named = [...all.text.matchAll(/(\S+):1:1: this is a template, which is not read/g)].map(([, file]) => file);
  expect(named).toEqual(["ingress.yaml.gotmpl", "values.yaml.tpl"]);
  const alone = await ran(compat, join(folder, "ingress.yaml.gotmpl"));
  expect(alone.text).toContain("key no-such-key does not exist");
});

test("an image of one's own for the default backend makes no difference, and that of ingress-nginx does", async () => {
  const note = "defaultBackend.image.tag";
  const tagged = async (image: string) =>
    (await compatOf(`defaultBackend: { enabled: true, image: { ${image}, tag: "1.5" } }\n`)).text
      .split("\nThe same")[0]!
      .includes(note);
  expect(await tagged("image: defaultbackend-amd64")).toBe(true);
  expect(await tagged("repository: own.example/pages")).toBe(false);
  expect(await tagged("image: own/pages")).toBe(false);
});

test("values of F5's chart are recognised by the image, the keys of the ConfigMap, the class or a port", async () => {
  const theirs = ["image: { repository: own.example/nginx/nginx-ingress }", "config: { entries: { http2: 'on' } }"];
  for (const one of [...theirs, "ingressClass: { name: nginx }", "service: { httpsPort: { enable: false } }"]) {
    const found = await compatOf(`controller: { replicaCount: 2, ${one} }\n`);
    expect(found.code).toBe(3);
    expect(found.text.replace(/\s+/g, " ")).toContain("values.yaml:1:1: these are values of F5's");
  }
  for (const one of [
    "image: { repository: ingress-nginx/controller }",
    "allowSnippetAnnotations: true, appprotect: {}",
  ]) {
    const ours = await compatOf(`controller: { ${one}, ingressClass: nginx }\n`);
    expect([ours.code, ours.text.includes("F5")]).toEqual([0, false]);
  }
});

test("content that the schema of the chart refuses needs work, and a placeholder is not judged", async () => {
  const wrong = await compatOf(
    "controller: { kind: Daemonset, replicaCount: 2, service: { type: Loadbalancer }, tolerations: {}, image: x }\n",
  );
  const words = wrong.text.replace(/\s+/g, " ");
  expect(wrong.code).toBe(1);
  expect(words).toContain(
    'controller.kind (values.yaml:1:15) the chart refuses "Daemonset": it is not one of Deployment, DaemonSet',
  );
  expect(words).toContain(
    'the chart refuses "Loadbalancer": it is not one of ClusterIP, NodePort, LoadBalancer, ExternalName',
  );
  expect(words).toContain(
    'controller.image (values.yaml:1:99) the chart refuses "x": text is given where a mapping is required',
  );
  const open = await compatOf(
    "controller: { replicaCount: 2, service: { type: '${SERVICE_TYPE}', nodePorts: { http: '${http}' } } }\n",
  );
  expect([open.code, open.text.replace(/\s+/g, " ")]).toEqual([
    3,
    expect.stringContaining(
      'value controller.service.type of values (values.yaml:1:43): "${SERVICE_TYPE}": a tool should have filled in ${SERVICE_TYPE} before',
    ),
  ]);
  expect(open.text).toContain("value controller.service.nodePorts.http of values");
});

test("a helmfile is reported as not judged, with the input to give instead", async () => {
  const releases = "releases:\n  - { name: ingress, chart: ingress-nginx/ingress-nginx, values: [own.yaml] }\n";
  const { code, text } = await compatOf(`repositories: []\n${releases}`);
  expect([code, text.replace(/\s+/g, " ")]).toEqual([
    3,
    expect.stringContaining(
      "values.yaml:1:1: this is a helmfile, whose releases are not read: name their values files",
    ),
  ]);
});

test("a default backend that the chart installs counts as one for custom-http-errors", async () => {
  const config = 'controller: { config: { custom-http-errors: "404,503" } }\n';
  const without = "Without a default backend a listed error is a 404";
  const password = "The backend that writes error pages does not get the client's password";
  const found = (text: string) => [without, password].filter((one) => text.includes(one));
  const off = await compatOf(`${config}defaultBackend: { enabled: false }\n`);
  const on = await compatOf(`${config}defaultBackend: { enabled: true }\n`);
  expect([found(off.text), found(on.text)]).toEqual([[without], [password]]);
  expect([off, on].map(({ text }) => text.includes("flags: default-backend-service"))).toEqual([false, true]);
});

test("values that a HelmRelease takes from a ConfigMap are judged there", async () => {
  const { code, text } = await compatOf(`apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: edge, namespace: flux-system }
spec:
  chart: { spec: { chart: ingress-nginx, sourceRef: { kind: HelmRepository, name: ingress-nginx } } }
  valuesFrom: [{ kind: ConfigMap, name: edge-values }, { kind: Secret, name: edge-secret }]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: edge-values, namespace: flux-system }
data: { values.yaml: "controller: { replicaCount: 2 }" }
`);
  expect([code, text]).toEqual([3, expect.stringContaining("chart values: controller.replicaCount")]);
  expect(text.replace(/\s+/g, " ")).toContain("its values in Secret edge-secret are not read");
});

test("an Application has the values files of another source that the folder holds", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-compat-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const application = (file: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: edge, namespace: argocd }
spec:
  destination: { namespace: edge }
  sources:
    - repoURL: https://kubernetes.github.io/ingress-nginx
      chart: ingress-nginx
      helm: { valueFiles: [$values/${file}], values: "controller: { config: { use-gzip: \\"true\\" } }" }
    - { repoURL: https://git.example/fleet, ref: values }
`;
  mkdirSync(join(folder, "edge"));
  writeFileSync(join(folder, "edge/values.yaml"), "controller: { replicaCount: 2, config: { bad-key: x } }\n");
  writeFileSync(join(folder, "app.yaml"), application("edge/values.yaml"));
  const { code, text } = await ran(compat, folder);
  expect([code, text]).toEqual([0, expect.stringContaining("ConfigMap keys: use-gzip")]);
  expect(text.replace(/\s+/g, " ")).toContain("(edge/values.yaml:1:42): key bad-key does not exist");
  writeFileSync(join(folder, "app.yaml"), application("edge/other.yaml"));
  const without = await ran(compat, folder);
  expect([without.code, without.text.replace(/\s+/g, " ")]).toEqual([
    3,
    expect.stringContaining("its values in the file edge/other.yaml, which is not here, are not read"),
  ]);
});

test("a long list ends with the number of left-out entries", async () => {
  const keys = Array.from({ length: 40 }, (_, at) => `unheard-of-${at}: "x"`).join(", ");
  const { text } = await compatOf(`controller: { config: { use-gzip: "true", ${keys} } }\n`);
  const [, more] = /\n {2}and (\d+) more: see --all\n/.exec(text) ?? [];
  expect(text.match(/key unheard-of-\d+ does not exist/g)).toHaveLength(40 - Number(more));
});

test("a patch of a HelmRelease, which repeats the name and not the chart, is judged", async () => {
  const release = (name: string) => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: ${name}, namespace: ingress }
spec: { values: { controller: { config: { use-gzip: "true" } } } }
`;
  const { code, text } = await compatOf(release("ingress-nginx"));
  expect([code, text.includes("ConfigMap keys: use-gzip")]).toEqual([0, true]);
  const other = await compatOf(release("web"));
  expect([other.code, other.failure]).toEqual([2, expect.stringContaining("there is nothing to judge")]);
});

test("values below a chart name that two vendors use are not judged, unless only ingress-nginx has them", async () => {
  const below = (value: string) => `grafana: { ingress: {} }\nnginx-ingress: { controller: { ${value} } }\n`;
  const unclear = await compatOf(below("service: { type: NodePort }"));
  expect([unclear.code, unclear.text.replace(/\s+/g, " ")]).toEqual([
    3,
    expect.stringContaining("these are values of a chart called nginx-ingress, which may be F5's or one that ended"),
  ]);
  const ours = await compatOf(below("ingressClassResource: { default: true }"));
  expect([ours.code, ours.text.includes("controller.ingressClassResource.default")]).toEqual([0, true]);
});

const { idleThere } = readDifferences();

test("a heading of docs/differences.md without a line `concerns:` is a mistake", () => {
  expect(() => differencesIn("## Chapter\n\n### Something is new\n\nText.\n")).toThrow(/Something is new.*concerns/);
  const page = "## C\n\n### `a` is b\n\nx. Here it is\ngood. y\n\nconcerns: annotation a=1 without key b, everybody\n";
  const [difference] = differencesIn(page).list;
  expect(difference).toEqual({
    how: "a is b: here it is good",
    chapter: "C",
    concerns: [
      {
        about: { of: "annotation", name: "a", value: "1" },
        besides: [{ of: "key", name: "b", absent: true }],
      },
    ],
  });
  expect(idleThere.length).toBeGreaterThan(0);
});

test("an impossible part of a concern is a mistake", () => {
  expect(() => differencesIn("## C\n\n### A\n\nx.\n\nconcerns: anotation a\n")).toThrow(
    'no cluster can meet "anotation a"',
  );
});

test("mistakes in the command line are one sentence and exit code 2", async () => {
  expect(await ran(compat)).toMatchObject({ code: 2, failure: expect.stringContaining("here is none") });
  expect(await ran(compat, "--values", "/nowhere.yaml")).toMatchObject({
    code: 2,
    failure: expect.stringContaining("/nowhere.yaml cannot be read"),
  });
  expect(await ran(compat, join(root, "delivery"), "--controller=a/b")).toMatchObject({
    code: 2,
    failure: "sluice compat: no Deployment or DaemonSet a/b runs ingress-nginx",
  });
});

test("a Kubernetes object in the place of a values file is reported as an object", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-compat-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "release.yaml");
  writeFileSync(file, "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: {}\n");
  expect(await ran(compat, "--values", file)).toMatchObject({
    code: 2,
    failure: `sluice compat: ${file} is a Kubernetes object, kind ConfigMap, and no values file: sluice compat takes objects as its PATH, without --values`,
  });
});

test("inputs that could not be judged set the exit code, unless --fail-on allows them", async () => {
  const folder = join(root, "unreadable", "folder");
  const ending = async (...argv: string[]) => (await ran(compat, folder, ...argv)).code;
  expect(await ending()).toBe(3);
  expect(await ending("--fail-on", "unjudged")).toBe(3);
  expect(await ending("--fail-on=work")).toBe(0);
  expect(await ending("--fail-on=nothing")).toBe(0);
  expect((await ran(compat, join(root, "chat", "cluster.yaml"), "--fail-on=differs")).code).toBe(1);
  expect(await ran(compat, folder, "--fail-on=all")).toMatchObject({
    code: 2,
    failure: expect.stringContaining("work, differs, unjudged, nothing"),
  });
});

test("an empty input is an error, and so is one without any part of ingress-nginx", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-compat-"));
  const failure = async (file: string) => (await ran(compat, file)).failure.replaceAll(folder, "F");
  expect(await failure(folder)).toBe("sluice compat: F has no YAML or JSON file, so there is nothing to judge");
  writeFileSync(join(folder, "a.yaml"), "# nothing\n");
  expect(await failure(join(folder, "a.yaml"))).toBe("sluice compat: F/a.yaml is empty, so there is nothing to judge");
  writeFileSync(join(folder, "a.yaml"), "apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n");
  expect(await failure(folder)).toContain("has no Ingress, and no ConfigMap, flags or chart values");
  rmSync(folder, { recursive: true });
});

test("--all prints everything, and lines fit the terminal", async () => {
  const file = join(root, "behind-cdn", "cluster.yaml");
  const narrow: Tool = (argv, out) => compat(argv, out, false, 60);
  const { text } = await ran(narrow, file);
  const long = text.split("\n").filter((line) => line.length > 60 && / .* /.test(line.trim()));
  expect(long.filter((line) => !line.includes(file) && !/need work$/.test(line))).toEqual([]);
  const all = await ran(compat, file, "--all");
  expect(all.text).toContain("\nFor every cluster\n");
  expect(all.text).not.toContain("docs/differences.md has them all");
});

test("several values files are merged, and each finding names its own file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-compat-"));
  writeFileSync(join(folder, "one.yaml"), "controller:\n  config:\n    hsts: nonsense\n    keep-alive: '75s'\n");
  writeFileSync(join(folder, "two.yaml"), "controller:\n  config:\n    hsts: 'true'\n");
  const both = await ran(compat, "--values", join(folder, "one.yaml"), "--values", join(folder, "two.yaml"));
  expect(both.text).toContain("one.yaml:4:5");
  expect(both.text).not.toContain("nonsense");
  rmSync(folder, { recursive: true });
});

test("values of a release whose ConfigMap is in the input do not count as a second definition", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-compat-"));
  const metadata = "{ namespace: ingress-nginx, name: ingress-nginx-controller }";
  const data = "{ keep-alive: '75' }";
  writeFileSync(join(folder, "all.yaml"), `apiVersion: v1\nkind: ConfigMap\nmetadata: ${metadata}\ndata: ${data}\n`);
  writeFileSync(join(folder, "values.txt"), `controller:\n  config: ${data}\n`);
  const { code, text } = await ran(compat, join(folder, "all.yaml"), "--values", join(folder, "values.txt"));
  expect(text).not.toContain("Not judged");
  expect(code).toBe(0);
  rmSync(folder, { recursive: true });
});

test("each mistake of an Ingress has the line of its own field, and one Secret for two hosts is one mistake", async () => {
  const { text } = await compatOf(`apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
  annotations:
    nginx.ingress.kubernetes.io/configuration-snippet: "# none"
spec:
  ingressClassName: nginx
  tls:
    - hosts: [a.example, b.example]
      secretName: pair
  rules:
    - host: a.example
      http: &http
        paths:
          - path: /
            pathType: Prefix
            backend: { service: { name: web, port: { number: 80 } } }
    - host: b.example
      http: *http
---
apiVersion: v1
kind: Secret
metadata: { name: other }
---
apiVersion: v1
kind: Service
metadata: { name: other }
spec: { ports: [{ port: 80 }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: ingress-nginx-controller, namespace: ingress-nginx }
data: { allow-snippet-annotations: "true", annotations-risk-level: Critical }
`);
  const plain = text.replace(/\s+/g, " ");
  expect([...plain.matchAll(/\(values.yaml:(\d+):\d+\): spec\.(\S+): (\w+)/g)].map(([, ...found]) => found)).toEqual([
    ["11", "tls[0].secretName", "Secret"],
    ["18", "rules[0].http.paths[0].backend", "Service"],
    ["20", "rules[1].http.paths[0].backend", "Service"],
  ]);
  expect(plain).not.toContain("and 1 more");
});

test.each([
  ["$(POD_LABEL)", "Kubernetes puts in the variable POD_LABEL of the Pod; check what it holds"],
  ["${LEVEL}", "a tool should have filled in ${LEVEL} before, such as envsubst"],
  ["[[ .level ]]", "this is a template, which has to be rendered before"],
])("a flag whose value is %s is not judged", async (value, why) => {
  const { code, text } = await compatOf(`controller: { extraArgs: { update-status: "${value}" } }\n`);
  const plain = text.replace(/\s+/g, " ");
  expect([code, plain]).toEqual([
    3,
    expect.stringContaining(`--update-status of values (values.yaml:1:28): "${value}": ${why}`),
  ]);
  expect(plain).not.toContain("Needs work");
});

const ingress = (at: string, name: string, month: number, annotations: string, path = "/") => `
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ${name}
  namespace: ${at}
  creationTimestamp: "2026-0${month}-01T00:00:00Z"
  annotations: { ${annotations} }
spec:
  ingressClassName: nginx
  rules: [{ host: a.example, http: { paths: [{ path: ${path}, pathType: Prefix, backend: { service: { name: s, port: { number: 80 } } } }] } }]
`;
const permitted = `apiVersion: v1
kind: ConfigMap
metadata: { name: ingress-nginx-controller, namespace: ingress-nginx }
data: { allow-snippet-annotations: "true", annotations-risk-level: Critical }
`;
const prefixed = (text: string) => `nginx.ingress.kubernetes.io/${text}`;

test("what only Sluice keeps from another namespace is work, with the key that restores it", async () => {
  const found = await compatOf(
    ingress("a", "web", 1, prefixed('server-snippet: "set $a 1;"')) +
      ingress("b", "alias", 2, prefixed("server-alias: c.example"), "/b") +
      ingress("c", "canary", 2, `${prefixed('canary: "true"')}, ${prefixed('canary-weight: "20"')}`) +
      ingress("d", "snippet", 2, prefixed('server-snippet: "set $b 1;"'), "/d") +
      permitted.replace(/^/, "---\n"),
  );
  const words = found.text.replace(/\s+/g, " ");
  const [work = "", rest = ""] = words.split(/ (?=Wrong or without effect already)/);
  expect(found.code).toBe(1);
  expect(work).toMatch(/server-alias has no effect: [^:]+: set allow-cross-namespace-host-settings: "true"/);
  expect(work).toMatch(/the canary gets no requests there: set allow-cross-namespace-canaries: "true"/);
  expect(rest).not.toMatch(/server-alias|the canary gets no requests/);
  expect(rest).toContain("Ingress d/snippet (values.yaml:");
});

test.each([
  ["~^(.+)[.]a[.]example$", false],
  ["~^(?:x|y)[.]a[.]example$", false],
  ["~^(?<tenant>.+)[.]a[.]example$", true],
])("the alias %s differs only if its groups have names: %s", async (alias, differs) => {
  const found = await compatOf(ingress("a", "web", 1, prefixed(`server-alias: "${alias}"`)));
  expect(found.text.includes("Names of pattern groups")).toBe(differs);
});

test("an auth annotation whose mistake closes the paths is work, because ingress-nginx serves them", async () => {
  const duration = (value: string) => prefixed(`auth-cache-duration: "${value}"`);
  const asking = prefixed("auth-url: 'http://auth.example/'");
  const reportOn = (value: string) => compatOf(ingress("a", "web", 1, `${asking}, ${duration(value)}`));
  expect((await reportOn("200 5m")).code).toBe(0);
  const closed = await reportOn("{200 5m}");
  expect(closed.code).toBe(1);
  expect(closed.text.replace(/\s+/g, " ")).toContain("correct or remove the value; ingress-nginx lets every client in");
});

test("an annotation without effect beside the others is no difference", async () => {
  const found = await compatOf(ingress("a", "web", 1, prefixed('cors-allow-origin: "https://b.example"')));
  expect(found.text).not.toContain("Differs");
  expect(found.text).toContain("enable-cors is not true");
});

test.each([
  ["192.0.2.1", true],
  ["db.example", false],
])("an ExternalName Service of %s differs: %s", async (externalName, differs) => {
  const service = `---\napiVersion: v1\nkind: Service\nmetadata: { name: s, namespace: a }\nspec: { type: ExternalName, externalName: ${externalName} }\n`;
  const found = await compatOf(ingress("a", "web", 1, "") + service);
  expect(found.text.includes("An ExternalName may be an IP address")).toBe(differs);
});

test.each([
  [["mirror-target: https://copy.example/"], true],
  // Both refuse the Ingress because of its limit.
  [["mirror-target: https://copy.example/", "limit-rps: many"], false],
  // Both use the default, which copies nothing.
  [["mirror-target: copy.example"], false],
  // ingress-nginx verifies nothing with this value, and Sluice closes the paths.
  [["limit-rps: many", 'proxy-ssl-verify: "yes"', "proxy-ssl-secret: web/client"], true],
])("the annotations %j differ: %s, because what neither controller applies does not", async (annotations, differs) => {
  const { text } = await compatOf(ingress("a", "web", 1, annotations.map(prefixed).join(", ")));
  expect(/\n(?:Differs|Needs work)\n/.test(text)).toBe(differs);
});

test.each([
  ["https://$(HOST)/start?rd=$escaped_request_uri", false],
  ["https://login.example/start?rd=$target", true],
  ["https://login.example/start?jwt=$auth_resp_jwt", false],
])("the page %s differs only if it names a variable that nothing declares: %s", async (page, differs) => {
  const snippet = 'auth-snippet: "auth_request_set $auth_resp_jwt $upstream_http_x_vouch_jwt;"';
  const annotations = ["auth-url: http://auth.example/check", snippet, `auth-signin: "${page}"`];
  const found = await compatOf(`${permitted}${ingress("a", "web", 1, annotations.map(prefixed).join(", "))}`);
  expect(found.text.includes("A snippet declares variables for its own Ingress")).toBe(differs);
});

test("a ConfigMap with settings that is not read is named as not judged", async () => {
  const found = await compatOf(permitted.replace("namespace: ingress-nginx", "namespace: ingress"));
  expect(found.text.replace(/\s+/g, " ")).toContain(
    "Not judged ConfigMap ingress/ingress-nginx-controller (values.yaml:3:13): its keys are not read, because the settings are those of ConfigMap ingress-nginx/ingress-nginx-controller; --configmap=ingress/ingress-nginx-controller reads these",
  );
});

test("an auth service on the controller's own machine is work, unless a flag allows its port", async () => {
  const text = ingress("a", "web", 1, prefixed("auth-url: http://localhost:8242"));
  const found = await compatOf(text);
  expect(found.code).toBe(1);
  expect(found.text).toContain("--allowed-loopback-ports");
});

test("Ingresses without a class are named, because without a default class nothing serves them", async () => {
  const text = ingress("a", "web", 1, prefixed("enable-cors: 'true'")).replace("  ingressClassName: nginx\n", "");
  const note = "1 Ingress names no class (a/web): a cluster serves it only if an IngressClass is its default one";
  expect((await compatOf(text)).text.replace(/\s+/g, " ")).toContain(note);
  const defaulted =
    'kind: IngressClass\napiVersion: networking.k8s.io/v1\nmetadata: { name: nginx, annotations: { ingressclass.kubernetes.io/is-default-class: "true" } }\nspec: { controller: k8s.io/ingress-nginx }\n';
  expect((await compatOf(`${defaulted}${text}`)).text).not.toContain("names no class");
});

test("an annotation for F5's program is a mistake of an Ingress of ingress-nginx, and otherwise not judged", async () => {
  const theirs = "nginx.org/client-max-body-size: 8m";
  const mixed = await compatOf(ingress("a", "web", 1, `${theirs}, ${prefixed("proxy-body-size: 8m")}`));
  expect(mixed.code).toBe(0);
  expect(mixed.text).not.toContain("Not judged");
  expect(mixed.text).toContain("annotation nginx.org/client-max-body-size has no effect");
  expect((await compatOf(ingress("a", "web", 1, theirs))).text).toContain("Not judged");
});

test("what only this controller cannot apply to rules without a host is work, and no mistake of both", async () => {
  const { text, code } = await compatOf(`apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: custom
  annotations: { nginx.ingress.kubernetes.io/server-snippet: "location /x { return 404; }" }
spec:
  ingressClassName: nginx
  rules: [{ http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] } }]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: ingress-nginx-controller, namespace: ingress-nginx }
data: { allow-snippet-annotations: "true", annotations-risk-level: Critical }
`);
  expect(code).toBe(1);
  const [, work = ""] = text.split("\nNeeds work\n");
  expect(work.replaceAll(/\s+/g, " ")).toContain(
    "server-snippet needs a host, and a rule has none; paths without a host answer 503: give the rule a host",
  );
  expect(text).not.toContain("Wrong or without effect already");
});
