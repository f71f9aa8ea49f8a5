/**
 * What `sluice compat` says of values that are written in unusual ways or stand in unusual places.
 */

import { createDiffieHellman } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { compat } from "../../src/cli/compat.ts";
import { compatOf } from "./support/compat-of.ts";
import { ran } from "./support/ran.ts";

const release = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: edge, namespace: flux }
spec:
  chart: { spec: { chart: ingress-nginx } }
  values:
    controller:
      service:
`;

test("a key without a value that the chart needs is refused, in a file and in an object", async () => {
  const inFile = await compatOf({
    "values.yaml": "controller:\n  kind: DaemonSet\n  service:\n    # type: NodePort\n",
  });
  expect([inFile.code, inFile.text]).toEqual([
    1,
    expect.stringContaining("value controller.service (values.yaml:3:3) the chart refuses a key that has no value"),
  ]);
  const inObject = await compatOf({ "release.yaml": release });
  expect([inObject.code, inObject.text]).toEqual([
    1,
    expect.stringContaining(
      "value controller.service, HelmRelease flux/edge (release.yaml:8:7) the chart refuses a key",
    ),
  ]);
  const spare = await compatOf({ "values.yaml": "controller:\n  kind: DaemonSet\n  config:\n  tolerations:\n" });
  expect(spare.code).toBe(0);
});

test("a word that a switch counts as true is named, and changes nothing", async () => {
  const { code, text } = await compatOf({ "values.yaml": "controller: { metrics: { enabled: disable } }\n" });
  expect([code, text]).toEqual([
    0,
    expect.stringContaining('value controller.metrics.enabled is the text "disable", which counts as true'),
  ]);
});

test("Diffie-Hellman parameters that are not used are a difference", async () => {
  const of = (dhParam: string) => compatOf({ "values.yaml": `controller: { kind: DaemonSet }\ndhParam: ${dhParam}\n` });
  const bits = (length: number) => {
    const prime = createDiffieHellman(length).getPrime();
    const integer = Buffer.concat([Buffer.from([0x02, 0x81, prime.length + 1, 0]), prime, Buffer.from([0x02, 1, 2])]);
    const der = Buffer.concat([Buffer.from([0x30, 0x81, integer.length]), integer]).toString("base64");
    const pem = `-----BEGIN DH PARAMETERS-----\n${der}\n-----END DH PARAMETERS-----\n`;
    return Buffer.from(pem).toString("base64");
  };
  const short = await of(bits(512));
  expect([short.code, short.text]).toEqual([
    0,
    expect.stringMatching(/value dhParam .* it is not used: its Secret holds DH PARAMETERS of 512 bits/),
  ]);
  expect((await of("bm9uZQ==")).text).toContain("its Secret does not hold one PEM block of type DH PARAMETERS");
  expect((await of('""')).text).not.toContain("it is not used");
});

test("placeholders in values are not judged, and names of groups are none", async () => {
  const { code, text } = await compatOf({
    "values.yaml": `controller:
  image: { registry: <your-registry> }
  hostNetwork: "\${HOST_NETWORK}"
  config: { http-snippet: "map $uri $a { ~^/(?<part>[a-z]+)$ 1; }" }
  podAnnotations: { pattern: "(?<name>x)" }
  service:
    annotations:
      example.com/certificate: arn:example:<region>:1
      example.com/other: {CERTIFICATE}
`,
  });
  expect(code).toBe(3);
  const [, unjudged] = /Not judged (.*?) The same/.exec(text)!;
  expect(unjudged!.match(/value controller\S+/g)).toEqual([
    "value controller.image.registry",
    "value controller.hostNetwork",
    "value controller.service.annotations.example.com/certificate",
    "value controller.service.annotations.example.com/other",
  ]);
  expect(unjudged).toContain("{CERTIFICATE} is a placeholder that nothing has filled in");
});

const application = (helm: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: edge, namespace: argocd }
spec:
  destination: { namespace: edge }
  source:
    repoURL: https://git.example/fleet
    path: ./charts/ingress-nginx/
    helm: ${helm}
`;

