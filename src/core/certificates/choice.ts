/**
 * Chooses among several key pairs for one server name, as the Gateway API demands: the longest name
 * that matches decides. OpenSSL holds one pair for each type of key.
 */
import type { Certificate } from "../model/configuration.ts";
import type { Table } from "../model/table.ts";

export interface PairsByName {
  /** The pairs for all names that no certificate has: the first of each type of key. */
  readonly pairs: readonly string[];
  /**
   * The pairs for each name of the certificates; a wildcard stands for one label. It is empty if
   * all names get the same pairs.
   */
  readonly named: Readonly<Record<string, readonly string[]>>;
}

/** Returns the pairs for each name of the certificates. */
export function pairsByName(ids: readonly string[], all: Table<Certificate>): PairsByName {
  const pairs = firstOfEachKey(ids, all);
  const certificates = new Set(ids.flatMap((id) => all.get(id) ?? []));
  if (certificates.size < 2) return { pairs, named: {} };
  // A certificate may have tens of thousands of names.
  const having = new Map<string, string[]>();
  for (const id of new Set(ids)) {
    for (const name of new Set(all.get(id)?.names)) having.set(name, [...(having.get(name) ?? []), id]);
  }
  const entries = [...having].map(([name, own]) => [name, firstOfEachKey(own, all)] as const);
  const isUsual = entries.every(([, own]) => own.join() === pairs.join());
  return { pairs, named: isUsual ? {} : Object.fromEntries(entries) };
}

/**
 * Returns the pairs for one name: those whose certificates have the name itself, otherwise those
 * with a wildcard for it, otherwise all; of these the first of each type of key.
 */
export function pairsFor(name: string, ids: readonly string[], all: Table<Certificate>): readonly string[] {
  const having = (wanted: string) => ids.filter((id) => all.get(id)?.names.includes(wanted));
  const own = having(name);
  const dot = name.indexOf(".");
  const fitting = own.length > 0 || dot < 0 ? own : having(`*${name.slice(dot)}`);
  return firstOfEachKey(fitting.length > 0 ? fitting : ids, all);
}

function firstOfEachKey(ids: readonly string[], all: Table<Certificate>): readonly string[] {
  const types = new Set<string>();
  return ids.filter((id) => {
    const type = all.get(id)?.identity.keyAlgorithm;
    if (type === undefined || types.has(type)) return false;
    types.add(type);
    return true;
  });
}
