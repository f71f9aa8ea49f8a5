import { expect, test } from "vitest";
import { base, ingress, ingressClass, put, service } from "../../../test/support/sketch.ts";
import type { Ingress } from "../../core/model/objects.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { statusTargets } from "./status-targets.ts";

const names = (some: readonly Ingress[]) => some.map(({ metadata }) => metadata.name).sort();
const of = (...some: readonly string[]) => some.map((name) => ingress({ name, host: `${name}.example` }));

function setUp(begin: Snapshot) {
  let snapshot = begin;
  const listeners = new Set<() => void>();
  const targets = statusTargets(
    {
      snapshot: () => snapshot,
      ingress: () => undefined,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    defaultOptions,
  );
  const become = (next: Snapshot) => {
    snapshot = next;
    for (const listener of listeners) listener();
  };
  return { targets, become };
}

test("changed Ingresses are listed once, and all of them after a class has changed", () => {
  const two = put(base, ...of("a", "b"));
  const { targets, become } = setUp(two);
  expect(names(targets.ingresses())).toEqual(["a", "b"]);
  expect(names(targets.changed())).toEqual([]);
  const three = put(two, ...of("c"));
  become(three);
  expect(names(targets.changed())).toEqual(["c"]);
  expect(names(targets.changed())).toEqual([]);
  become(put(three, { ...ingressClass, metadata: { ...ingressClass.metadata, labels: { other: "yes" } } }));
  expect(names(targets.changed())).toEqual(["a", "b", "c"]);
});

test("only changes of Ingresses and classes wake up the writer", () => {
  const { targets, become } = setUp(base);
  let looks = 0;
  targets.onChange(() => {
    looks += 1;
  });
  become(put(base, service("web")));
  expect(looks).toBe(0);
  become(put(base, ...of("a")));
  expect(looks).toBe(1);
});
