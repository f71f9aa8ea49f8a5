/** `sluice explain` explains the words of the Gateway API. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { explain } from "../../cli/explain.ts";
import { gatewayNames, reasons } from "./gateway-words.ts";

const folder = join(import.meta.dirname, "../../core/sources/gateway");

function explained(name: string): string {
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  expect(explain([name], { write, fail: write }), name).toBe(0);
  return text;
}

test("every reason that a condition may have is explained", () => {
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /(?<!test)\.ts$/.test(file),
  );
  const used = sources.flatMap((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return [...text.matchAll(/(?:reason: |fails\("\w+", |refused\()"([A-Z]\w+)"/g)].map(([, name]) => name!);
  });
  expect(new Set(used).size).toBeGreaterThan(25);
  // `reasons` leaves out the reason of a condition that is met.
  expect([...new Set(used)].filter((name) => !Object.hasOwn(reasons, name))).toEqual(["NoConflicts"]);
});

test("explain has reasons, features and annotations of routes", () => {
  for (const name of gatewayNames) expect(explained(name)).toContain(name);
  expect(explained("PortUnavailable")).toMatch(/^reason PortUnavailable .*\n.*has it\.\n {2}To change: /);
  expect(explained("HTTPRouteCORS")).toContain("Served:         yes");
  expect(explained("sluice.dev/weight")).toContain("a whole number from 0 to 100");
});
