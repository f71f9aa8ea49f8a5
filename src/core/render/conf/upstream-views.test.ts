import { expect, test } from "vitest";
import { settingsOf } from "../../../../test/support/reading.ts";
import type { Upstream } from "../../model/configuration.ts";
import { staticUpstream } from "./upstream-views.ts";

const upstream = {
  endpoints: [{ address: "192.0.2.1", port: 80 }],
  balance: { algorithm: "round_robin" },
} as unknown as Upstream;

function idle(blocks: number, texts?: Readonly<Record<string, string>>): string | undefined {
  const view = staticUpstream("shop_web_80", upstream, settingsOf(texts), blocks);
  const { directives } = view as unknown as {
    readonly directives: readonly Readonly<Record<"name" | "value", unknown>>[];
  };
  return directives.map(({ name, value }) => `${name} ${value}`).find((line) => line.startsWith("keepalive "));
}

test.each([
  [1, "keepalive 320"],
  [200, "keepalive 320"],
  [201, "keepalive 160"],
  [1_000, "keepalive 40"],
  [100_000, "keepalive 5"],
])("with %i upstream blocks each one has %s", (blocks, line) => {
  expect(idle(blocks)).toBe(line);
});

test("the operator's setting is the limit for one block", () => {
  expect(idle(1, { "upstream-keepalive-connections": "20000" })).toBe("keepalive 20000");
  expect(idle(20_000, { "upstream-keepalive-connections": "4" })).toBe("keepalive 4");
  expect(idle(1, { "upstream-keepalive-connections": "0" })).toBeUndefined();
});
