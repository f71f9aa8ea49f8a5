/**
 * Random changes of valid objects are judged alike by our reader of files and by an API server:
 * both accept the object, or both refuse it. Unknown fields count as accepted, as the API server
 * drops them. `DRAWN_SEED` and `DRAWN_RUNS` choose other changes.
 */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { definitionsOf, fetchDefinitions } from "../../scripts/gateway-suite.ts";
import type { Mapping } from "../../src/core/model/mapping.ts";
import { readManifest } from "../../src/edges/folder/manifest.ts";
import { Chance } from "../support/chance.ts";
import { drawn } from "../support/drawn.ts";
import { type Path, pathsIn, valueAt, withValue } from "../support/every-kind.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { validObjects } from "./support/valid-objects.ts";

let cluster: Cluster;
beforeAll(async () => {
  await fetchDefinitions("1.7.0");
  cluster = await startCluster();
  const routeSettings = join(import.meta.dirname, "../../charts/sluice/files/route-settings.yaml");
  for (const file of [definitionsOf("1.7.0", "experimental"), routeSettings])
    await cluster.kubectl(["apply", "--server-side", "--filename", file]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
}, 300_000);
afterAll(() => cluster?.stop());

/** Values that replace others, beside those from elsewhere in the same object. */
const strange: readonly unknown[] = [
  ...["", "x", "X", "a b", "a_b", "-a", "a.example", "*.a.example", "a.*.b", "A.example", "10", "http", "/", "/a//b"],
  ...[
    "/a/../b",
    "/%2f",
    "x".repeat(64),
    "x".repeat(254),
    "1s",
    "1 s",
    "0s",
    "99999999h",
    "HTTP",
    "TCP",
    "Exact",
    "Prefix",
  ],
  ...["Hostname", "IPAddress", "System", "Terminate", "Passthrough", "Selector", "ClusterIP", "ExternalName", "None"],
  ...["a/b", "a.example/b", "https://a.example", "*", "192.0.2.1", "2001:db8::1", "256.1.1.1", "0.0.0.0", "YQ==", "Y"],
  ...[0, 1, -1, 80, 443, 65_535, 65_536, 70_000, 3_000_000_000, 1.5, 301, 305, 500, true, false, null],
  ...[[], ["x"], ["x", "x"], ["*", "x"], [null], {}, { a: "b" }, { "a b": "c" }, { a: 1 }, { unknown: {} }],
];

/** Everything inside an object that may change: its name and kind lead to the answer. */
const pathsOf = (object: Mapping): readonly Path[] =>
  ["metadata", ...Object.keys(object)].flatMap((part) =>
    part === "apiVersion" || part === "kind"
      ? []
      : pathsIn({ [part]: object[part], ...(part === "metadata" && { metadata: undefined, inner: object[part] }) })
          .map(([first, ...rest]) => (first === "inner" ? ["metadata", ...rest] : [first!, ...rest]))
          .filter((path) => path.length > 1 || part !== "metadata")
          .filter((path) => path.join(".") !== "metadata.name" && path.join(".") !== "metadata.namespace"),
  );

/** Returns an object with one change, and what it is. */
function changed(object: Mapping, chance: Chance): readonly [Mapping, string] {
  const paths = pathsOf(object);
  const path = chance.oneOf(paths);
  const value = valueAt(object, path);
  const other = chance.oneOf([
    undefined,
    Array.isArray(value) ? [...value, ...value] : valueAt(object, chance.oneOf(paths)),
  ]);
  const next = chance.below(4) === 0 ? other : chance.oneOf(strange);
  return [withValue(object, path, next), `${path.join(".")} = ${JSON.stringify(next)}`];
}

/** Differences that are known, and their reasons. */
const known: Readonly<Record<string, RegExp>> = {
  "Sluice does not read these fields":
    /^(IngressClass spec.parameters|Namespace spec.finalizers|Service spec.selector|\S+ \S*(nodeName|hostname|resource\.kind|resource\.name|targetRef\S*|zone) =).* it refuses/,
  "a null in a list of a kind of Kubernetes itself stands for an empty item":
    /nothing is given where a mapping is required$/,
  "an empty text in a field with a default counts as absent": /(type|protocol|targetPort) = "": we refuse/,
  "the definition leaves the values of RouteSettings to Sluice": /^RouteSettings spec\.\S+ = .* we refuse/,
  "zones and nodes are not read, and their definition requires what the server does not": /^EndpointSlice \S*hints/,
  "no client can connect to such a port": /^EndpointSlice ports\S*port = -?\d+: we refuse/,
  "the definition of a ListenerSet lacks this rule of a Gateway's": /^ListenerSet .*filters: it must not stand beside/,
  "the Gateway API forbids addresses as hostnames in prose": /is an address, and only a DNS name may stand here$/,
  "an operator that no selector has selects nothing": /is not one of In, NotIn, Exists, DoesNotExist$/,
  "Go reads a list of numbers as bytes": /^(Secret data|ConfigMap binaryData).*a list is given where text is required$/,
};

/** Sends the object to the API server, which stores nothing. */
async function answer(object: Mapping): Promise<{ readonly isAccepted: boolean; readonly why: string }> {
  const { apiVersion, kind, metadata } = object as { apiVersion: string; kind: string; metadata: Mapping };
  const group = apiVersion.includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`;
  const isGlobal = ["IngressClass", "GatewayClass", "Namespace"].includes(kind);
  const place = isGlobal ? "" : `/namespaces/${encodeURIComponent(String(metadata?.namespace ?? "default"))}`;
  const url = `${cluster.url}/${group}${place}/${pluralOf(kind)}?dryRun=All&fieldValidation=Ignore`;
  const { status, text } = await post(url, JSON.stringify(object));
  if (status >= 500) throw new Error(text);
  return { isAccepted: status < 300, why: text };
}

const pluralOf = (kind: string): string => {
  const name = kind.toLowerCase();
  if (/(endpoints|settings)$/.test(name)) return name;
  return name.endsWith("s") ? `${name}es` : name.endsWith("cy") ? name.replace(/y$/, "ies") : `${name}s`;
};

function post(url: string, body: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: "Bearer admin-token", "content-type": "application/json" };
    const sent = request(
      url,
      { method: "POST", headers, ca: readFileSync(cluster.authority.certificateFile) },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (text += part));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

test("valid objects are accepted by both", async () => {
  for (const object of validObjects) {
    expect(readManifest(JSON.stringify(object)).faults, String(object.kind)).toEqual([]);
    expect(await answer(object), String(object.kind)).toMatchObject({ isAccepted: true });
  }
}, 120_000);

test("changed objects are judged alike", async () => {
  const { seed, numRuns } = drawn(3_000);
  const chance = new Chance(seed);
  const differences: string[] = [];
  for (let run = 0; run < numRuns; run += 1) {
    const [object, about] = changed(chance.oneOf(validObjects), chance);
    const { faults } = readManifest(JSON.stringify(object));
    const fatal = faults.filter((one) => one.fatal);
    const { isAccepted, why } = await answer(object);
    if (isAccepted === (fatal.length === 0)) continue;
    const text = isAccepted ? `we refuse: ${fatal[0]!.field}: ${fatal[0]!.why}` : `it refuses: ${why.slice(0, 400)}`;
    const difference = `${object.kind} ${about}: ${text}`;
    if (!Object.values(known).some((one) => one.test(difference))) differences.push(difference);
  }
  expect(differences).toEqual([]);
}, 600_000);
