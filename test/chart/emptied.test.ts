/**
 * Keys without a value, such as `service:` above lines that are comments. Helm takes such a key for
 * a null, and removes the default and all that stands below it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { needed } from "../../scripts/chart/needed.ts";
import { valuesInUse } from "../../src/move/compat/chart/values.ts";
import { chartFolder, type Manifest, render } from "./support/helm.ts";

/** Values that turn on all objects of the chart, except those that exclude each other. */
const everythingOn = (): Manifest => ({
  tcp: { 5432: "data/postgres:5432" },
  udp: { 53: "kube-system/dns:53" },
  controller: {
    metrics: { enabled: true, serviceMonitor: { enabled: true }, prometheusRule: { enabled: true } },
    service: { internal: { enabled: true, annotations: { team: "edge" } } },
    hostPort: { enabled: true },
    networkPolicy: { enabled: true },
    autoscaling: { enabled: true },
  },
  defaultBackend: { enabled: true },
});

function without(paths: readonly string[]): Manifest {
  const values = everythingOn();
  for (const path of paths) {
    const keys = path.split(".");
    const above = keys.slice(0, -1).reduce((at: Manifest, key) => {
      at[key] ??= {};
      return at[key];
    }, values);
    above[keys.at(-1)!] = null;
  }
  return values;
}

const refusedByCompat = (content: Manifest) =>
  valuesInUse({ content, placeOf: () => ({ file: "values.yaml", line: 1, column: 1 }) })
    .filter(({ fate }) => fate === "refused")
    .map(({ path }) => path);

test.each(needed.map(({ path }) => path))("%s without a value is refused by its name", async (path) => {
  const values = without([path]);
  const refused = await render(values).catch(({ message }) => message);
  expect(refused).toContain(`these keys have no value, so helm removes the chart's defaults`);
  expect(refused.match(/^- .*$/gm)).toEqual([`- ${path}`]);
  expect(refusedByCompat(values)).toEqual([path]);
});

const keys = (value: unknown, above = ""): string[] =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? []
    : Object.entries(value).flatMap(([key, inner]) => [`${above}${key}`, ...keys(inner, `${above}${key}.`)]);

test("all other keys may lack a value, as in ingress-nginx's chart", async () => {
  const isNeeded = (path: string) => needed.some((one) => one.path === path);
  const all = keys(parse(readFileSync(join(chartFolder, "values.yaml"), "utf8")));
  const others = all.filter((path) => !isNeeded(path) && !path.endsWith("enabled"));
  const below = others.filter((path) => !others.some((other) => path.startsWith(`${other}.`)));
  expect(below.length).toBeGreaterThan(100);
  const values = without(below);
  const { manifest, notes } = await render(values);
  expect(`${manifest}${notes}`).not.toMatch(/<nil>|<no value>/);
  expect(refusedByCompat(values)).toEqual([]);
});

test("a list that is empty may be written as a mapping, and a mapping as a list, as in ingress-nginx's chart", async () => {
  const defaults = parse(readFileSync(join(chartFolder, "values.yaml"), "utf8"));
  const at = (path: string) => path.split(".").reduce((value, key) => value?.[key], defaults);
  const swapped = { "{}": [], "[]": {} } as const;
  const empty = keys(defaults).filter((path) => JSON.stringify(at(path)) in swapped && !/(P|p)orts$/.test(path));
  expect(empty.length).toBeGreaterThan(60);
  const values = everythingOn();
  for (const path of empty.filter((one) => !["tcp", "udp", "controller.service.internal.annotations"].includes(one))) {
    const steps = path.split(".");
    const above = steps.slice(0, -1).reduce((value: Manifest, key) => (value[key] ??= {}), values);
    above[steps.at(-1)!] = swapped[JSON.stringify(at(path)) as "{}" | "[]"];
  }
  expect((await render(values)).manifest).toBe((await render(everythingOn())).manifest);
  expect(refusedByCompat(values)).toEqual([]);
});

test("a key below what is turned off may lack a value", async () => {
  const off = needed.flatMap((one) => (/^(controller.metrics|defaultBackend)./.test(one.path) ? [one.path] : []));
  const values = without(off);
  values.controller.metrics.enabled = values.defaultBackend.enabled = false;
  const { manifest } = await render(values);
  expect(manifest).not.toMatch(/enable-metrics|default-backend/);
  expect(refusedByCompat(values)).toEqual([]);
});
