/**
 * Breaks the output of `sluice convert` on purpose, one part at a time. The proof has to find each
 * mistake, or it would prove nothing.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultFlags } from "../../src/controller/flags.ts";
import { type ObjectChange, type Snapshot, withObjects } from "../../src/core/model/snapshot.ts";
import { translate } from "../../src/core/table/translator.ts";
import { emptyInputs } from "../../src/core/table/turn.ts";
import { readManifest } from "../../src/edges/folder/manifest.ts";
import { assumedFor } from "../../src/move/convert/assumed.ts";
import { type Converted, converted, optionsFor } from "../../src/move/convert/converted.ts";
import { proveWithEndpoints } from "../../src/move/replay/endpoints.ts";
import { newLibrary, unmadeCertificate } from "../../src/tools/folder.ts";

const textOf = (name: string) => readFileSync(new URL(`convert/${name}/cluster.yaml`, import.meta.url), "utf8");

const flags = defaultFlags("serve");

function clusterOf(text: string): Snapshot {
  const library = newLibrary(flags);
  library.change(new Map([["cluster.yaml", readManifest(text)]]));
  const read = library.snapshot;
  return withObjects(read, assumedFor(read, flags, new Date("2026-01-01")).objects);
}

const options = { gateway: { namespace: "sluice", name: "sluice" }, gatewayClass: "sluice" };
const convertedCluster = (name: string, own = flags) =>
  converted(clusterOf(textOf(name)), { flags: own, as: "serve" }, options);
const shop = convertedCluster("shop");

/** Kinds of the differences that the proof finds when these objects are others. */
function found(changes: readonly ObjectChange[], made: Converted = shop): readonly string[] {
  const inputs = { ...emptyInputs, snapshot: withObjects(made.after, changes) };
  const { configuration } = translate(inputs, optionsFor(flags, "serve"), unmadeCertificate);
  const routes = { ...made.worlds.ofRoutes, served: configuration };
  const { differences } = proveWithEndpoints({ ...made.worlds, ofRoutes: routes }, made.after, () => true);
  return [...new Set(differences.map(({ kind }) => kind))];
}

interface Part {
  /** Like `spec.rules.2.backendRefs.0`. */
  readonly at: readonly (string | number)[];
  readonly value: unknown;
}

/** Members of objects and items of lists, at all depths. */
function partsOf(value: unknown, at: Part["at"] = []): readonly Part[] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? value.map((one, nth) => [nth, one] as const) : Object.entries(value);
  return entries.flatMap(([key, one]) => [{ at: [...at, key], value: one }, ...partsOf(one, [...at, key])]);
}

function without(object: unknown, [key, ...deeper]: Part["at"]): unknown {
  if (Array.isArray(object)) {
    if (deeper.length === 0) return object.toSpliced(Number(key), 1);
    return object.with(Number(key), without(object[Number(key)], deeper));
  }
  const { [key!]: value, ...rest } = object as Readonly<Record<string, unknown>>;
  return deeper.length === 0 ? rest : { ...rest, [key!]: without(value, deeper) };
}

const writtenIn = ({ yaml }: Converted) => readManifest(yaml).objects as readonly ObjectChange[];
const broken = writtenIn(shop).flatMap((one) =>
  partsOf({ spec: (one.object as { readonly spec?: unknown }).spec }).flatMap(({ at }) =>
    at.length < 2
      ? []
      : [[`${one.kind} ${one.key} without ${at.join(".")}`, { ...one, object: without(one.object, at) }]],
  ),
) as unknown as readonly (readonly [string, ObjectChange])[];

test("without a mistake the proof finds nothing", () => {
  expect(shop.proof.differences.map(({ kind }) => kind)).toEqual([]);
  expect(found([])).toEqual([]);
});

