/**
 * Preselects the differences that an Ingress may have, by the names that it uses: the list is long,
 * and an Ingress has few annotations. They are in the order of the list.
 */
import type { Difference, Part } from "./differences.ts";
import type { Uses } from "./uses.ts";

interface Index {
  /** Indices in the list, by the part that a concern is about. */
  readonly byName: ReadonlyMap<string, readonly number[]>;
  /** Differences with a concern whose name is a pattern. */
  readonly patterned: readonly number[];
}

const indices = new WeakMap<readonly Difference[], Index>();

export function candidatesAmong(list: readonly Difference[], uses: Uses): readonly Difference[] {
  const { byName, patterned } = indices.get(list) ?? indexOf(list);
  const found = new Set(patterned);
  for (const kind of ["annotation", "key", "flag", "shape"] as const)
    for (const name of uses[kind].keys()) for (const at of byName.get(called(kind, name)) ?? []) found.add(at);
  return [...found].sort((a, b) => a - b).map((at) => list[at]!);
}

function indexOf(list: readonly Difference[]): Index {
  const byName = new Map<string, number[]>();
  const patterned: number[] = [];
  for (const [at, { concerns }] of list.entries()) {
    for (const { about } of concerns) {
      if (about.name.includes("*")) patterned.push(at);
      else byName.set(called(about.of, about.name), [...(byName.get(called(about.of, about.name)) ?? []), at]);
    }
  }
  const index = { byName, patterned };
  indices.set(list, index);
  return index;
}

function called(of: Part["of"], name: string): string {
  return `${of} ${name.toLowerCase()}`;
}
