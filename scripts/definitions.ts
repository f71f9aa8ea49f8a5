/**
 * `npm run definitions`: writes `src/core/schema/definitions.json`, the definitions of all kinds
 * that Sluice reads, from where they are published: the OpenAPI of Kubernetes, the
 * CustomResourceDefinitions of two versions of the Gateway API, and that of RouteSettings in our
 * chart. Fields of either version of the Gateway API are valid. Descriptions are left out, and
 * equal parts are written once. It also writes the fields of these kinds in protobuf (messages.ts).
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { Schema } from "../src/core/schema/schema.ts";
import { definitionsOf, fetchDefinitions } from "./gateway-suite.ts";
import { fetchOpenApi, fetchTypes, openApiFile } from "./kubernetes-tools.ts";
import { messagesFile, messagesText, packages } from "./messages.ts";

const root = join(import.meta.dirname, "..");
export const definitionsFile = join(root, "src/core/schema/definitions.json");

const gateways = {
  group: "gateway.networking.k8s.io",
  folders: () => [definitionsOf("1.6.3", "experimental"), definitionsOf("1.7.0", "experimental")],
};
const routeSettings = { group: "sluice.dev", file: join(root, "charts/sluice/files/route-settings.yaml") };

/** The kinds of Kubernetes itself, by the name of their schema. */
const builtIn = {
  Ingress: "networking.v1.Ingress",
  IngressClass: "networking.v1.IngressClass",
  Service: "core.v1.Service",
  EndpointSlice: "discovery.v1.EndpointSlice",
  Endpoints: "core.v1.Endpoints",
  Secret: "core.v1.Secret",
  ConfigMap: "core.v1.ConfigMap",
  Namespace: "core.v1.Namespace",
};

type Written = Readonly<Record<string, unknown>>;
type Definitions = Map<string, Schema>;

/** Words of a schema that are kept as they are. */
const words = [
  ...["type", "enum", "pattern", "format", "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"],
  ...["maxProperties", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"],
];

/** Words about the status, of which only types matter: Sluice writes it. */
const statusWords = ["type", "maxItems"];

/** Words that the API server follows for custom resources alone. */
const customWords = ["x-kubernetes-list-type", "x-kubernetes-list-map-keys"];

/**
 * Returns a schema without what Sluice does not read. `resolve` finds the schemas of references.
 */
function bare(schema: Written, resolve: (name: string) => Written, kept: readonly string[]): Schema {
  const { $ref } = schema as { readonly $ref?: string };
  if ($ref !== undefined) return bare(resolve($ref), resolve, kept);
  const inner = (value: unknown) => bare(value as Written, resolve, kept);
  const { properties, items, additionalProperties: others } = schema;
  const fields = Object.entries((properties ?? {}) as Readonly<Record<string, Written>>);
  const defaulted = new Set(fields.flatMap(([name, field]) => ("default" in field ? [name] : [])));
  const required = ((schema.required ?? []) as readonly string[]).filter((name) => !defaulted.has(name));
  return {
    ...Object.fromEntries(kept.filter((word) => hasWord(schema, word)).map((word) => [word, schema[word]])),
    ...(required.length > 0 && { required }),
    ...(fields.length > 0 && { properties: Object.fromEntries(fields.map(([name, one]) => [name, inner(one)])) }),
    ...(items !== undefined && { items: inner(items) }),
    ...(typeof others === "object" && others !== null && { additionalProperties: inner(others) }),
  };
}

/** An atomic list, and a least length of zero, permit everything. */
const hasWord = (schema: Written, word: string): boolean =>
  word in schema && schema[word] !== "atomic" && !(word.startsWith("min") && word !== "minimum" && schema[word] === 0);

function ofKubernetes(): Definitions {
  const { definitions } = JSON.parse(readFileSync(openApiFile(), "utf8")) as {
    readonly definitions: Record<string, Written>;
  };
  const resolve = ($ref: string) => {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    if (name.endsWith("IntOrString")) return { "x-kubernetes-int-or-string": true };
    return definitions[name]!;
  };
  const of = (name: string) => bare(resolve(`io.k8s.api.${name}`), resolve, words);
  return new Map(Object.entries(builtIn).map(([kind, name]) => [kind, withoutStatus(withoutHead(of(name)))]));
}

/**
 * Returns the definitions of a group in a file, by kind, with the version if it is not the last.
 */
function ofFile(file: string, group: string): Definitions {
  const found: Definitions = new Map();
  for (const document of parseAllDocuments(readFileSync(file, "utf8"))) {
    const { kind, spec } = document.toJS() ?? {};
    if (kind !== "CustomResourceDefinition" || spec.group !== group) continue;
    for (const { name, schema } of spec.versions) {
      const none = () => ({});
      const { properties, ...own } = bare(schema.openAPIV3Schema, none, [...words, ...customWords]);
      const status = bare(schema.openAPIV3Schema.properties.status ?? {}, none, statusWords);
      found.set(`${spec.names.kind} ${name}`, withoutHead({ ...own, properties: { ...properties, status } }));
    }
  }
  return found;
}

/** The readers of objects need these before they know the kind. */
function withoutHead(schema: Schema): Schema {
  const { apiVersion: _, kind: __, ...properties } = schema.properties!;
  return { ...schema, properties };
}

/** Nothing reads the status of these kinds by its definition. */
function withoutStatus(schema: Schema): Schema {
  const { status: _, ...properties } = schema.properties!;
  return { ...schema, properties };
}

/**
 * Fields that earlier versions of the Gateway API had, and that Sluice mentions when it sees them.
 */
const former: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  sessionPersistence: { idleTimeout: { type: "string" } },
};

