import { expect, test } from "vitest";
import { rangeList } from "../kinds/addresses.ts";
import { readSettings } from "../settings/read.ts";
import { accessLists } from "./access-lists.ts";
import { readAnnotations } from "./read.ts";

const nothing = { secret: () => undefined, configMap: () => undefined, service: () => undefined };
const settingsOf = (data: Record<string, string>) =>
  readSettings(data, { kind: "ConfigMap", name: "settings" }, {}).settings;
const reading = (annotations: Record<string, string>, data: Record<string, string> = {}) =>
  readAnnotations(
    { apiVersion: "", kind: "Ingress", metadata: { name: "web", namespace: "shop", annotations } },
    "x",
    settingsOf(data),
    nothing,
  );

test.each([
  ["::ffff:192.0.2.7/128", "192.0.2.7/32"],
  ["::ffff:192.0.2.0/120", "192.0.2.0/24"],
  ["::ffff:c000:0207", "192.0.2.7/32"],
  ["::/0", "::/0"],
  ["2001:db8::1", "2001:db8::1"],
  ["192.0.2.77/25", "192.0.2.77/25"],
])("%s is the range %s", (text, range) => {
  expect(rangeList.read(text)).toEqual({ ok: true, value: [range] });
});

test("an empty alias counts as absent, an empty list does not", () => {
  expect(reading({ "x/whitelist-source-range": "" }).verdict).toBe("serve");
  expect(reading({ "x/allowlist-source-range": "" }).verdict).toBe("deny");
  expect(reading({ "x/denylist-source-range": " " }).verdict).toBe("deny");
  expect(reading({ "x/whitelist-source-range": " " }).verdict).toBe("deny");
});

test("a list of the Ingress replaces the ConfigMap's, and the canonical name beats its alias", () => {
  const data = { "whitelist-source-range": "192.0.2.0/24", "denylist-source-range": "192.0.2.9" };
  const annotations = { "x/whitelist-source-range": "192.0.2.1", "x/allowlist-source-range": "192.0.2.2" };
  expect(reading(annotations, data).values.accessLists).toEqual({ allow: ["192.0.2.2"], deny: ["192.0.2.9"] });
});

test("block-cidrs stands first in every list, and unknown hosts have none", () => {
  const settings = settingsOf({ "block-cidrs": "192.0.2.80/31" });
  const view = (owned: boolean) =>
    JSON.stringify(
      accessLists.view!({ allow: ["192.0.2.0/24"], deny: ["192.0.2.9"] }, { owned } as never, settings),
      (_key, value) => (typeof value === "object" && "toHTML" in value ? String(value) : value),
    );
  expect(view(true)).toBe(
    JSON.stringify({ deny: ["192.0.2.80/31", "192.0.2.9"], allow: ["192.0.2.0/24"], others: true }),
  );
  expect(view(false)).toBe("false");
});
