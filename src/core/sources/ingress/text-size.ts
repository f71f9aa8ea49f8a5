/**
 * Computes what one Ingress multiplies. nginx's text has its annotations, and the ConfigMaps that
 * they name, once for each path in static mode, and once for each host with a server block of its
 * own in dynamic mode. There the record of a host has the values once for each path, without
 * snippets. Aliases are names of each of its hosts. So an object of a megabyte can become
 * gigabytes, which would end the controller at each start.
 */
import type { Ingress } from "../../model/objects.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { mostNames } from "../../table/hosts/names.ts";

export interface Product {
  /** The annotation that has most of it, without its prefix. */
  readonly key: string;
  /** For example `27000 characters for each of 1000 paths`. */
  readonly what: string;
  /** The characters that an ordinary Ingress of this size would not need. */
  readonly surplus: number;
}

/** So many hosts or paths with the same annotations are ordinary. */
const usualPlaces = 4;

/** Characters for each host or path beside its annotations, which its Ingress has as well. */
const ofPlace = 1024;

/** Characters for a name of a host. */
const ofName = 256;

export function productOf(
  { metadata: { annotations = {}, namespace = "default" }, spec }: Ingress,
  prefix: string,
  configMaps: Snapshot["configMaps"],
  pathsAreText: boolean,
): Product {
  const own = Object.entries(annotations).filter(([name]) => name.startsWith(`${prefix}/`));
  const rules = spec?.rules ?? [];
  const hosts = new Set(rules.map(({ host }) => host)).size;
  const paths = rules.reduce((sum, { http }) => sum + Math.max(http?.paths?.length ?? 0, 1), 0);
  const isShort = own.length === 0 || Math.max(hosts, paths) <= usualPlaces;
  if (isShort) return { key: "", what: "", surplus: 0 };
  const named = own.flatMap(([, value]) => {
    const key = value.trim();
    return Object.entries(configMaps.get(key.includes("/") ? key : `${namespace}/${key}`)?.data ?? {});
  });
  const all = lengthOf(own) + lengthOf(named);
  const ofRecords = lengthOf(own.filter(([name]) => !name.endsWith("-snippet")));
  const aliases = annotations[`${prefix}/server-alias`]?.split(",").length ?? 0;
  const [[longest = ""] = []] = own.toSorted(([, one], [, other]) => other.length - one.length);
  const key = longest.slice(prefix.length + 1);
  const products = [
    { key, what: `${all} characters for each of ${hosts} hosts`, surplus: surplus(all, hosts) },
    { key, ...ofPaths(pathsAreText ? all : ofRecords, paths) },
    {
      ...{ key: "server-alias", what: `${aliases} names for each of ${hosts} hosts` },
      surplus: aliases * hosts > mostNames ? 0 : surplus(aliases * ofName, hosts),
    },
  ];
  return products.reduce((one, other) => (other.surplus > one.surplus ? other : one));
}

const ofPaths = (each: number, paths: number) => ({
  what: `${each} characters for each of ${paths} paths`,
  surplus: surplus(each, paths),
});

const surplus = (each: number, places: number): number => Math.max(0, each * (places - usualPlaces) - places * ofPlace);

const lengthOf = (entries: readonly (readonly [string, string])[]): number =>
  entries.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
