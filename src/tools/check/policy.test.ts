import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseFlags } from "../../controller/flags/parse.ts";
import { underPolicy } from "./policy.ts";

test.each([
  ['data: { "*.a.example": shop }', / has none that can be read: policy\.yaml:4:\d+: data\["\*\.a\.example"\]: /],
  ["data: [shop]", / has none that can be read: policy\.yaml:4:\d+: data: a list is given /],
])("a policy with %s gets a message with the mistake and its line", (data, why) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-policy-"));
  const file = join(folder, "policy.yaml");
  writeFileSync(file, `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: hosts, namespace: ops }\n${data}\n`);
  const parsed = parseFlags([], "run");
  if (parsed.kind !== "flags") throw new Error("the default flags cannot be parsed");
  try {
    expect(underPolicy(file, parsed.flags, new Map())).toEqual({ ok: false, why: expect.stringMatching(why) });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
