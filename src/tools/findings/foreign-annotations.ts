/**
 * Finds annotations with which Kong changes or guards a route, on Gateways and routes that Sluice
 * serves. Sluice does not read them, so paths would keep their prefix and plugins would not guard.
 */
import { isMapping } from "../../core/model/mapping.ts";
import type { Problem } from "../../core/model/problem.ts";
import type { Files } from "../folder.ts";
import { guardOf } from "./foreign-guards.ts";
import type { Target } from "./foreign-policies.ts";

const prefix = "konghq.com/";
const plugins = `${prefix}plugins`;
/** Methods of clients that a route accepts, and the protocols, restrict who gets in. */
const guards: ReadonlySet<string> = new Set([`${prefix}methods`, `${prefix}protocols`, `${prefix}snis`]);

/** Returns the plugins in the files: those that guard have what does the same in Sluice. */
export function pluginsIn(files: Files): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const { others } of files.values()) {
    for (const { value } of others) {
      const { kind, metadata, plugin } = value;
      if ((kind !== "KongPlugin" && kind !== "KongClusterPlugin") || !isMapping(metadata)) continue;
      const namespace = kind === "KongPlugin" ? `${metadata.namespace ?? "default"}/` : "";
      found.set(
        `${namespace}${metadata.name}`,
        plugin === "cors" ? undefined : guardOf("configuration.konghq.com", "", { plugin, config: value.config }),
      );
    }
  }
  return found;
}

export function foreignAnnotations(
  { kind, namespace = "default", name, annotations }: Target,
  known: ReadonlyMap<string, string | undefined>,
): readonly Problem[] {
  return Object.entries(annotations).flatMap(([key, value]): Problem[] => {
    if (!key.startsWith(prefix) || value === "false") return [];
    const object = { kind, namespace, name };
    const why = `only Kong reads it, and Sluice serves this ${kind}`;
    const guard = key === plugins ? guardIn(value, namespace, known) : guards.has(key) ? noKey : undefined;
    if (guard !== undefined) {
      const field = `annotation ${key}`;
      return [{ kind: "guard-foreign", object, field, why: `${why}; ${guard}` }];
    }
    return [{ kind: "annotation-useless", object, key, why: `${why}; ${adviceFor(key)}` }];
  });
}

const noKey = "conditions of the route's matches may do the same";

/** Returns what does the same as the first plugin that guards, or that no file has. */
function guardIn(value: string, namespace: string, known: ReadonlyMap<string, string | undefined>): string | undefined {
  for (const name of value.split(",").map((one) => one.trim())) {
    const key = known.has(`${namespace}/${name}`) ? `${namespace}/${name}` : name;
    if (!known.has(key)) return `no file has its plugin ${name}, which may be a guard; ${theirs}`;
    if (known.get(key) !== undefined) return `its plugin ${name} is a guard; ${known.get(key)}`;
  }
  return undefined;
}

const theirs = "auth-url, limit-rps or whitelist-source-range of RouteSettings may do the same";

function adviceFor(key: string): string {
  return key === `${prefix}strip-path`
    ? "the filter URLRewrite with replacePrefixMatch: / does the same"
    : "filters of the route or RouteSettings may do the same";
}
