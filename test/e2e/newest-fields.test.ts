/**
 * The definitions of a newer Gateway API than Sluice serves. Each of their fields is either served,
 * or Sluice closes what it stands on, and says so. An API server with these definitions keeps the
 * fields, and statuses have the reasons that the Gateway API wants.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { definitionsOf, fetchDefinitions } from "../../scripts/gateway-suite.ts";
import type { Condition } from "../../src/core/model/gateway/objects.ts";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { isOfField, type Problem, sentence } from "../../src/core/model/problem.ts";
import type { WatchedKind } from "../../src/core/model/snapshot.ts";
import { tableOf } from "../../src/core/model/snapshot.ts";
import { translate } from "../../src/core/table/translator.ts";
import { emptyInputs } from "../../src/core/table/turn.ts";
import { readManifest } from "../../src/edges/folder/manifest.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { everyKind, wholeOptions, wholeSnapshot } from "../support/every-kind.ts";
import { route } from "../support/gateways.ts";
import { fake, put } from "../support/sketch.ts";
import { startCluster } from "./support/cluster.ts";
import { openShop, shopObjects } from "./support/shop.ts";
import { apply, installPod, Sluice } from "./support/sluice.ts";

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** A field without fields of its own, such as `spec.listeners[].port`, with a value that fits. */
interface Leaf {
  readonly kind: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

function leavesOf(kind: string, schema: Schema, path: readonly string[]): readonly Leaf[] {
  if (schema.properties !== undefined)
    return Object.entries(schema.properties).flatMap(([name, inner]) => leavesOf(kind, inner, [...path, name]));
  if (schema.items !== undefined) return leavesOf(kind, schema.items, [...path, "[]"]);
  return [{ kind, path, value: valueFor(schema) }];
}

function valueFor({ type, enum: words }: Schema): unknown {
  if (words !== undefined) return words[0];
  if (type === "integer") return 1;
  if (type === "boolean") return true;
  return type === "object" ? { "example.com/a": "b" } : "a";
}

function publishedLeaves(channel: "standard" | "experimental"): readonly Leaf[] {
  const folder = definitionsOf("1.7.0", channel);
  return readdirSync(folder).flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), "utf8")).flatMap((document) => {
      const { kind, spec } = document.toJS() ?? {};
      if (kind !== "CustomResourceDefinition" || spec.group !== "gateway.networking.k8s.io") return [];
      const { schema } = spec.versions.find(({ name }: { name: string }) => name === "v1");
      return leavesOf(spec.names.kind, schema.openAPIV3Schema.properties.spec, ["spec"]);
    }),
  );
}

const textOf = (path: readonly string[]): string => path.join(".").replaceAll(".[]", "[]");

/** Returns the object with the value at the path; lists get it in their first item. */
function withLeaf(object: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === "[]") {
    const [first, ...others] = Array.isArray(object) ? object : [];
    return [withLeaf(first, rest, value), ...others];
  }
  const fields = typeof object === "object" && object !== null ? (object as Record<string, unknown>) : {};
  return { ...fields, [step]: withLeaf(fields[step], rest, value) };
}

const unknownWords = /does not know|serves no filters|that Sluice knows|is not served, and/;

/** A policy is only reported if a route uses its target. */
const user = route({ name: "user", hostnames: ["user.example"] });

/** Returns what Sluice does about the field: `served`, `warned` or `closes`. */
function outcome({ kind, path, value }: Leaf): string {
  const whole = everyKind[kind]!;
  const bare = JSON.parse(JSON.stringify(whole)) as { spec: { listeners?: { tls?: { options?: object } }[] } };
  for (const one of bare.spec.listeners ?? []) delete one.tls?.options;
  const object = withLeaf(bare, path, value) as KubernetesObject;
  const snapshot = put(wholeSnapshot, user, object);
  const { problems } = translate({ ...emptyInputs, snapshot }, wholeOptions, fake);
  const about = [...problems.values()].flat().filter((problem) => isAbout(problem, object));
  if (about.some(isOfField)) return "closes";
  return about.length > 0 ? "warned" : "served";
}

function isAbout(problem: Problem, { kind, metadata }: KubernetesObject): boolean {
  return problem.object.kind === kind && problem.object.name === metadata.name && unknownWords.test(sentence(problem));
}

/** All fields of the published definitions that are not served, with those below them. */
const unserved: Readonly<Record<string, string>> = {
  "BackendTLSPolicy spec.options": "closes",
  "Gateway spec.addresses[].routability": "closes",
  "Gateway spec.listeners[].filters.requests[]": "closes",
  "Gateway spec.listeners[].tls.options": "closes",
  "ListenerSet spec.listeners[].filters.requests[]": "closes",
  "ListenerSet spec.listeners[].tls.options": "closes",
};

