/**
 * Warns about variables in annotations that nothing fills in. Sluice takes such a name letter by
 * letter, where ingress-nginx hands it to nginx, which refuses the whole configuration.
 */

import { variablesDeclaredIn } from "../../kinds/declared-variables.ts";
import { unfilled } from "../../kinds/kind.ts";
import { isBackendVariable, isPathVariable, strangersIn } from "../../kinds/request-variables.ts";
import { isKnownVariable } from "../../kinds/variables.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { issuesCookie } from "../../policies/sessions/declaration.ts";
import { declaredBySettings } from "../../settings/declared-variables.ts";
import type { Settings } from "../../settings/registry.ts";

interface Doubt {
  readonly key: string;
  readonly why: string;
}

interface Named {
  readonly key: string;
  readonly text: string;
  readonly allowed: (name: string) => boolean;
  readonly effect: string;
}

const none: readonly Doubt[] = [];

export const groupName = /\(\?(?:P?<|')([a-z_]\w*)[>']/gi;

/**
 * Returns one doubt for each annotation with such a variable. `paths` are those of the Ingress,
 * whose named groups the new path and the prefix may name.
 */
export function variableDoubts(
  values: Pick<FeatureValues, "backendRequest" | "rewrite" | "upstreamHashBy">,
  annotations: Readonly<Record<string, string>>,
  paths: () => readonly string[],
  settings: Settings,
): readonly Doubt[] {
  const { backendRequest, rewrite, upstreamHashBy } = values;
  const { host, prefix } = backendRequest;
  const hash = upstreamHashBy?.text ?? "";
  if (![host, prefix, rewrite.target, hash].some((text) => /[$_]/.test(text))) return none;
  const declares = declaredFor(annotations, settings);
  const groups = new Set(paths().flatMap((path) => [...path.matchAll(groupName)].map(([, name = ""]) => name)));
  const literal = "the backend gets it as it is written";
  const texts: readonly Named[] = [
    {
      key: "upstream-vhost",
      text: host,
      allowed: (name) => isBackendVariable(name) || declares(name),
      effect: literal,
    },
    {
      key: "x-forwarded-prefix",
      text: prefix,
      allowed: (name) => isBackendVariable(name) || groups.has(name),
      effect: literal,
    },
    {
      key: "rewrite-target",
      text: rewrite.target,
      allowed: (name) => isPathVariable(name) || groups.has(name),
      effect: literal,
    },
    {
      ...{ key: "upstream-hash-by", text: hash, effect: "that part is the same for every request" },
      allowed: (name) => isKnownVariable(name, "http") || declares(name),
    },
  ];
  return texts.flatMap(({ key, text, allowed, effect }) => {
    const [stranger] = strangersIn(text, allowed);
    const hint = unfilled(text);
    if (stranger === undefined && hint === undefined) return [];
    const found = stranger === undefined ? "part of it is not filled in" : `$${stranger} is no variable here`;
    return [{ key, why: `${found}, so ${effect}${hint === undefined ? "" : `; ${hint}`}` }];
  });
}

/** Without a variable all requests have one hash. Some authors forget the `$`, or mean ip_hash. */
export function hashDoubts(values: FeatureValues): readonly Doubt[] {
  const text = values.upstreamHashBy?.text ?? "";
  if (text === "" || text.includes("$") || issuesCookie(values)) return none;
  const name = /^\{?(\w+)\}?$/.exec(text)?.[1] ?? "";
  const meant = isKnownVariable(name, "http") ? `$${name}` : "$binary_remote_addr, the client's address,";
  const why = `it names no variable, so all requests have the same hash and the same Endpoint; ${meant} would divide them`;
  return [{ key: "upstream-hash-by", why }];
}

/** Says whether a snippet of the Ingress or of the ConfigMap declares a variable. */
function declaredFor(annotations: Readonly<Record<string, string>>, settings: Settings): (name: string) => boolean {
  const theirs = declaredBySettings(settings);
  let own: ReadonlySet<string> | undefined;
  return (name) => {
    if (theirs.has(name)) return true;
    own ??= new Set(
      Object.entries(annotations).flatMap(([key, text]) => (key.endsWith("-snippet") ? variablesDeclaredIn(text) : [])),
    );
    return own.has(name);
  };
}
