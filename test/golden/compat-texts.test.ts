/**
 * What `sluice compat` finds in files of any tool: annotations, ConfigMap keys and values of the
 * chart, with their whole values and their lines, and what it says of the rest.
 */
import { expect, test } from "vitest";
import { compatOf } from "./support/compat-of.ts";

/** Returns the places in a report's text that are about one annotation, key or value. */
const placeOf = (text: string, name: string) => new RegExp(`${name}[^()]*\\(([^()]+)\\)`).exec(text)?.[1];

const prefix = "nginx.ingress.kubernetes.io";

test("annotations in the values of another chart are judged with their lines, whatever stands around them", async () => {
  const { code, text } = await compatOf({
    "apps/media/release.yaml": `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: media, namespace: apps }
spec:
  chart: { spec: { chart: app-template } }
  values:
    ingress:
      app:
        annotations:
          ${prefix}/auth-url: "https://auth.\${DOMAIN}/verify"
          ${prefix}/auth-type: digest
          ${prefix}/proxy-body-size: "\${SIZE}"
          ${prefix}/rewrite-target: /$2
          ${prefix}/configuration-snippet: |
            set $part "\${DOMAIN}";
            subs_filter a b;
        hosts: [{ host: "media.\${DOMAIN}" }]
    resources: {}
`,
    "namespace.yaml": 'apiVersion: v1\nkind: Namespace\nmetadata: { name: "${NS}" }\n',
  });
  expect(code).toBe(1);
  expect(text).toContain("5 annotations stand outside of Ingresses, in 1 place, which counts as 1 Ingress");
  expect(text).toContain("1 Ingress 0 the same 0 differ 1 need work");
  expect(text).toContain("annotation auth-type, HelmRelease apps/media (apps/media/release.yaml:11:11)");
  expect(text).toContain("apps/media/release.yaml:12:11: a tool fills in the value of this annotation");
  // The address is judged with any host in it, and neither the Service nor the namespace is a gap.
  expect(text).not.toMatch(/auth-url: |names \$2|not found|Namespace/);
});

test("an Ingress with a placeholder for its host is judged by its annotations", async () => {
  const { text } = await compatOf({
    "shop.yaml": `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: shop
  annotations:
    ${prefix}/auth-type: digest
spec:
  ingressClassName: nginx
  rules: [{ host: "shop.\${DOMAIN}", http: { paths: [] } }]
`,
  });
  expect(text).toContain("annotation auth-type, Ingress default/shop (shop.yaml:6:5)");
  expect(text).toContain("Not judged Ingress default/shop (shop.yaml:9");
});

