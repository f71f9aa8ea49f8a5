/**
 * Tests the tools with a live cluster: reading through a kubeconfig, and the effect of a folder on
 * the cluster.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gatewaySuite } from "../../scripts/gateway-suite.ts";
import { toolPath } from "../../scripts/kubernetes-tools.ts";
import { check } from "../../src/cli/check.ts";
import { compat } from "../../src/cli/compat.ts";
import { convert } from "../../src/cli/convert.ts";
import { diff } from "../../src/cli/diff.ts";
import { render } from "../../src/cli/render.ts";
import { routes } from "../../src/cli/routes.ts";
import { defaultOptions } from "../../src/core/table/options.ts";
import { ran, type Tool } from "../golden/support/ran.ts";
import { gateway, gatewayClass } from "../support/gateways.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { ingress, shopObjects } from "./support/shop.ts";
import { apply, ingressClass } from "./support/sluice.ts";

let cluster: Cluster;
let folder: string;
const args = [
  "/nginx-ingress-controller",
  "--configmap=$(POD_NAMESPACE)/ingress-nginx-controller",
  "--publish-service=$(POD_NAMESPACE)/ingress-nginx-controller",
  "--log_dir=/tmp",
];
const controller = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { namespace: "ingress-nginx", name: "ingress-nginx-controller" },
  spec: {
    selector: { matchLabels: { app: "ingress-nginx" } },
    template: {
      metadata: { labels: { app: "ingress-nginx" } },
      spec: { containers: [{ name: "controller", image: "registry.example/ingress-nginx/controller:v1.15.1", args }] },
    },
  },
};
const prefixed = (key: string) => `nginx.ingress.kubernetes.io/${key}`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-live-"));
  cluster = await startCluster({ users: [{ name: "stranger" }] });
  await apply(cluster, [
    ...shopObjects,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "ingress-nginx" } },
    ingressClass("nginx", "k8s.io/ingress-nginx"),
    ingressClass("other", "example.com/other"),
    controller,
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "ingress-nginx", name: "ingress-nginx-controller" },
      data: { "proxy-body-size": "8m", "keep-alive": "75s" },
    },
    ingress("plain"),
    ingress("guarded", { annotations: { [prefixed("auth-type")]: "digest", [prefixed("auth-secret")]: "users" } }),
    ingress("typo", { annotations: { [prefixed("proxy-raed-timeout")]: "60" } }),
    ingress("elsewhere", { ingressClass: "other" }),
  ]);
});
afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true });
});

const live = (user?: string) => `--kubeconfig=${cluster.kubeconfig(user)}`;

test("compat gives the same report for a cluster and for its dump", async () => {
  const text = await ran(compat, live());
  expect(text).toMatchObject({ code: 1, failure: "" });
  expect(text.text).toContain("flags and ConfigMap of Deployment ingress-nginx/ingress-nginx-controller");
  expect(text.text).toMatch(/3 Ingresses +2 the same +0 differ +1 need work, 1 of another class left out/);
  expect(text.text).toMatch(/annotation auth-type, Ingress shop\/guarded\n +Digest authentication answers 503/);
  expect(text.text).toContain("--log_dir, Deployment ingress-nginx/ingress-nginx-controller\n");

  const kinds = "ingress,ingressclass,service,configmap,secret,deployment,daemonset";
  writeFileSync(join(folder, "dump.yaml"), await cluster.kubectl(["get", kinds, "--all-namespaces", "-o", "yaml"]));
  const [one, other] = await Promise.all(
    [live(), join(folder, "dump.yaml")].map(async (from) => JSON.parse((await ran(compat, from, "-o", "json")).text)),
  );
  const bare = (items: readonly { readonly at?: unknown }[]) =>
    items.map(({ at: _, ...item }) => JSON.stringify(item)).sort();
  expect(bare(other.items)).toEqual(bare(one.items));
  expect(other.ingresses).toEqual(one.ingresses);
});

test("convert writes the same for the cluster of a context and for its dump", async () => {
  const context = (await cluster.kubectl(["config", "current-context"])).trim();
  const dump = join(folder, "convert.yaml");
  const kinds = "ingress,ingressclass,service,endpointslice,configmap,secret,deployment,daemonset,namespace";
  writeFileSync(dump, await cluster.kubectl(["get", kinds, "--all-namespaces", "-o", "yaml"]));
  const sources = [[live(), `--context=${context}`], [dump]];
  const [one, other] = await Promise.all(
    sources.map(async (words) => JSON.parse((await ran(convert, ...words, "-o", "json")).text)),
  );
  const named = (made: {
    readonly objects: readonly { readonly kind: string; readonly metadata: { name: string } }[];
  }) => made.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(named(one)).toEqual(expect.arrayContaining(["Gateway sluice", "HTTPRoute plain", "HTTPRoute typo"]));
  expect(named(one)).not.toContain("HTTPRoute elsewhere");
  expect(other.objects).toEqual(one.objects);
  const unknown = await ran(convert, live(), "--context=nowhere");
  expect([unknown.code, unknown.text]).toEqual([2, ""]);
  expect(unknown.failure).toContain("nowhere");
});

test("check judges the objects of the cluster, or a folder as if it were applied", async () => {
  const all = await ran(check, live());
  expect(all.text).toContain("warning: Ingress shop/typo: annotation proxy-raed-timeout does not exist");
  expect(all.text).toMatch(/ in the cluster\n$/);

  const file = join(folder, "new.yaml");
  writeFileSync(file, JSON.stringify(ingress("late", { service: "nothing" })));
  const late = await ran(check, file, live());
  expect(late.text).toBe(
    "new.yaml:1:1: error: Ingress shop/late: spec.rules[0].http.paths[0].backend: Service shop/nothing not found; the path answers 503\n1 error and no warnings in 1 file\n".replace(
      "new.yaml:1:1",
      late.text.slice(0, late.text.indexOf(": error")),
    ),
  );
  expect(late.text).toMatch(/^new\.yaml:1:\d+: error/);
});

test("diff predicts the effect of kubectl apply", async () => {
  const file = join(folder, "change.yaml");
  writeFileSync(file, JSON.stringify(ingress("plain", { service: "echo-b" })));
  const before = await ran(diff, file, live(), "-o", "json");
  expect(before).toMatchObject({ code: 1, failure: "" });
  const { changes, cost } = JSON.parse(before.text);
  expect(changes[0]).toEqual({
    what: "path",
    name: "plain.example/ (prefix)",
    how: "changed",
    detail: "leads to shop/echo-a:80 -> shop/echo-b:80",
  });
  expect(cost).toEqual({ kind: "data" });
  await cluster.kubectl(["apply", "--server-side", "--force-conflicts", "--filename", file]);
  expect(await ran(diff, file, live())).toMatchObject({ code: 0, text: "nginx has nothing to do\n" });
});

test("render and routes read the cluster of the named context", async () => {
  expect((await ran(render, live())).text).toContain('"host plain.example"');
  const tool: Tool = (argv, out) => routes(argv, out, new Date());
  const printed = await ran(tool, live(), "--context=no-such");
  expect(printed).toMatchObject({ code: 2, failure: expect.stringContaining("has no context no-such") });
  expect((await ran(tool, live())).text).toMatch(/plain\.example\/ +Prefix +shop\/plain +shop\/echo-b:80 +1 ready/);
});

test("a user without the right to read gets a message", async () => {
  const { code, failure } = await ran(check, live("stranger"));
  expect(code).toBe(2);
  expect(failure).toMatch(/cannot be read: .*forbidden/);
});

test("a guard of another controller in the cluster is an error of check and work for compat", async () => {
  const names = { group: "gateway.envoyproxy.io", plural: "securitypolicies", kind: "SecurityPolicy" };
  const open = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const version = { name: "v1alpha1", served: true, storage: true, schema: open };
  await cluster.kubectl(["apply", "--server-side", "--filename", gatewaySuite.definitions("standard")]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  await apply(cluster, [
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${names.plural}.${names.group}` },
      spec: {
        group: names.group,
        scope: "Namespaced",
        names: { plural: names.plural, kind: names.kind, singular: "securitypolicy", listKind: "SecurityPolicyList" },
        versions: [version],
      },
    },
    { ...gatewayClass(), spec: { controllerName: defaultOptions.gateway.controllerName } },
    { ...gateway({}), metadata: { namespace: "shop", name: "gw" } },
  ]);
  await cluster.kubectl(["wait", "--for=condition=Established", `crd/${names.plural}.${names.group}`]);
  const targetRefs = [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "gw" }];
  const policy = {
    apiVersion: `${names.group}/v1alpha1`,
    kind: names.kind,
    metadata: { name: "login", namespace: "shop" },
  };
  await apply(cluster, [{ ...policy, spec: { targetRefs, basicAuth: { users: { name: "users" } } } }]);
  const why = "Gateway shop/gw is served without this guard";
  const checked = await ran(check, live());
  expect(checked).toMatchObject({ code: 1, text: expect.stringContaining(`SecurityPolicy shop/login`) });
  expect(checked.text.replace(/\s+/g, " ")).toContain(why);
  expect((await ran(compat, live())).text.replace(/\s+/g, " ")).toContain(why);
  // Who may not list it gets a note, and the rest is judged.
  expect(await ran(check, live("stranger"))).toMatchObject({ code: 2 });
});

test("compat judges the values in Helm's releases, as helm itself has stored them", async () => {
  const chart = (name: string, template = "") => {
    const path = join(folder, name);
    mkdirSync(join(path, "templates"), { recursive: true });
    writeFileSync(join(path, "Chart.yaml"), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
    if (template !== "") writeFileSync(join(path, "templates", "all.yaml"), template);
    return path;
  };
  const helm = async (release: string, path: string, values: object) => {
    const file = join(folder, "values.json");
    writeFileSync(file, JSON.stringify(values));
    const words = ["upgrade", "--install", release, path, "--namespace=ingress-nginx", `--values=${file}`];
    await execa(toolPath("helm"), words, { env: { KUBECONFIG: cluster.kubeconfig() } });
  };
  const controller = chart("ingress-nginx");
  await helm("edge", controller, { controller: { config: { "no-such-key": "of an older revision" } } });
  await helm("edge", controller, { controller: { confg: {}, config: { "keep-alive": "75s" } } });
  const annotations = { [prefixed("auth-tls-verify-client")]: "sometimes" };
  await helm("graphs", chart("graphs"), { ingress: { annotations }, controller: { kind: "Deployment" } });
  const { items, unjudged } = JSON.parse((await ran(compat, live(), "-o", "json")).text);
  const ofReleases = items.filter((one: { readonly of: string }) => one.of.startsWith("release "));
  const found = ofReleases.map((one: { readonly [of: string]: unknown }) => [one.of, one.what, one.name, one.verdict]);
  // The values of an older revision do not count, and neither do those of another chart.
  expect(found).toEqual([
    ["release ingress-nginx/graphs", "annotation", "auth-tls-verify-client", "same"],
    ["release ingress-nginx/edge", "value", "controller.confg", "work"],
    ["release ingress-nginx/edge", "value", "controller.config", "same"],
  ]);
  expect(unjudged).toEqual([]);
});
