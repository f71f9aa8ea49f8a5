import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Fields } from "./declare.ts";
import { guardNames, mayGuard, refers, whyNotOnRoutes } from "./on-routes.ts";
import { featureList, features } from "./registry.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/gateway-api.md"), "utf8");
const keys = featureList.flatMap(([, { fields }]) => Object.values(fields as Fields).map(({ key }) => key));

test("docs/gateway-api.md lists the annotations that routes cannot have", () => {
  const [, section = ""] = page.split("### Annotations that routes cannot have");
  const rows = section
    .split("## ")[0]!
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const declared = keys.flatMap((key) => {
    const why = whyNotOnRoutes(key);
    return why === undefined ? [] : [`| \`${key}\` | ${why} |`];
  });
  expect(rows).toEqual(declared);
});

test("every guard declares how two of them combine, or is not for routes", () => {
  const silent = guardNames.filter((name) => {
    const { both, notOnRoutes } = features[name] as (typeof featureList)[number][1];
    return both === undefined && notOnRoutes === undefined;
  });
  expect(silent).toEqual([]);
});

test("guards are recognised by their names, also those of newer versions", () => {
  expect(
    ["auth-url", "whitelist-source-range", "satisfy", "auth-passkey", "enable-modsecurity-4"].every(mayGuard),
  ).toBe(true);
  expect(["proxy-body-size", "limit-rps", "author"].some(mayGuard)).toBe(false);
});

test("exactly the declared keys refer to objects", () => {
  expect(keys.filter(refers)).toEqual(["default-backend", "fastcgi-params-configmap", "proxy-ssl-secret"]);
});