test("an Application whose chart is a folder of a repository names the folder, unless it is here", async () => {
  const alone = await compatOf({ "app.yaml": application("{ valueFiles: [values.yaml] }") });
  expect([alone.code, alone.text]).toEqual([
    3,
    expect.stringContaining(
      "Application argocd/edge (app.yaml:8:5): its values in the folder charts/ingress-nginx, which is not here, are not read",
    ),
  ]);
  const whole = await compatOf({
    "app.yaml": application("{ valueFiles: [values.yaml] }"),
    "fleet/charts/ingress-nginx/values.yaml": "ingress-nginx: { controller: { config: { use-gzip: a } } }\n",
  });
  expect([whole.code, whole.text]).toEqual([0, expect.stringContaining('key use-gzip: "a" is neither')]);
});

test("values in such an Application are judged, below the name of the chart, too", async () => {
  const values = "ingress-nginx: { controller: { config: { use-gzip: a } } }";
  const { code, text } = await compatOf({ "app.yaml": application(`{ values: "${values}" }`) });
  expect([code, text]).toEqual([3, expect.stringContaining('key use-gzip: "a" is neither')]);
});

const requirements = (name: string, repository: string) =>
  `dependencies: [{ name: ${name}, version: 1.0.0, repository: "${repository}" }]\n`;
const inChart = { "Chart.yaml": "name: edge\n", "values.yaml": "nginx-ingress: { controller: { kind: DaemonSet } }\n" };

test("a directive of a module that the image lacks is work, and without nginx the report says that nothing tested it", async () => {
  const snippet = "subs_filter a b; worker_processes 2;\n      access_by_lua_block { ngx.exit(403) }";
  const { code, text } = await compatOf({
    "values.yaml": `controller:\n  config:\n    location-snippet: |\n      ${snippet}\n`,
  });
  expect(code).toBe(1);
  expect(text).toContain("the image has no module with the directive subs_filter");
  expect(text).toContain("1 snippet was not tested");
});

test("a generator of kustomize for one chart has its values beside it", async () => {
  const generator = (key: string) => `apiVersion: builtin
kind: HelmChartInflationGenerator
metadata: { name: edge }
name: ingress-nginx
repo: https://kubernetes.github.io/ingress-nginx
${key}: edge.yaml
`;
  const values = { "edge/edge.yaml": "controller: { kind: DaemonSet }\n" };
  for (const key of ["valuesFile", "values"]) {
    const { code, text } = await compatOf({ "edge/chart.yaml": generator(key), ...values });
    expect([code, text]).toEqual([0, expect.stringContaining("1 chart value 1 the same")]);
  }
  const { text } = await compatOf({ "edge/chart.yaml": generator("valuesFile") });
  expect(text).toContain("its values in the file edge.yaml, which is not here, are not read");
});

test("templates in a folder are named, also if the folder has no other file", async () => {
  const text = "controller: {}\n";
  const files = {
    "values.yaml.gotmpl": text,
    "values.yaml.j2": text,
    "values.yaml.tftpl": text,
    "values.yaml.tpl": text,
  };
  const found = await compatOf(files);
  expect(found.code).toBe(3);
  const named = [...found.text.matchAll(/(values\S+):1:1: this is a template, which is not read/g)];
  expect(named.map(([, file]) => file)).toEqual(Object.keys(files).sort());
});

test("a license key of MaxMind is work, as its flag is, unless a volume holds the databases", async () => {
  const values = (mounts: string) =>
    `controller:\n  maxmindLicenseKey: secret\n  extraVolumeMounts: [${mounts}]\n  service: { type: NodePort }\n`;
  const alone = await compatOf({ "values.yaml": values("") });
  expect([alone.code, alone.text]).toEqual([1, expect.stringContaining("GeoIP databases are not downloaded")]);
  const withVolume = await compatOf({
    "values.yaml": values("{ name: geoip, mountPath: /etc/ingress-controller/geoip }"),
  });
  expect(withVolume.code).toBe(0);
});

