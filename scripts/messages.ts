/**
 * Writes `src/kube/protobuf/messages.json`, the fields of the kinds that the API server sends in
 * protobuf, from the Go types of Kubernetes. Their tags have the number of each field in protobuf
 * and its name in JSON, and whether JSON leaves an empty value out.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { typesFile } from "./kubernetes-tools.ts";

export const messagesFile = join(import.meta.dirname, "../src/kube/protobuf/messages.json");

/** The kinds that are read, and the forms around them. */
const roots = [
  ...["Ingress", "IngressClass", "Service", "EndpointSlice", "Secret", "ConfigMap", "Namespace"],
  ...["ObjectMeta", "ListMeta", "Status"],
];

/** The packages in whose types a name is looked up: first where it stands, then in the others. */
export const packages = ["api/networking", "api/discovery", "api/core", "apimachinery/meta"] as const;

export const haveTypes = (): boolean => packages.every((one) => existsSync(typesFile(one)));

/** Types that message.ts reads by itself. */
const own: Readonly<Record<string, string>> = {
  "map[string]string": "map",
  "map[string][]byte": "binaryMap",
  "metav1.Time": "time",
  Time: "time",
  "intstr.IntOrString": "intOrString",
  "types.UID": "text",
  string: "text",
  bool: "bool",
  int32: "int32",
  int64: "int64",
};

/** Often half of an object's bytes. */
const skipped = ["managedFields"];

interface GoTypes {
  readonly structs: ReadonlyMap<string, string>;
  /** Names for other types, such as `type Protocol string`. */
  readonly names: ReadonlyMap<string, string>;
}

function typesIn(text: string): GoTypes {
  const structs = [...text.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)].map(
    ([, name, body]) => [name!, body!] as const,
  );
  const names = [...text.matchAll(/^type (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!] as const);
  return { structs: new Map(structs), names: new Map(names) };
}

/** Returns the text of the file: a line for each message, with `name type ...` for each number. */
export function messagesText(): string {
  const all = packages.map((one) => typesIn(readFileSync(typesFile(one), "utf8")));
  const messages = new Map<string, Record<string, string>>();
  const add = (name: string, home: GoTypes): void => {
    if (messages.has(name)) return;
    const fields: Record<string, string> = {};
    messages.set(name, fields);
    const from = [home, ...all].find(({ structs }) => structs.has(name))!;
    for (const [, type, tags] of from.structs.get(name)!.matchAll(/^\t(?:\w+\s+)?([^\s`]+)\s+`(.*)`/gm)) {
      const [, number] = /protobuf:"\w+,(\d+)/.exec(tags!) ?? [];
      const [, json, options] = /json:"([^",]*)([^"]*)"/.exec(tags!) ?? [];
      if (number !== undefined) fields[number] = fieldWords(json!, type!, options!, (inner) => add(inner, from));
    }
  };
  const fieldWords = (json: string, type: string, options: string, found: (inner: string) => void): string => {
    if (skipped.includes(json)) return `${json} skipped`;
    const bare = type.replace(/^\*/, "");
    const isList = bare.startsWith("[]") && bare !== "[]byte";
    const inner = bare.replace(/^\[\]/, "");
    const name = inner.replace(/^.*\./, "");
    const named = all.map(({ names }) => names.get(name)).find((one) => one !== undefined);
    const known = own[inner] ?? own[named ?? ""];
    if (known === undefined) {
      found(name);
      if (options.includes("inline")) return ` ${name} inline`;
      return `${json} ${name}${isList ? " list" : ""}`;
    }
    if (isList) return `${json} texts`;
    const isLeftOut = options.includes("omitempty") && !type.startsWith("*") && /^(text|int|bool)/.test(known);
    return `${json} ${known}${isLeftOut ? " omitempty" : ""}`;
  };
  for (const root of roots) add(root, all[0]!);
  const lines = [...messages].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{\n${lines.map(([name, fields]) => `${JSON.stringify(name)}: ${JSON.stringify(fields)}`).join(",\n")}\n}\n`;
}
