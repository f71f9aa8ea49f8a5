/** What `sluice compat` says of the releases that other tools install. */
import { expect, test } from "vitest";
import { compatOf } from "./support/compat-of.ts";

test("several values files with one difference are named by their places", async () => {
  const { text } = await compatOf({
    "a.yaml": "controller: { hostNetwork: true, strategy: {} }\n",
    "b.yaml": "controller:\n  hostNetwork: true\n  strategy: {}\n",
  });
  expect(text).toContain("value controller.hostNetwork, 2 places: a.yaml:1:15 b.yaml:2:3 ");
  expect(text).toContain("values (a.yaml:1:34) and 1 more: value controller.strategy does not exist");
});

test("a name in place of the chart's is the same in both charts", async () => {
  const { text } = await compatOf({ "values.yaml": "nameOverride: edge\ncontroller: { kind: DaemonSet }\n" });
  expect(text).toContain("2 chart values 2 the same");
});

test("a release without values is not said to have some, also beside something unjudged", async () => {
  const { code, text } = await compatOf({
    "release.yaml": `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: ingress-nginx }
spec: { chart: { spec: { chart: ingress-nginx } } }
`,
    "overlay/kustomization.yaml":
      "kind: Kustomization\nresources: [../release.yaml]\npatches: [{ patch: 'kind: Ingress' }]\n",
  });
  expect([code, text]).toEqual([3, expect.stringContaining("its release of ingress-nginx sets no values")]);
});

const k3s = (kind: string, spec: string) =>
  `apiVersion: helm.cattle.io/v1\nkind: ${kind}\nmetadata: { name: rke2-ingress-nginx, namespace: kube-system }\nspec: ${spec}\n`;

test("values of a HelmChart and of its HelmChartConfig are judged", async () => {
  const chart = k3s(
    "HelmChart",
    '{ chart: ingress-nginx, set: { controller.replicaCount: 3 }, valuesContent: "controller: { config: { use-gzip: a } }" }',
  );
  const config = k3s(
    "HelmChartConfig",
    '{ valuesContent: "controller: { replicaCount: b, hostNetwork: true, config: { use-gzip: on } }" }',
  );
  const { text } = await compatOf({ "chart.yaml": chart, "config.yaml": config });
  expect(text).toContain("3 chart values");
  expect(text).toContain("(config.yaml:5:");
  expect(text).toContain("(chart.yaml:5:");
});

test("values of an Application are judged as a text and as a mapping", async () => {
  const { text } = await compatOf({
    "app.yaml": `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: ingress-nginx, namespace: argocd }
spec:
  source:
    chart: ingress-nginx
    repoURL: https://kubernetes.github.io/ingress-nginx
    helm: { values: "controller: { confg: {} }", valuesObject: { controller: { kind: DaemonSet } } }
`,
  });
  expect(text).toContain("chart values: controller.kind");
  expect(text).toContain("did you mean controller.config?");
});

test("a HelmChart has values in its field set, and in Secrets that are not read", async () => {
  const chart = "chart: https://charts.example/ingress-nginx-4.0.6.tgz";
  const { code, text } = await compatOf({
    "chart.yaml": k3s(
      "HelmChart",
      `{ ${chart}, set: { controller.kind: DaemonSet, controller.config.use-gzip: a }, valuesSecrets: [{ name: edge }] }`,
    ),
  });
  expect(code).toBe(3);
  expect(text).toContain("(chart.yaml:4:");
  expect(text).toContain("its values in Secret edge are not read");
  expect(text).toContain('key use-gzip: "a" is neither');
  expect(text).toContain("chart values: controller.config, controller.kind");
});

test("content that is no object is not judged where it is about Ingresses, and left out elsewhere", async () => {
  const { code, text } = await compatOf({
    "values.yaml": "controller: { kind: DaemonSet }\n",
    "config.json": '{ "name": "edge" }\n',
    "namespace.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: { name: edge }\n",
    "grafana.yaml": "image: { tag: v1 }\ningress: { enabled: true }\n",
    "helmfile.yaml": "releases: [{ name: edge, chart: ingress-nginx/ingress-nginx }]\n",
    "site.yaml": "- import_playbook: ingress.yaml\n",
    "disks.yaml": "- hosts: all\n  tasks: []\n",
    "edge.tfvars.json": '{ "name": "edge" }\n',
    "broken.yaml": "metadata: { name: web }\n",
  });
  expect(code).toBe(3);
  const [, unjudged] = /Not judged (.*?) The same/.exec(text)!;
  expect(unjudged!.match(/\w+\.(yaml|json):1:1: .*?(?=[,:;] )/g)).toEqual([
    "broken.yaml:1:1: it is not a Kubernetes object",
    "grafana.yaml:1:1: it is not a Kubernetes object",
    "helmfile.yaml:1:1: this is a helmfile",
    "site.yaml:1:1: this is a playbook of Ansible",
  ]);
  expect(unjudged).toContain("if a chart makes Ingresses of it, pipe helm template into sluice compat -");
});

