/**
 * A ConfigMap of another namespace in `custom-headers`. As in ingress-nginx it may hold headers
 * that the operator allows, which are for clients anyhow. Nothing else of it reaches the author: no
 * name or value stands in a message, and an absent ConfigMap causes the same one.
 */
import { describe, expect, test } from "vitest";
import { configMap, ingress, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const reads = (reference: string) => ingress({ name: "spy", annotations: { "custom-headers": reference } });
const operator = settings({ "global-allowed-response-headers": "X-Team, X-Frame-Options" });

describe.each(["dynamic", "static"] as const)("in %s mode", (mode) => {
  const world = worldOf({ mode });

  test("headers that the operator allows are set from a ConfigMap of another namespace", async () => {
    await world.apply(operator, configMap("headers", { "X-Team": "shared" }, "other"), reads("other/headers"));
    expect((await world.ask("spy.example")).headers["x-team"]).toBe("shared");
  });

  test("nothing else of it is said or sent, and its absence is not told apart", async () => {
    const said = new Set<string>();
    const secrets: Readonly<Record<string, string>>[] = [
      { "db-password": "hunter2" },
      { "X-Team": `hunter2\u0007${"x".repeat(10)}` },
      { "X-Team": "hunter2".repeat(1_000) },
      { "X-Team": "fine", "hunter2-key": "1" },
    ];
    for (const data of secrets) {
      await world.apply(operator, configMap("hidden", data, "other"), reads("other/hidden"));
      const { status, headers, body } = await world.ask("spy.example");
      expect([status, JSON.stringify(headers) + body]).toEqual([503, expect.not.stringContaining("hunter2")]);
      for (const one of world.problemsOf("spy")) said.add(one);
    }
    await world.apply(reads("other/absent"));
    expect((await world.ask("spy.example")).status).toBe(503);
    for (const one of world.problemsOf("spy")) said.add(one.replace("absent", "hidden"));
    expect([...said]).toEqual([
      "annotation custom-headers: ConfigMap other/hidden of another namespace is missing, or holds something else than headers of global-allowed-response-headers; its paths answer 503",
    ]);
  });

  test("an operator who lets annotations name objects of other namespaces gets the details", async () => {
    const open = settings({ "global-allowed-response-headers": "X-Team", "allow-cross-namespace-resources": "true" });
    await world.apply(open, configMap("hidden", { "X-Other": "1" }, "other"), reads("other/hidden"));
    await world.ask("spy.example");
    expect(world.problemsOf("spy").join()).toContain("X-Other is not in global-allowed-response-headers");
  });
});
