/**
 * Measures how long one review blocks the event loop, for the largest Ingresses that an API server
 * stores, beside others on the same paths. The processor time of each part is compared with that of
 * the whole review, so that a busy machine does not change the result.
 */
import { expect, test } from "vitest";
import { base, ingress, put } from "../../../test/support/sketch.ts";
import { defaultSettings } from "../../core/settings/registry.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { judging } from "./judge.ts";
import { Neighbours } from "./neighbours.ts";

const uid = "01234567-89ab-cdef-0123-456789abcdef";
const many = <T>(count: number, one: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => one(at));
const pathsOn = (host: string) => ({ host, paths: many(9_000, (at) => [`/p${at}`, "web", "Prefix"] as const) });
const rules = many(9_000, (at) => ({
  host: `h${at}.example`,
  http: {
    paths: [{ path: "/", pathType: "Prefix" as const, backend: { service: { name: "web", port: { number: 80 } } } }],
  },
}));

const spent = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Returns the milliseconds that each part takes. */
function partsOf(submitted: ReturnType<typeof ingress>, beside: ReturnType<typeof ingress>): number[] {
  const snapshot = put(base, beside);
  const neighbours = new Neighbours(defaultOptions);
  neighbours.catchUp(snapshot);
  const bench = { snapshot, neighbours, settings: defaultSettings, options: defaultOptions, watches: () => true };
  const object = { ...submitted, metadata: { ...submitted.metadata, uid } };
  const work = judging(object, bench);
  const parts: number[] = [];
  for (let done = false; !done; ) {
    const begun = spent();
    done = work.next().done === true;
    parts.push(spent() - begun);
  }
  return parts;
}

const canary = { canary: "true", "canary-weight": "10" };

test.each([
  ["paths that another Ingress has", {}, pathsOn("a.example")],
  ["a canary of thousands of paths", canary, pathsOn("a.example")],
  ["a canary of thousands of hosts", canary, { spec: { rules } }],
])("%s: no part is most of the review", { timeout: 60_000 }, (_, annotations, words) => {
  const twin = ingress({ ...words, name: "twin" });
  const submitted = ingress({ ...words, name: "new", annotations });
  // Node compiles and collects garbage during any part, so the best of three runs counts.
  const shares = many(3, () => {
    const parts = partsOf(submitted, twin);
    return Math.max(...parts) / parts.reduce((sum, ms) => sum + ms, 0);
  });
  expect(Math.min(...shares)).toBeLessThan(0.6);
});
