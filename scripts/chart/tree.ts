/**
 * The values as a tree, like a values file: a key holds either one declared value or further keys.
 */
import type { ChartValue } from "./value.ts";

export interface Branch {
  readonly path: string;
  readonly children: ReadonlyMap<string, Branch | ChartValue>;
}

export const isBranch = (node: Branch | ChartValue): node is Branch => "children" in node;

/**
 * Keys keep the order in which they were declared. Throws if a path is declared twice, or both as a
 * value and as a branch.
 */
export function treeOf(values: readonly ChartValue[]): Branch {
  const root = { path: "", children: new Map<string, Branch | ChartValue>() };
  for (const value of values) {
    const keys = value.path.split(".");
    const last = keys.pop()!;
    let children = root.children;
    let path = "";
    for (const key of keys) {
      path = path === "" ? key : `${path}.${key}`;
      const next = children.get(key) ?? { path, children: new Map() };
      if (!isBranch(next)) throw new Error(`${path} is declared as a value and as a branch`);
      children.set(key, next);
      children = next.children as Map<string, Branch | ChartValue>;
    }
    if (children.has(last)) throw new Error(`${value.path} is declared twice`);
    children.set(last, value);
  }
  return root;
}