test("programs and scripts that install the chart are named, and others are not", async () => {
  const { code, text } = await compatOf({
    "values.yaml": "controller: { kind: DaemonSet }\n",
    "index.ts":
      'import * as k8s from "@pulumi/kubernetes";\nnew k8s.helm.v3.Release("a", { chart: "ingress-nginx" });\n',
    "install.sh": "helm upgrade --install edge ingress-nginx/ingress-nginx --set controller.kind=DaemonSet\n",
    "other.ts": "export const chart = 'ingress-nginx';\n",
    "port.sh": "kubectl --namespace ingress-nginx get pods\n",
    "app.py": "import pulumi\n",
    "web.dhall": 'k8s.Ingress::{ metadata = k8s.ObjectMeta::{ name = Some "web" } }\n',
    "size.dhall": "10\n",
  });
  expect(code).toBe(3);
  expect(text.match(/\S+:1:1: this is .*?(?=,)/g)).toEqual([
    "index.ts:1:1: this is a program that installs charts",
    "install.sh:1:1: this is a program that installs charts",
    "web.dhall:1:1: this is Dhall",
  ]);
});

test("all values in a fleet.yaml of Rancher are judged", async () => {
  const { code, text } = await compatOf({
    "ingress/fleet.yaml": `defaultNamespace: edge
helm:
  chart: ingress-nginx
  repo: https://kubernetes.github.io/ingress-nginx
  valuesFiles: [values.yaml, gone.yaml]
  values: { controller: { kind: DaemonSet } }
  valuesFrom: [{ secretKeyRef: { name: token } }]
targetCustomizations:
  - { name: east, helm: { values: { controller: { hostNetwork: true } } } }
  - { name: west }
`,
    "ingress/values.yaml": "controller: { config: { use-gzip: a } }\n",
    "grafana/fleet.yaml": "helm: { chart: grafana, values: { ingress: { enabled: true } } }\n",
  });
  expect(code).toBe(3);
  expect(text).toContain("ingress/fleet.yaml:5:30): its values in the file gone.yaml, which is not here, are not read");
  expect(text).toContain("its values in Secret token are not read");
  expect(text).toContain('key use-gzip: "a" is neither');
  expect(text).toMatch(/key use-gzip, ConfigMap \S+ \(ingress\/values.yaml:1:25\)/);
  expect(text).toContain("value controller.hostNetwork (ingress/fleet.yaml:9:");
});

test("a release whose values are elsewhere is not said to have none", async () => {
  const application = (files: string, values = "") => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: ingress-nginx, namespace: argocd }
spec:
  source:
    chart: ingress-nginx
    repoURL: https://kubernetes.github.io/ingress-nginx
    helm: { valueFiles: [${files}]${values} }
`;
  const gone = await compatOf({ "app.yaml": application("$values/edge.yaml") });
  expect([gone.code, gone.text]).toEqual([
    3,
    expect.stringContaining("its values in the file edge.yaml, which is not here, are not read"),
  ]);
  const some = await compatOf({
    "app.yaml": application("$values/edge.yaml", ", valuesObject: { controller: { kind: DaemonSet } }"),
  });
  expect(some.text).toContain("from the values");
  // The file of this name in the archive of the chart holds its defaults.
  const own = await compatOf({ "app.yaml": application("values.yaml") });
  expect([own.code, own.text]).toEqual([0, expect.stringContaining("its release of ingress-nginx sets no values")]);
});

test("values of other charts that have a controller, too, are none of ingress-nginx", async () => {
  const ours = "controller: { config: { use-gzip: a } }\n";
  const argo = "controller: { replicas: 1, metrics: { enabled: true } }\nserver: { ingress: { enabled: true } }\n";
  const files = {
    "argocd/values.yaml": argo,
    "ingress/kgateway/values.yaml": "controller: { extraEnv: {}, replicaCount: 1 }\nagentgateway: { enabled: true }\n",
    "metallb.yaml": "controller: { image: { tag: v1 } }\nspeaker: { enabled: true }\n",
    "jenkins.yaml": "controller: { adminUser: a, installPlugins: [b], JCasC: {}, resources: {} }\n",
    "kgateway/values.yaml": "controller: { image: { tag: v2 } }\n",
    "kgateway/release.yaml": `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: kgateway }
