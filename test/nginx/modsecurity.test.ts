/**
 * Tests ModSecurity for one Ingress, in both modes. The test is skipped with a reason if nginx
 * lacks the module.
 */
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ingress } from "../support/sketch.ts";
import { installedNginx } from "./support/installed.ts";
import { type Stand, startStand } from "./support/stand.ts";

const { modsecurity } = await installedNginx();
const permitted = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
const rule = (what: string) => `SecRuleEngine On\nSecRule ${what} "id:1,phase:1,deny,status:418"`;
const stock = ["/etc/nginx/modsecurity/modsecurity.conf", "/etc/nginx/modsecurity.conf"].some((file) =>
  existsSync(file),
);

describe.each([
  ["dynamic", 8487],
  ["static", 8488],
] as const)("%s mode", (mode, port) => {
  let stand: Stand;
  beforeAll(async () => {
    const address = mode === "dynamic" ? "192.0.2.93" : "192.0.2.94";
    stand = await startStand({ mode, port, address, settings: permitted });
  });
  afterAll(() => stand.stop());

  const apply = (annotations: Record<string, string>) =>
    stand.apply(ingress({ name: "a", host: "a.example", annotations }), ingress({ name: "b", host: "b.example" }));
  const answers = async (path: string) => [
    (await stand.ask("a.example", path)).status,
    (await stand.ask("b.example", path)).status,
  ];
  const withModule = (context: { skip(why: string): void }) => {
    if (!modsecurity) context.skip("nginx has no ModSecurity module: npm run setup installs it where Debian has it");
  };

  test("rules of an Ingress apply to it alone", async (context) => {
    withModule(context);
    await apply({ "enable-modsecurity": "true", "modsecurity-snippet": rule('ARGS:block "@streq yes"') });
    expect(await answers("/?block=yes")).toEqual([418, 200]);
    expect(await answers("/?block=no")).toEqual([200, 200]);
  });

  test("rules have modsecurity-transaction-id as UNIQUE_ID", async (context) => {
    withModule(context);
    const named = {
      "modsecurity-transaction-id": "$host",
      "modsecurity-snippet": rule('UNIQUE_ID "@streq a.example"'),
    };
    await apply({ "enable-modsecurity": "true", ...named });
    expect(await answers("/")).toEqual([418, 200]);
  });

  test("the stock rules only detect", async (context) => {
    withModule(context);
    if (!stock) context.skip("the stock rules are not installed");
    await apply({ "enable-modsecurity": "true" });
    expect(await answers("/?x=<script>alert(1)</script>")).toEqual([200, 200]);
  });

  test("OWASP rules that are not installed set only their own Ingress aside", async (context) => {
    withModule(context);
    await apply({
      "enable-modsecurity": "true",
      "enable-owasp-core-rules": "true",
      "modsecurity-snippet": "SecRuleEngine On",
    });
    expect((await answers("/"))[1]).toBe(200);
    expect(stand.problemsOf("a").join()).toContain("nginx refused it");
    expect(stand.problemsOf("b")).toEqual([]);
  });
});
