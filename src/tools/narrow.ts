/**
 * Options that narrow the output of `routes` and `check`: one namespace, one Ingress, one host; and
 * the hint if nothing is left.
 */
import { didYouMean } from "../base/did-you-mean.ts";
import { nearest } from "../core/kinds/nearest.ts";
import type { Ingress } from "../core/model/objects.ts";
import type { Snapshot } from "../core/model/snapshot.ts";
import type { ToolOption } from "./call.ts";
import { firstOf } from "./words.ts";

export const narrowOptions: readonly ToolOption[] = [
  { name: "namespace", short: "n", value: "NAME", doc: "Shows only objects of this namespace." },
  {
    name: "ingress",
    value: "NAME",
    doc: "Shows only this Ingress; NAMESPACE/NAME where several have the name.",
  },
  { name: "host", value: "NAME", doc: "Shows only this host; a wildcard that takes it counts." },
];

export interface Narrow {
  readonly namespace?: string | undefined;
  readonly ingress?: string | undefined;
  readonly host?: string | undefined;
}

export function narrowOf({ namespace, ingress, host }: Readonly<Record<string, string>>): Narrow {
  return { namespace, ingress, host: host?.toLowerCase() };
}

export const isNarrow = ({ namespace, ingress, host }: Narrow): boolean =>
  namespace !== undefined || ingress !== undefined || host !== undefined;

/**
 * Whether an object of this namespace and Ingress is selected; `key` is `namespace/name` of the
 * Ingress.
 */
export function isMeant(key: string, { namespace, ingress }: Narrow): boolean {
  const [own, name] = [key.slice(0, key.indexOf("/")), key.slice(key.indexOf("/") + 1)];
  if (namespace !== undefined && own !== namespace) return false;
  return ingress === undefined || (ingress.includes("/") ? ingress === key : ingress === name);
}

/** Whether an object of another kind is selected: it is no Ingress and has no host. */
export const isAround = (key: string, { namespace, ingress, host }: Narrow): boolean =>
  ingress === undefined && host === undefined && isMeant(key, { namespace });

export const hostsOf = ({ spec }: Ingress): readonly string[] => [
  ...(spec?.rules ?? []).map(({ host }) => (host ?? "").toLowerCase()),
  ...(spec?.tls ?? []).flatMap(({ hosts }) => (hosts ?? []).map((host) => host.toLowerCase())),
];

export function takesHost(name: string, host: string): boolean {
  return name === host || (name.startsWith("*.") && host.slice(host.indexOf(".")) === name.slice(1));
}

/** An Ingress that an option may name. */
export interface Candidate {
  /** `namespace/name`. */
  readonly key: string;
  readonly hosts: readonly string[];
}

/** Returns a hint if an option matches nothing: the most similar name, or all names. */
export function hint(narrow: Narrow, all: readonly Candidate[]): string | undefined {
  if (all.length === 0) return "there is no Ingress";
  const { namespace, ingress, host } = narrow;
  const within = all.filter(({ key }) => isMeant(key, { namespace }));
  if (within.length === 0)
    return missing(
      `no Ingress is in namespace ${namespace}`,
      namespace!,
      unique(all.map(({ key }) => key.split("/")[0]!)),
    );
  const named = within.filter(({ key }) => isMeant(key, { ingress }));
  if (named.length === 0) {
    const names = within.map(({ key }) => (ingress!.includes("/") ? key : key.split("/")[1]!));
    return missing(`no Ingress is called ${ingress}`, ingress!, unique(names));
  }
  const hosts = unique(named.flatMap((one) => one.hosts));
  if (host === undefined || hosts.some((one) => takesHost(one, host))) return undefined;
  return missing(`no Ingress has the host ${host}`, host, hosts);
}

const unique = (names: readonly string[]): readonly string[] =>
  [...new Set(names)].filter((name) => name !== "").sort();

function missing(found: string, written: string, names: readonly string[]): string {
  const similar = nearest(written, names);
  if (similar !== undefined) return `${found}${didYouMean(similar)}`;
  return names.length === 0 ? found : `${found}; there is ${firstOf(names, 5)}`;
}

export const candidatesIn = ({ ingresses }: Pick<Snapshot, "ingresses">): readonly Candidate[] =>
  [...ingresses].map(([key, one]) => ({ key, hosts: hostsOf(one) }));
