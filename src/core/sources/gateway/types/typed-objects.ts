/**
 * Leaves out objects of the Gateway API that have a value of a wrong type, before anything reads
 * them. What is common to all Gateways depends on some of these fields, so one mistake could
 * otherwise affect the Gateways and routes of everybody.
 */

import { type KubernetesObject, nameOf } from "../../../model/objects.ts";
import type { Problem } from "../../../model/problem.ts";
import { type Snapshot, tableOf, type WatchedKind } from "../../../model/snapshot.ts";
import { Table } from "../../../model/table.ts";
import { type Finding, fieldOf } from "../../../schema/findings.ts";
import type { Problems } from "../../../table/problems.ts";
import { findingsIn, typedKinds } from "./kinds.ts";

interface TypedTable {
  readonly given: Table<KubernetesObject>;
  /** The objects that take the place of given ones; undefined for those that are left out. */
  readonly replaced: ReadonlyMap<string, KubernetesObject | undefined>;
  readonly typed: Table<KubernetesObject>;
}

const nothing: TypedTable = { given: Table.empty(), replaced: new Map(), typed: Table.empty() };

export class TypedObjects {
  readonly #problems: Problems;
  readonly #tables = new Map<WatchedKind, TypedTable>();

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  /** Returns the Snapshot without these objects. It is the same one if there are none. */
  of(given: Snapshot): Snapshot {
    const changes: Record<string, unknown> = {};
    for (const kind of typedKinds) {
      const name = tableOf[kind];
      const all = given[name] as Table<KubernetesObject>;
      const { typed } = this.#renewed(kind, all);
      if (typed !== all) changes[name] = typed;
    }
    return Object.keys(changes).length === 0 ? given : { ...given, ...changes };
  }

  #renewed(kind: WatchedKind, given: Table<KubernetesObject>): TypedTable {
    const before = this.#tables.get(kind) ?? nothing;
    if (before.given === given) return before;
    const replaced = new Map(before.replaced);
    for (const { key, after } of given.changesSince(before.given)) {
      const { wrong, form } = read(after);
      if (form === after) replaced.delete(key);
      else replaced.set(key, form);
      this.#problems.replace(`types of ${kind} ${key}`, wrong === undefined ? [] : [problemOf(kind, key, wrong)]);
    }
    const next = { given, replaced, typed: replaced.size === 0 ? given : given.with(replaced) };
    this.#tables.set(kind, next);
    return next;
  }
}

interface Read {
  readonly wrong?: Finding | undefined;
  /** The object, perhaps without its status; undefined if it is left out. */
  readonly form?: KubernetesObject | undefined;
}

function read(object: KubernetesObject | undefined): Read {
  if (object === undefined) return {};
  const mistakes = findingsIn(object).filter(({ fatal }) => fatal);
  const wrong = mistakes.find(({ path }) => path[0] !== "status");
  if (wrong !== undefined) return { wrong };
  if (mistakes.length === 0) return { form: object };
  const { status: _, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  return { form: rest };
}

function problemOf(kind: WatchedKind, key: string, { path, why }: Finding): Problem {
  const done = "the object is left out, and all others are applied";
  return { object: { kind, ...nameOf(key) }, kind: "value-unusable", field: fieldOf(path), why, done };
}