function withFormer(schema: Schema): Schema {
  const { properties = {}, items } = schema;
  const fields = Object.entries(properties).map(([name, one]) => {
    const { [name]: more } = former;
    const own = withFormer(one);
    return [name, more === undefined ? own : { ...own, properties: { ...own.properties, ...more } }] as const;
  });
  return {
    ...schema,
    ...(fields.length > 0 && { properties: Object.fromEntries(fields) }),
    ...(items && { items: withFormer(items) }),
  };
}

/** The definitions of custom resources leave the metadata out, which are the same for all kinds. */
const withMetadata = (schema: Schema, metadata: Schema): Schema => ({
  ...schema,
  properties: { ...schema.properties, metadata },
});

/** Returns the schema that accepts what either one does. */
function union(one: Schema, other: Schema): Schema {
  const both = { ...one, ...other } as Record<string, unknown>;
  const numbers = (word: keyof Schema, of: (...all: number[]) => number) => {
    if (one[word] === undefined || other[word] === undefined) delete both[word];
    else both[word] = of(one[word] as number, other[word] as number);
  };
  for (const word of ["minLength", "minItems", "minimum"] as const) numbers(word, Math.min);
  for (const word of ["maxLength", "maxItems", "maximum", "maxProperties"] as const) numbers(word, Math.max);
  if (one.enum && other.enum) both.enum = [...new Set([...one.enum, ...other.enum])];
  const required = (one.required ?? []).filter((name) => other.required?.includes(name));
  if (required.length > 0) both.required = required;
  else delete both.required;
  if (one.items && other.items) both.items = union(one.items, other.items);
  if (one.properties && other.properties) {
    const names = new Set([...Object.keys(one.properties), ...Object.keys(other.properties)]);
    const field = (name: string) => {
      const [some, others] = [one.properties![name], other.properties![name]];
      return some && others ? union(some, others) : (some ?? others);
    };
    both.properties = Object.fromEntries([...names].map((name) => [name, field(name)]));
  }
  return both as Schema;
}

/**
 * Returns the definitions of the Gateway API, with those of earlier versions that differ from v1.
 */
function ofGateways(): Definitions {
  const all: Definitions = new Map();
  for (const folder of gateways.folders())
    for (const file of readdirSync(folder))
      for (const [name, schema] of ofFile(join(folder, file), gateways.group)) {
        const before = all.get(name);
        all.set(name, withFormer(before === undefined ? schema : union(before, schema)));
      }
  const v1 = [...all].flatMap(([name, schema]) => (name.endsWith(" v1") ? [[name.slice(0, -3), schema] as const] : []));
  const own = new Map(v1);
  const differs = (name: string, schema: Schema) =>
    JSON.stringify(schema) !== JSON.stringify(own.get(name.split(" ")[0]!));
  return new Map([...v1, ...[...all].filter(([name, schema]) => !name.endsWith(" v1") && differs(name, schema))]);
}

function ofRouteSettings(): Definitions {
  const [[, schema]] = [...ofFile(routeSettings.file, routeSettings.group)] as [[string, Schema]];
  const { spec, status: _, ...others } = schema.properties!;
  // The keys of annotations take any value.
  const { targetRefs } = spec!.properties!;
  return new Map([
    [
      "RouteSettings",
      { ...schema, properties: { ...others, spec: { ...spec, properties: { targetRefs: targetRefs! } } } },
    ],
  ]);
}

/** Parts that are shorter than a reference to them would not be are written where they stand. */
const shortest = 60;

/**
 * Returns the text of the file: a line for each definition, and for each part that occurs twice.
 */
export function definitionsText(): string {
  const own = ofKubernetes();
  const { metadata } = own.get("Ingress")!.properties!;
  const custom = [...ofGateways(), ...ofRouteSettings()];
  const kinds = new Map([...own, ...custom.map(([name, one]) => [name, withMetadata(one, metadata!)] as const)]);
  const counts = new Map<string, number>();
  const count = (schema: Schema): void => {
    const text = JSON.stringify(schema);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    if (counts.get(text) === 1) partsOf(schema).forEach(count);
  };
  for (const schema of kinds.values()) count(schema);
  const parts = new Map<string, string>();
  const lines: string[] = [];
  const shared = (schema: Schema): Schema => {
    const text = JSON.stringify(schema);
    if (counts.get(text)! < 2 || text.length < shortest) return mapped(schema, shared);
    const before = parts.get(text);
    if (before !== undefined) return { $ref: before };
    const line = JSON.stringify(mapped(schema, shared));
    const name = `#${parts.size + 1}`;
    parts.set(text, name);
    lines.push(`${JSON.stringify(name)}: ${line}`);
    return { $ref: name };
  };
  const whole = [...kinds].map(
    ([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(mapped(schema, shared))}`,
  );
  return `{\n${[...whole, ...lines].join(",\n")}\n}\n`;
}

const partsOf = ({ properties = {}, items, additionalProperties: others }: Schema): readonly Schema[] =>
  [...Object.values(properties), items, others].filter((one) => typeof one === "object");

function mapped(schema: Schema, of: (schema: Schema) => Schema): Schema {
  const { properties, items, additionalProperties: others } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, of(one)])),
    }),
    ...(items && { items: of(items) }),
    ...(typeof others === "object" && { additionalProperties: of(others) }),
  };
}

/** Whether all sources are on this machine. */
export const haveSources = (): boolean => [openApiFile(), ...gateways.folders()].every((path) => existsSync(path));

if (import.meta.main) {
  await fetchDefinitions("1.6.3");
  await fetchDefinitions("1.7.0");
  await fetchOpenApi();
  await fetchTypes(packages);
  writeFileSync(definitionsFile, definitionsText());
  writeFileSync(messagesFile, messagesText());
}