test("the proof finds each part that is left out, except those without an effect", { timeout: 300_000 }, () => {
  const unseen = broken.flatMap(([what, change]) => (found([change]).length > 0 ? [] : [what]));
  expect(unseen).toMatchInlineSnapshot(`
    [
      "HTTPRoute api/api without spec.hostnames",
      "HTTPRoute api/api without spec.hostnames.0",
      "HTTPRoute api/api-http without spec.parentRefs.0.sectionName",
      "HTTPRoute shop/web without spec.hostnames",
      "HTTPRoute shop/web without spec.rules.0.matches.0.path.value",
      "HTTPRoute shop/web without spec.rules.1.matches.0",
      "HTTPRoute shop/web without spec.rules.1.matches.0.path.type",
      "HTTPRoute shop/web without spec.rules.1.matches.0.path.value",
      "HTTPRoute shop/web without spec.rules.1.matches.1.path.type",
      "HTTPRoute shop/web without spec.rules.2.matches.0.path.type",
      "HTTPRoute shop/web without spec.rules.3.matches.0.path",
      "HTTPRoute shop/web without spec.rules.3.matches.0.path.type",
      "HTTPRoute shop/web without spec.rules.3.matches.0.path.value",
      "HTTPRoute shop/web without spec.rules.4.matches.0.path",
      "HTTPRoute shop/web without spec.rules.4.matches.0.path.type",
      "HTTPRoute shop/web without spec.rules.4.matches.0.path.value",
      "HTTPRoute shop/web without spec.rules.5.matches",
      "HTTPRoute shop/web without spec.rules.5.matches.0",
      "HTTPRoute shop/web without spec.rules.5.matches.0.path",
      "HTTPRoute shop/web without spec.rules.5.matches.0.path.type",
      "HTTPRoute shop/web without spec.rules.5.matches.0.path.value",
      "HTTPRoute shop/web without spec.rules.6.filters.0",
      "HTTPRoute shop/web without spec.rules.6.filters.0.responseHeaderModifier.set",
      "HTTPRoute shop/web without spec.rules.6.filters.0.responseHeaderModifier.set.0",
      "HTTPRoute shop/web-http without spec.parentRefs.0.sectionName",
      "HTTPRoute shop/web-http without spec.rules.0.matches.0.path.value",
      "HTTPRoute shop/web-http without spec.rules.2.matches",
      "HTTPRoute shop/web-http without spec.rules.2.matches.0",
      "HTTPRoute shop/web-http without spec.rules.2.matches.0.path",
      "HTTPRoute shop/web-http without spec.rules.2.matches.0.path.type",
      "HTTPRoute shop/web-http without spec.rules.2.matches.0.path.value",
      "RouteSettings shop/web-app-root without spec.proxy-body-size",
      "ReferenceGrant api/sluice without spec.to.0.name",
      "ReferenceGrant shop/sluice without spec.to.0.name",
    ]
  `);
});

test.each<[string, string, object]>([
  ["another name", "annotation", { hostname: "other.shop.svc" }],
  ["no authority", "answer", { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "gone" }] }],
])("the proof finds a BackendTLSPolicy with %s", (_, kind, change) => {
  const made = convertedCluster("backend-tls");
  const changes = writtenIn(made).flatMap((one) => {
    if (one.kind !== "BackendTLSPolicy") return [];
    const object = one.object as unknown as { readonly spec: { readonly validation: object } };
    const spec = { ...object.spec, validation: { ...object.spec.validation, ...change } };
    return [{ ...one, object: { ...object, spec } } as unknown as ObjectChange];
  });
  expect(changes).toHaveLength(1);
  expect(found([], made)).toEqual(["fake-certificate"]);
  expect(found(changes, made)).toEqual(["fake-certificate", kind]);
});

const through = convertedCluster("passthrough", { ...flags, enableSslPassthrough: true });

test.each<[string, object]>([
  ["no name", { hostnames: ["other.example.com"] }],
  ["another Service", { rules: [{ backendRefs: [{ name: "other", port: 443 }] }] }],
  ["another port", { rules: [{ backendRefs: [{ name: "delivery", port: 80 }] }] }],
  ["no listener", { parentRefs: [{ name: "sluice", namespace: "sluice", sectionName: "http" }] }],
])("the proof finds a TLSRoute with %s", (_, change) => {
  const changes = writtenIn(through).flatMap((one) => {
    if (one.kind !== "TLSRoute") return [];
    const object = one.object as unknown as { readonly spec: object };
    return [{ ...one, object: { ...object, spec: { ...object.spec, ...change } } } as unknown as ObjectChange];
  });
  expect(changes).toHaveLength(1);
  const before = new Set(found([], through));
  expect(found(changes, through).filter((kind) => !before.has(kind))).toHaveLength(1);
});
