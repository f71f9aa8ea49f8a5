/**
 * Limits the amount of nginx's text and records that one Ingress may cause. The text has its
 * annotations, and the ConfigMaps that they name, once for each path in static mode, and once for
 * each host with a server block of its own in dynamic mode. There the record of a host has the
 * values once for each path, without snippets. So an object of a megabyte can become gigabytes,
 * which would end the controller at each start. Authorities of clients and backends count as text:
 * nginx reads them again wherever they are used, at each test and reload, and a thousand of them
 * take most of a second.
 */
import type { Reading } from "../../annotations/reading.ts";
import { type Ingress, kindAndKey, type Secret } from "../../model/objects.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Problem } from "../../problem.ts";

/** The most characters: those of a thousand paths with 16 kB of annotations. */
const most = 16 * 2 ** 20;

export function oversize(
  { metadata, spec }: Ingress,
  prefix: string,
  { references }: Pick<Reading, "references">,
  { configMaps, secrets }: Pick<Snapshot, "configMaps" | "secrets">,
  pathsAreText: boolean,
): readonly Problem[] {
  const own = Object.entries(metadata.annotations ?? {}).filter(([name]) => name.startsWith(`${prefix}/`));
  if (own.length === 0) return none;
  const rules = spec?.rules ?? [];
  const hosts = new Set(rules.map(({ host }) => host)).size;
  const paths = rules.reduce((sum, { http }) => sum + Math.max(http?.paths?.length ?? 0, 1), 0);
  const named = references.map((reference) => {
    const [kind, key] = kindAndKey(reference);
    if (kind === "Secret") return authoritiesIn(secrets.get(key));
    return kind === "ConfigMap" ? lengthOf(Object.entries(configMaps.get(key)?.data ?? {})) : 0;
  });
  const all = lengthOf(own) + named.reduce((sum, length) => sum + length, 0);
  const ofRecords = lengthOf(own.filter(([name]) => !name.endsWith("-snippet")));
  const isByPath = pathsAreText || (all * hosts <= most && ofRecords * paths > most);
  const [each, places] = isByPath ? [pathsAreText ? all : ofRecords, paths] : [all, hosts];
  if (each * places <= most) return none;
  const [longest] = own.toSorted(([, one], [, other]) => other.length - one.length);
  const object = { kind: "Ingress", namespace: metadata.namespace ?? "default", name: metadata.name };
  const why = `with all annotations and what they name there are ${each} characters for each of ${places} ${isByPath ? "paths" : "hosts"}, and nginx's configuration has room for ${most}`;
  return [{ object, kind: "annotation-unreadable", key: longest![0].slice(prefix.length + 1), why, done: "reject" }];
}

const none: readonly Problem[] = [];

/** Returns the number of characters of its authorities. */
const authoritiesIn = (secret: Secret | undefined): number =>
  Math.floor(((secret?.data?.["ca.crt"]?.length ?? 0) * 3) / 4);

const lengthOf = (entries: readonly (readonly [string, string])[]): number =>
  entries.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
