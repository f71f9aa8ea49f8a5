/**
 * Every value with an effect changes the installed objects, and every value without one changes
 * nothing and is named in NOTES.txt. The probe is another value; `given` has the values that must
 * be set for it to have an effect.
 */
import { describe, expect, test } from "vitest";
import type { ChartValue, Json } from "../../scripts/chart/value.ts";
import { chartValues } from "../../scripts/chart/values.ts";
import { render } from "./support/helm.ts";
import { nest } from "./support/nest.ts";
import { given, probes } from "./support/probes.ts";

const meant = chartValues.filter(({ fate }) => fate.kind !== "no-meaning");
const meaningless = chartValues.filter(({ fate }) => fate.kind === "no-meaning");

/** Renderings without the probe, one for each set of conditions. */
const bases = new Map<string, Promise<string>>();

describe.concurrent("a value with an effect", () => {
  test.each(meant)("changes the installed objects: $path", async (value) => {
    const conditions = given(value.path);
    const key = JSON.stringify(conditions);
    if (!bases.has(key))
      bases.set(
        key,
        render(nest(conditions)).then(({ manifest }) => manifest),
      );
    const probed = await render(nest({ ...conditions, [value.path]: probeOf(value) }));
    expect(probed.manifest).not.toBe(await bases.get(key));
  });
});

test("values without an effect change nothing and are named in the notes", async () => {
  const set = Object.fromEntries(meaningless.map((value) => [value.path, probeOf(value)]));
  // What a switch turns off is not named.
  const parts = ["controller.autoscaling", "controller.metrics", "defaultBackend", "defaultBackend.autoscaling"];
  const on = Object.fromEntries(parts.map((part) => [`${part}.enabled`, true]));
  const probed = await render(nest({ ...on, ...set }));
  expect(probed.manifest).toBe((await render(nest(on))).manifest);
  const named = [...probed.notes.matchAll(/^- (\S+): /gm)].map((match) => match[1]);
  expect(named.toSorted()).toEqual(meaningless.map(({ path }) => path).toSorted());
});

test("values without an effect are not named at ingress-nginx's default", async () => {
  const set = meaningless.flatMap(({ path, fallback }) => (fallback === undefined ? [] : [[path, fallback] as const]));
  const { notes } = await render(nest(Object.fromEntries(set)));
  expect(notes).not.toContain("no meaning");
});

/** Returns a value that is allowed and is not the default. */
function probeOf({ path, fallback, shape }: ChartValue): Json {
  if (path in probes) return probes[path]!;
  const types = [shape.type ?? []].flat();
  // An empty choice means the default.
  const choices = (shape.enum as Json[] | undefined)?.filter((choice) => choice && choice !== fallback);
  if (choices) return choices[0]!;
  if (types.includes("boolean")) return fallback !== true;
  if (types.includes("array")) {
    const items = shape.items as { readonly type?: unknown } | undefined;
    return [Array.isArray(items?.type) ? "probe" : { name: "probe" }];
  }
  if (types.includes("integer") && !Number.isNaN(Number(fallback || 0))) return Number(fallback || 0) + 7;
  if (types.includes("string")) return "probe";
  return { probe: "probe" };
}