test("every field of the published definitions is served, or is one of those that close what they stand on", async () => {
  await fetchDefinitions("1.7.0");
  const leaves = [...publishedLeaves("standard"), ...publishedLeaves("experimental")];
  expect(leaves.length).toBeGreaterThan(600);
  expect(
    [...new Set(leaves.map(({ kind }) => kind))].every((kind) => Object.hasOwn(tableOf, kind as WatchedKind)),
  ).toBe(true);
  const found = new Map<string, string>();
  for (const leaf of leaves) {
    const name = `${leaf.kind} ${textOf(leaf.path)}`;
    const entry = Object.keys(unserved).find((one) => name === one || name.startsWith(`${one}.`));
    const done = outcome(leaf);
    if (done !== "served" || entry !== undefined) found.set(entry ?? name, done);
  }
  expect(Object.fromEntries([...found].sort())).toEqual(unserved);
}, 300_000);

test("the reader of files knows every field of the published definitions", async () => {
  await fetchDefinitions("1.7.0");
  const strange = publishedLeaves("experimental").flatMap(({ kind, path, value }) => {
    const object = withLeaf(everyKind[kind], path, value) as KubernetesObject;
    const { faults } = readManifest(JSON.stringify({ ...object, apiVersion: "gateway.networking.k8s.io/v1" }));
    const field = textOf(path).replaceAll("[]", "[0]");
    return faults.filter((one) => one.field === field && one.why.startsWith("there is no such field")).map(() => field);
  });
  expect(strange).toEqual([]);
}, 300_000);

const address = "192.0.2.35";
const apiVersion = "gateway.networking.k8s.io/v1";
const metadata = (name: string) => ({ namespace: "shop", name });
const auth = {
  type: "ExternalAuth",
  externalAuth: { protocol: "HTTP", backendRef: { name: "echo-a", port: 80 }, http: { path: "/check" } },
};
const listener = (name: string, more: object = {}) => ({
  ...{ name, hostname: `${name}.example`, port: 80, protocol: "HTTP" },
  ...more,
});

test("an API server with the newest definitions keeps filters of listeners, and Sluice does not accept these", async () => {
  await fetchDefinitions("1.7.0");
  const [cluster, shop] = await Promise.all([startCluster(), openShop()]);
  const sluice = new Sluice({ cluster, flags: [`--gateway-addresses=${address}`, "--election-ttl=4s"] });
  const conditionsOf = async (kind: string, name: string, at: string): Promise<readonly Condition[]> => {
    const { status } = JSON.parse(await cluster.kubectl(["get", kind, name, "--namespace=shop", "-o", "json"]));
    return status?.listeners?.find((one: { name: string }) => one.name === at)?.conditions ?? [];
  };
  const isRefused = async (kind: string, name: string) =>
    (await conditionsOf(kind, name, "guarded")).some(
      ({ type, status, reason, message }) =>
        type === "Accepted" && status === "False" && reason === "UnsupportedValue" && message.includes("ExternalAuth"),
    );
  try {
    await installPod(cluster);
    await apply(cluster, shopObjects);
    await cluster.kubectl(["apply", "--server-side", "--filename", definitionsOf("1.7.0", "experimental")]);
    await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
    await sluice.process.start();
    const filters = { requests: [auth] };
    const backendRefs = [{ name: "echo-a", port: 80 }];
    const objects: readonly object[] = [
      {
        apiVersion,
        kind: "GatewayClass",
        metadata: { name: "sluice" },
        spec: { controllerName: "sluice.dev/gateway-controller" },
      },
      {
        apiVersion,
        kind: "Gateway",
        metadata: metadata("public"),
        spec: {
          gatewayClassName: "sluice",
          listeners: [listener("guarded", { filters }), { ...listener("open"), hostname: undefined }],
          allowedListeners: { namespaces: { from: "Same" } },
        },
      },
      {
        apiVersion,
        kind: "ListenerSet",
        metadata: metadata("more"),
        spec: {
          parentRef: { name: "public" },
          listeners: [listener("guarded", { hostname: "set.example", filters }), listener("plain")],
        },
      },
      {
        apiVersion,
        kind: "HTTPRoute",
        metadata: metadata("web"),
        spec: {
          parentRefs: [{ name: "public" }, { kind: "ListenerSet", name: "more" }],
          hostnames: ["guarded.example", "set.example", "open.example"],
          rules: [{ backendRefs }],
        },
      },
    ];
    await apply(cluster, objects as readonly KubernetesObject[]);
    await until("the listener of the Gateway is refused", () => isRefused("gateway", "public"), 120_000);
    await until("that of the ListenerSet is refused", () => isRefused("listenerset", "more"), 120_000);
    await until("the open listener is served", async () => (await statusOf("open.example")) === 200, 120_000);
    expect([await statusOf("guarded.example"), await statusOf("set.example")]).toEqual([404, 404]);
  } finally {
    await sluice.end();
    await shop.stop();
    await cluster.stop();
  }
});

const statusOf = (host: string): Promise<number> =>
  request({ to: `${address}:80`, host }).then(
    ({ status }) => status,
    () => 0,
  );
