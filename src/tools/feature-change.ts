/**
 * Shows changes in the value of a feature by its annotations: `proxy-read-timeout 60 -> 33`.
 * Passwords and keys are not shown.
 */

import { shown } from "../core/kinds/kind.ts";
import { SecretText } from "../core/model/configuration.ts";
import { features } from "../core/policies/registry.ts";

/**
 * If more values change, the feature is reported as a whole, such as an auth service if there
 * was none.
 */
const mostLeaves = 3;

/**
 * Describes a changed value. `name` is the feature's name in the registry, and `described` its name
 * for people.
 */
export function featureChange(name: string, described: string, was: unknown, is: unknown): string {
  const keys = keysOf(name);
  const [before, after] = [leavesOf(was), leavesOf(is)];
  const kinds = [before.get("kind"), after.get("kind")];
  if (kinds[0] !== kinds[1]) return `${described} ${kinds[0]} -> ${kinds[1]}`;
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  const lines = paths.map((path) => {
    const label = keys.get(path) ?? `${described} ${path}`;
    const [old, fresh] = [before.get(path), after.get(path)];
    return old === hidden || fresh === hidden ? label : `${label} ${old || "nothing"} -> ${fresh || "nothing"}`;
  });
  if (lines.length === 0) return described;
  const more = lines.length - mostLeaves;
  return lines.slice(0, mostLeaves).join(", ") + (more > 0 ? `, and ${more} more of ${described}` : "");
}

const hidden = "\0";

/** Returns the annotations by the field that each sets. */
function keysOf(name: string): ReadonlyMap<string, string> {
  const declared = (features as Readonly<Record<string, { readonly fields: object }>>)[name];
  return new Map(Object.entries(declared?.fields ?? {}).map(([field, { key }]) => [field, key as string]));
}

/** Returns each plain value as text, by the names that lead to it. */
function leavesOf(value: unknown, path = ""): Map<string, string> {
  if (value instanceof SecretText) return new Map([[path, hidden]]);
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    const inner = Object.entries(value).map(([name, one]) => leavesOf(one, path === "" ? name : `${path}.${name}`));
    return new Map(inner.flatMap((one) => [...one]));
  }
  if (value === undefined) return new Map();
  return new Map([[path, textOf(value)]]);
}

function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : Array.isArray(value) ? listed(value) : String(value);
  return /^[\w./:$@%*,+=&?~^()|{}[\]#-]{0,60}$/.test(text) ? text : shown(text);
}

const listed = (list: readonly unknown[]): string =>
  list.every((one) => typeof one !== "object")
    ? list.join(",")
    : JSON.stringify(list, (_, one) => (one instanceof SecretText ? "" : one));