test("templates, Terraform and scripts are searched for annotations, keys and values", async () => {
  const { code, text } = await compatOf({
    "settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata: { name: ingress-nginx-controller, namespace: ingress-nginx }
data: { allow-snippet-annotations: "true", annotations-risk-level: Critical }
`,
    "chart/templates/web.yaml": `kind: Ingress
metadata:
  name: {{ .Release.Name }}
  annotations:
    {{- if .Values.login }}
    ${prefix}/auth-type: digest
    {{- end }}
    # ${prefix}/auth-type: none
    ${prefix}/configuration-snippet: >-
      subs_filter a b;
`,
    "ingress.tf": `resource "kubernetes_ingress_v1" "shop" {
  metadata {
    annotations = {
      "${prefix}/server-snippet" = <<-EOT
        set_md5 $a b;
      EOT
      "${prefix}/proxy-body-size" = "lots"
    }
  }
}
resource "kubernetes_config_map" "settings" {
  metadata { name = "ingress-nginx-controller" }
  data = {
    "keep-alive" = "75s"
  }
}
`,
    "install.sh": `helm upgrade --install edge ingress-nginx/ingress-nginx \\
  --set controller.kind=Deamonset --set-string controller.config.use-http3=true
`,
  });
  expect(code).toBe(1);
  expect(placeOf(text, "annotation auth-type")).toBe("chart/templates/web.yaml:6:5");
  expect(placeOf(text, "annotation configuration-snippet")).toBe("chart/templates/web.yaml:9:5");
  expect(placeOf(text, "annotation server-snippet")).toBe("ingress.tf:4:8");
  expect(text).toContain("ingress.tf (ingress.tf:7:8): annotation proxy-body-size");
  expect(text).toContain("(ingress.tf:14:6)");
  expect(text).toContain('value controller.kind, install.sh (install.sh:2:9) the chart refuses "Deamonset"');
  expect(text).toMatch(/key use-http3, ConfigMap \S+ \(install.sh:2:48\)/);
  for (const file of ["chart/templates/web.yaml", "ingress.tf", "install.sh"])
    expect(text).toMatch(new RegExp(`${file}:\\d+:\\d+: this is`));
});

const release = (values: string) => `# A brace { in a comment.
resource "helm_release" "edge" {
  repository = "https://kubernetes.github.io/ingress-nginx"
  chart      = "ingress-nginx"
  values = [${values}]
}
`;

test("values in a heredoc are judged with their lines, and a variable is a placeholder", async () => {
  const { code, text } = await compatOf({
    "main.tf": release(`
    <<-EOF
    controller:
      config:
        enable-gzip: "true"
      ingressClassResource:
        name: \${var.class}
    EOF
  `),
  });
  expect(code).toBe(3);
  expect(text).toContain("(main.tf:9:9): key enable-gzip does not exist (did you mean use-gzip?)");
  expect(text).toContain("value controller.ingressClassResource.name of main.tf (main.tf:11:9):");
});

test.each([
  ["directives of a template", release("<<A\ncontroller:\n%{ if var.own }\n  kind: Deamonset\n%{ endif }\nA\n")],
  ["marks of helm", release("<<A\ncontroller:\n{{ if .own }}\n  kind: Deamonset\n{{ end }}\nA\n")],
])("values with %s are judged", async (_, text) => {
  const found = await compatOf({ "main.tf": text });
  expect([found.code, found.text]).toEqual([1, expect.stringContaining('the chart refuses "Deamonset"')]);
});

test.each([
  ["another chart", release("<<A\ncontroller: { replicas: 2 }\nA\n").replaceAll("ingress-nginx", "haproxy-ingress")],
  ["no heredoc", release('file("ingress-values.yaml")')],
])("a file with %s is named", async (_, text) => {
  const found = await compatOf({ "main.tf": text });
  expect([found.code, found.text]).toEqual([3, expect.stringContaining("this is Terraform, which is not read")]);
});

const pointer = `/metadata/annotations/${prefix}~1auth-type`;
const patch = `- op: add\n  path: ${pointer}\n  value: digest\n`;
const kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";

test.each([
  ["a JSON patch", { "patch.json": JSON.stringify([{ op: "add", path: pointer, value: "digest" }]) }, "1:2"],
  ["a patch in YAML", { "patch.yaml": patch }, "1:3"],
  [
    "a patch inside a kustomization",
    { "kustomization.yaml": `${kustomization}patches:\n  - patch: |-\n${patch.replace(/^(?=.)/gm, "      ")}` },
    "5:9",
  ],
  ["a list of names and values", { "a.yaml": `web: { all: [{ key: ${prefix}/auth-type, value: digest }] }\n` }, "1:14"],
])("an annotation in %s is judged", async (_, files, place) => {
  const { text } = await compatOf(files);
  const [file] = Object.keys(files);
  expect(text).toMatch(new RegExp(`annotation auth-type, [^()]*\\(${file}:${place}\\) Digest authentication`));
});

test("each key of one --set is judged", async () => {
  const { text } = await compatOf({
    "install.sh":
      "helm install edge ingress-nginx/ingress-nginx --set controller.kind=Deamonset,controller.confg.x=2\n",
  });
  expect(text).toContain('value controller.kind, install.sh (install.sh:1:53) the chart refuses "Deamonset"');
  expect(text).toContain("value controller.confg, install.sh (install.sh:1:79) the chart refuses it as a typo");
});

test("three keys of the chart are its values without any name, and fewer are not", async () => {
  const object = (values: string) => ({
    "stack.yaml": `apiVersion: example.com/v1\nkind: Stack\nmetadata: { name: edge }\nspec: { parts: [{ values: { controller: ${values} } }] }\n`,
  });
  const three = await compatOf(object("{ hostNetwork: true, kind: Deamonset, config: {} }"));
  expect([three.code, three.text]).toEqual([1, expect.stringContaining("value controller.kind, Stack default/edge")]);
  expect((await compatOf(object("{ kind: Deamonset, resources: {} }"))).code).toBe(2);
});