spec: { chartRef: { kind: OCIRepository, name: kgateway } }
`,
    "umbrella.yaml": `argo-cd:\n${argo.replace(/^/gm, "  ")}\n`,
    "edge.yaml": ours,
  };
  const { code, text } = await compatOf(files);
  expect(code).toBe(3);
  expect(text).toContain("1 chart value 1 the same");
  const unjudged = text.match(/\S+\.yaml(?=:1:1: it is not a Kubernetes object, and its keys)/g);
  expect(unjudged).toEqual(["argocd/values.yaml", "umbrella.yaml"]);
  // A key at a wrong level does not make it another chart, and the name of the file counts.
  const misplaced = await compatOf({ "edge.yaml": "controller: { kind: DaemonSet }\nservice: { type: NodePort }\n" });
  expect(misplaced.text).toContain("value service does not exist");
  const named = await compatOf({
    "ingress-nginx.yaml": "controller: { kind: DaemonSet }\nextra: { type: NodePort }\n",
  });
  expect(named.text).toContain("value extra does not exist");
});

test("a Secret that sops has encrypted is no gap of the report", async () => {
  const { code, text } = await compatOf({
    "values.yaml": "controller: { kind: DaemonSet }\n",
    "auth.yaml": `apiVersion: v1
kind: Secret
metadata: { name: auth }
data: { auth: "ENC[AES256_GCM,data:aGk=,type:str]" }
sops: { version: 3.9.0 }
`,
  });
  expect([code, text.includes("sops")]).toEqual([0, false]);
});

test("templates with marks inside quotes are templates of helm", async () => {
  const alert =
    'kind: PrometheusRule\nspec:\n  summary: "Volume {{ "{{" }}$labels.volume{{ "}}" }}, see the ingress"\n';
  const policy = 'kind: CleanupPolicy\nspec:\n  - key: {{`"{{ target.ingress }}"`}}\n';
  const { text } = await compatOf({ "alert.yaml": alert, "policy.yaml": policy });
  expect(text.match(/\S+:\d+:\d+: this is a template and .*? helm template/g)).toHaveLength(2);
});

test("values are Bitnami's only with a key that hardly any other chart has", async () => {
  const ingress = "ingress: { enabled: true }\n";
  const values = (text: string) => compatOf({ "values.yaml": `${text}\n${ingress}`, "edge.yaml": "controller: {}\n" });
  const bitnamis = "these are values of Bitnami's chart nginx-ingress-controller";
  expect((await values("config: { auth_enabled: false }\nextraArgs: {}")).text).not.toContain(bitnamis);
  expect((await values("config: { use-gzip: 'true' }\npublishService: { enabled: true }")).text).toContain(bitnamis);
});

test("values for the tests of a chart are no values of a release", async () => {
  const { text } = await compatOf({
    "charts/nfs/Chart.yaml": "name: nfs-subdir-external-provisioner\n",
    "charts/nfs/ci/test-values.yaml": "nfs: { server: 127.0.0.1 }\npodSecurityPolicy: { enabled: true }\n",
    "charts/ingress-nginx/Chart.yaml": "name: ingress-nginx\n",
    "charts/ingress-nginx/ci/a-values.yaml": "controller: { image: { repository: a/b }, extraModules: [] }\n",
    "charts/ingress-nginx/values-lan.yaml": "controller: { kind: DaemonSet }\n",
  });
  expect(text).toContain("1 chart value 1 the same 0 differ 0 need work");
  expect(text).not.toContain("/ci/");
  // Without the chart, the name of the folder says nothing, and many charts have the last value.
  const others = await compatOf({
    "ci/edge.yaml": "controller: { kind: DaemonSet }\n",
    "nfs.yaml": "nfs: { server: 127.0.0.1 }\npodSecurityPolicy: { enabled: true }\n",
  });
  expect(others.text).toContain("1 chart value 1 the same 0 differ 0 need work");
});
