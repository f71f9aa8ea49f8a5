/** Each value of the chart, written at a level where it does not belong. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judgeUndeclared } from "./undeclared.ts";

const file = join(import.meta.dirname, "../../../../charts/sluice/files/values.json");
const paths = JSON.parse(readFileSync(file, "utf8")) as readonly string[];
const below = (above: string): readonly string[] => {
  const inside = paths.filter((path) => path.startsWith(above === "" ? "" : `${above}.`));
  return [...new Set(inside.map((path) => path.slice(above === "" ? 0 : above.length + 1).split(".")[0]!))];
};
const [top, controller, service] = ["", "controller", "controller.service"].map(below) as [
  readonly string[],
  readonly string[],
  readonly string[],
];
const defaults = new Map(
  paths.map((path) => [path, path.endsWith("externalIPs") ? "[]" : path.endsWith("IP") ? '""' : undefined]),
);
const judge = (path: string, value: unknown = {}) => judgeUndeclared(defaults, path.split("."), value);

/** Returns the misplaced paths, each with another hint than the place to which its key belongs. */
function wronglyHinted(keys: readonly string[], from: string, to: string): unknown[] {
  const place = (above: string, key: string) => (above === "" ? key : `${above}.${key}`);
  const undeclared = keys.filter((key) => !below(from).includes(key));
  expect(undeclared.length).toBeGreaterThan(5);
  return undeclared
    .map((key) => [place(from, key), judge(place(from, key)), place(to, key)] as const)
    .filter(([, judged, right]) => judged.fate !== "ignored" || judged.meant !== right);
}

test("a value of the top level below controller is reported with its right level", () => {
  // This one has no meaning in its right place either.
  const none = ["controller.podSecurityPolicy", { fate: "ignored" }, "podSecurityPolicy"];
  expect(wronglyHinted(top, "controller", "")).toEqual([none]);
});

test("a value of the controller below its Service is reported with its right level", () => {
  expect(wronglyHinted(controller, "controller.service", "controller")).toEqual([]);
});

test("a value of the controller at the top level is reported with its right level", () => {
  // Values files of many charts have a key `name` at the top level, so it gets no hint.
  expect(wronglyHinted(controller, "", "controller")).toEqual([["name", { fate: "ignored" }, "controller.name"]]);
});

test("a value of the Service below controller is reported with its right level", () => {
  // The chart has a value of this name at the top level.
  const enabled = ["controller.enabled", { fate: "ignored", meant: "enabled" }, "controller.service.enabled"];
  expect(wronglyHinted(service, "controller", "controller.service")).toEqual([enabled]);
});

test("a value of the certificate jobs, which the chart does not have, is no hint", () => {
  expect([judge("securityContext"), judge("controller.securityContext")]).toEqual([
    { fate: "ignored" },
    { fate: "ignored", meant: "controller.podSecurityContext" },
  ]);
});

test("a typo hardly differs from a name beside it, and has a value of the same shape", () => {
  const fateOf = (path: string, value?: unknown) => judge(`controller.${path}`, value);
  for (const path of ["replicaCuont", "extraVolumeMount", "tollerations", "image.PullPolicy", "containerPorts"])
    expect([path, fateOf(path).fate]).toEqual([path, "refused"]);
  expect(fateOf("service.externalDNS", { hostname: "edge.example.com" }).fate).toBe("ignored");
  expect(fateOf("service.externalIP", "192.0.2.1").fate).toBe("ignored");
  expect(fateOf("service.externalIP", ["192.0.2.1"]).fate).toBe("refused");
  expect(fateOf("image.imagePullPolicy", "Always")).toEqual({
    fate: "ignored",
    meant: "controller.image.pullPolicy",
  });
});
