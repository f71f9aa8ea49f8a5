import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { notForRoutes, routeSettings } from "./for-routes.ts";
import { defaultSettings } from "./registry.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/gateway-api.md"), "utf8");

const shown = (value: unknown): string => (Array.isArray(value) ? value.join(",") || "none" : String(value));

test("docs/gateway-api.md lists the keys that do not apply to routes", () => {
  const rows = notForRoutes.map(([, { key, doc, forRoutes }]) => {
    const when =
      forRoutes?.unlessSet === true
        ? `${shown(forRoutes.instead)}, unless another than the default is set`
        : shown(forRoutes?.instead);
    return `| \`${key}\` | ${when} | ${doc} |`;
  });
  const [, section = ""] = page.split("## ConfigMap keys and routes");
  const table = section.split("\n").filter((line) => line.startsWith("| `"));
  expect(table).toEqual(rows);
});

test("keys that guard apply to routes, and those that change an answer do not", () => {
  const guards = { whitelistSourceRange: ["192.0.2.0/24"], proxyBodySize: "1m" };
  const own = routeSettings({ ...defaultSettings, ...guards, customHttpErrors: [404] });
  expect(own).toMatchObject({
    whitelistSourceRange: ["192.0.2.0/24"],
    sslRedirect: false,
    hsts: false,
    customHttpErrors: [],
    proxyBodySize: "0",
  });
  expect(routeSettings({ ...defaultSettings, proxyBodySize: "8m" }).proxyBodySize).toBe("8m");
});