test("use-geoip2 without a volume for the databases has no effect, and is work where ingress-nginx downloads them", async () => {
  const compatWith = (controller: string) =>
    compatOf({ "values.yaml": `controller: { config: { use-geoip2: "true" }${controller} }\n` });
  const alone = await compatWith("");
  expect([alone.code, alone.text]).toEqual([
    0,
    expect.stringContaining("no volume is mounted at /etc/ingress-controller/geoip, so there are no databases"),
  ]);
  const there = "the databases are not in the image: mount them at /etc/ingress-controller/geoip";
  for (const source of [
    ", extraArgs: { maxmind-mirror: 'http://geoip.example' }",
    ", maxmindLicenseKey: secret",
    ", image: { image: edge/nginx-geoip, tag: v1.13.2 }",
  ])
    expect((await compatWith(source)).text).toContain(there);
  const mounted = await compatWith(", extraVolumeMounts: [{ name: a, mountPath: /etc/ingress-controller/geoip/ }]");
  expect(mounted.text).toContain("The same ConfigMap keys: use-geoip2");
  expect(mounted.text).not.toContain("no volume is mounted");
});

test("a header with a variable that nothing declares is work, in values and in a ConfigMap", async () => {
  const headers = "{ X-Id: $req_id, X-Region: $edge_region }";
  const values = await compatOf({
    "values.yaml": `controller:\n  config: { use-gzip: true }\n  proxySetHeaders: ${headers}\n  addHeaders: { X-A: $none }\n`,
  });
  expect(values.code).toBe(1);
  expect(values.text).toContain(
    'key X-Region, ConfigMap ingress-nginx/ingress-nginx-custom-proxy-headers (values.yaml:3:37) "$edge_region" names',
  );
  expect(values.text).toContain("key X-A, ConfigMap ingress-nginx/ingress-nginx-custom-add-headers (values.yaml:4:17)");
  expect(values.text).not.toContain("$req_id");
  const declared = `http-snippet: "map $host $edge_region { default eu; }"`;
  expect(
    (await compatOf({ "values.yaml": `controller: { config: { ${declared} }, proxySetHeaders: ${headers} }\n` })).code,
  ).toBe(0);
  const metadata = (name: string) => `{ namespace: ingress-nginx, name: ${name} }`;
  const inObjects = await compatOf({
    "settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata: ${metadata("ingress-nginx-controller")}
data: { proxy-set-headers: ingress-nginx/headers }
---
apiVersion: v1
kind: ConfigMap
metadata: ${metadata("headers")}
data: ${headers}
`,
  });
  expect(inObjects.text).toContain('key X-Region, ConfigMap ingress-nginx/headers (settings.yaml:9:24) "$edge_region"');
});

test("values below a switch that is off are the same, whatever they contain", async () => {
  const values = (enabled: boolean) => `controller:
  admissionWebhooks: { enabled: ${enabled}, certificate: /certs/tls.crt, patch: { image: { tag: "1" } } }
  autoscaling: { enabled: ${enabled}, apiVersion: autoscaling/v2beta1 }
defaultBackend: { enabled: ${enabled}, image: { image: defaultbackend-amd64, tag: "1.5" } }
`;
  const off = await compatOf({ "values.yaml": values(false) });
  expect([off.code, off.text]).toEqual([0, expect.stringContaining("8 chart values 8 the same 0 differ")]);
  const on = await compatOf({ "values.yaml": values(true) });
  expect(on.text).toContain("8 chart values 3 the same 5 differ");
  const patch = await compatOf({ "values.yaml": "controller: { admissionWebhooks: { patch: { enabled: false } } }\n" });
  expect(patch.text).toContain("1 chart value 0 the same 1 differ");
});

test("an image that a user has built is work, and those of ingress-nginx and Sluice are not", async () => {
  const compatWith = (image: string) =>
    compatOf({ "values.yaml": `controller: { kind: DaemonSet, image: ${image} }\n` });
  const own = await compatWith('{ repository: registry.example.com/edge/nginx-geoip, tag: "2.1" }');
  expect([own.code, own.text]).toEqual([
    1,
    expect.stringContaining(
      'the chart starts "registry.example.com/edge/nginx-geoip" in place of Sluice\'s image: take the value out',
    ),
  ]);
  for (const image of [
    "{ repository: registry.example.com/mirror/ingress-nginx/controller }",
    "{ registry: ghcr.io, image: porter-dev/ingress-nginx-controller, tag: v1.15.5 }",
    "{ registry: registry.example.com, image: sluice/controller }",
  ])
    expect((await compatWith(image)).code).toBe(0);
});

test("an image that is built on ingress-nginx's is work, and so are the Lua plugins that it runs", async () => {
  const compatWith = (image: string) =>
    compatOf({ "values.yaml": `controller: { image: ${image}, config: { plugins: crowdsec } }\n` });
  const built = await compatWith("{ registry: docker.io, image: crowdsecurity/controller, tag: v1.13.2 }");
  expect(built.code).toBe(1);
  expect(built.text).toContain('the chart ignores "crowdsecurity/controller", because its tag is a version of ingress');
  expect(built.text).toContain("the image crowdsecurity/controller:v1.13.2 runs these Lua plugins");
  expect(built.text).not.toContain("has no effect");
  expect((await compatWith("{ tag: v1.11.3 }")).text).toContain(
    "the image ingress-nginx/controller:v1.11.3 runs these Lua plugins",
  );
  const later = await compatWith("{ image: ingress-nginx/controller, tag: v1.15.1 }");
  expect([later.code, later.text]).toEqual([0, expect.stringContaining("Lua plugins were removed")]);
});

test("the module of Wallarm's build of ingress-nginx is work where it is on", async () => {
  const compatWith = (enabled: boolean) =>
    compatOf({ "values.yaml": `controller: { kind: DaemonSet, wallarm: { enabled: ${enabled}, token: secret } }\n` });
  const on = await compatWith(true);
  expect([on.code, on.text]).toEqual([1, expect.stringContaining("the image filters no requests")]);
  expect((await compatWith(false)).code).toBe(0);
});

test("modules and files of a user's own image are work", async () => {
  const { code, text } = await compatOf({
    "values.yaml": `controller:
  extraModules: [{ name: datadog, image: { image: datadog/ingress-nginx-injection } }]
  extraVolumes: [{ name: lua, configMap: { name: lua } }]
  extraVolumeMounts: [{ name: lua, mountPath: /opt/lua }]
  config:
    main-snippet: load_module /modules_mount/ngx_http_datadog_module.so;
    http-snippet: |
      init_by_lua_file /opt/lua/init.lua;
      include /etc/nginx/custom/maps.conf;
`,
  });
  expect(code).toBe(1);
  expect(text).toContain("A module has to be built for this image's nginx");
  expect(text).toContain("load_module /modules_mount/ngx_http_datadog_module.so: build it for the image's nginx");
  expect(text).toContain("the image has no file /etc/nginx/custom/maps.conf: mount it");
  expect(text).not.toContain("init.lua");
});

test("a variable of a template of Terraform is not judged, in a flag and in a value", async () => {
  const { code, text } = await compatOf({
    "values.yaml":
      "controller:\n  ingressClass: ${class}\n  ingressClassResource: { name: '${class}' }\n  config: { server-name-hash-bucket-size: '64' }\n",
  });
  expect(code).toBe(3);
  expect(text).toContain("a tool should have filled in ${class} before, such as Terraform");
  expect(text).toContain("value controller.ingressClassResource.name of values");
});

test("a key with a placeholder that makes it unreadable is not judged", async () => {
  const { code, text } = await compatOf({
    "values.yaml": `controller:
  config:
    proxy-real-ip-cidr: "\${cluster_cidr},10.0.0.0/8"
    log-format-upstream: "\${remote_addr}"
    keep-alive: "many"
    whitelist-source-range: "10.0.0.0/8,XXX.XXX.XXX/XX"
`,
  });
  expect(code).toBe(3);
  expect(text).toContain(
    'key proxy-real-ip-cidr of ConfigMap ingress-nginx/ingress-nginx-controller (values.yaml:3:5): "${cluster_cidr},10.0.0.0/8": a tool should have filled in ${cluster_cidr} before',
  );
  expect(text).toContain('"10.0.0.0/8,XXX.XXX.XXX/XX": replace XXX.XXX.XXX/XX with a value of your own');
  expect(text).toContain("2 ConfigMap keys 1 the same 1 differ");
});

test("a values file that helmfile renders names the command for values", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-compat-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "values.yaml.gotmpl");
  writeFileSync(file, "controller:\n  service:\n    loadBalancerIP: {{ .Values.ip }}\n");
  const { failure } = await ran(compat, "--values", file);
  expect(failure).toContain("render it first, for example with helmfile write-values");
});

test("values below nginx-ingress are not judged, whatever a requirements.yaml says, and those below ingress-nginx are", async () => {
  const old = await compatOf({
    ...inChart,
    "requirements.yaml": requirements("nginx-ingress", "https://charts.helm.sh/stable"),
  });
  expect([old.code, old.text]).toEqual([
    3,
    expect.stringContaining(
      "these are values of a chart called nginx-ingress, which may be F5's or one that ended in 2020",
    ),
  ]);
  expect(old.text).not.toContain("requirements.yaml:1:1");
  const ours = await compatOf({
    ...inChart,
    "values.yaml": "ingress-nginx: { controller: { kind: DaemonSet } }\n",
    "requirements.yaml": requirements("ingress-nginx", "https://kubernetes.github.io/ingress-nginx"),
  });
  expect([ours.code, ours.text]).toEqual([0, expect.stringContaining("chart values: controller.kind")]);
});

test.each([
  [{ lifecycle: { preStop: { exec: { command: ["/bin/sh", "-c", "sleep 15; /wait-shutdown"] } } } }, "lifecycle"],
  [{ lifecycle: { preStop: { exec: { command: ["sleep", "30"] } } } }, "lifecycle"],
  [{ livenessProbe: { exec: { command: ["/bin/bash", "-c", "true"] } } }, "livenessProbe"],
  [{ lifecycle: { preStop: { exec: { command: ["/wait-shutdown"] } } } }, undefined],
  [{ lifecycle: { preStop: { sleep: { seconds: 30 } } } }, undefined],
  [{ image: { tag: "0.1.0-debug" }, lifecycle: { preStop: { exec: { command: ["sh"] } } } }, undefined],
])("%j starts a program that the image lacks, in %s", async (controller, name) => {
  const found = await compatOf({ "values.yaml": JSON.stringify({ controller: { replicaCount: 2, ...controller } }) });
  expect(found.text.includes("and the image has no shell")).toBe(name !== undefined);
  expect(found.code).toBe(name === undefined ? 0 : 1);
  if (name !== undefined) expect(found.text).toMatch(new RegExp(`Needs work[^]*value controller.${name} `));
});

test("a list of forbidden words differs only if one of them is empty", async () => {
  const noted = async (words: string) => {
    const values = { controller: { replicaCount: 2, config: { "annotation-value-word-blocklist": words } } };
    const found = await compatOf({ "values.yaml": JSON.stringify(values) });
    return found.text.split("For every cluster")[0]!.includes("An empty word in a list");
  };
  for (const words of ["load_module,lua_package", "alias"]) expect(await noted(words)).toBe(false);
  for (const words of ["alias,,root", "alias,", ",alias"]) expect(await noted(words)).toBe(true);
});
