import { expect, test } from "vitest";
import { notingPlace, printed, readingOf, settingsOf, valuesOf } from "../../../test/support/reading.ts";
import { rangeList } from "../kinds/addresses.ts";
import { accessLists } from "./access-lists.ts";

test.each([
  ["::ffff:192.0.2.7/128", "192.0.2.7/32"],
  ["::ffff:192.0.2.0/120", "192.0.2.0/24"],
  ["::ffff:c000:0207", "192.0.2.7/32"],
  ["::/0", "::/0"],
  ["2001:db8::1", "2001:db8::1"],
  ["192.0.2.77/25", "192.0.2.77/25"],
])("the address list entry %s means the range %s", (text, range) => {
  expect(rangeList.read(text)).toEqual({ ok: true, value: [range] });
});

test("an empty alias counts as absent, an empty list does not", () => {
  expect(readingOf({ "whitelist-source-range": "" }).verdict).toBe("serve");
  expect(readingOf({ "allowlist-source-range": "" }).verdict).toBe("deny");
  expect(readingOf({ "denylist-source-range": " " }).verdict).toBe("deny");
  expect(readingOf({ "whitelist-source-range": " " }).verdict).toBe("deny");
});

test("a list of the Ingress replaces that of the ConfigMap, and the canonical key wins over its alias", () => {
  const settings = { "whitelist-source-range": "192.0.2.0/24", "denylist-source-range": "192.0.2.9" };
  const annotations = { "whitelist-source-range": "192.0.2.1", "allowlist-source-range": "192.0.2.2" };
  expect(valuesOf(annotations, { settings }).accessLists).toEqual({ allow: ["192.0.2.2"], deny: ["192.0.2.9"] });
});

test("block-cidrs comes first in every list, and locations without an owner have none", () => {
  const settings = settingsOf({ "block-cidrs": "192.0.2.80/31" });
  const lists = { allow: ["192.0.2.0/24"], deny: ["192.0.2.9"] };
  expect(printed(accessLists.view!(lists, notingPlace({ identifies: true }), settings))).toEqual({
    live: false,
    deny: ["192.0.2.80/31", "192.0.2.9"],
    allow: ["192.0.2.0/24"],
    others: true,
  });
  expect(accessLists.view!(lists, notingPlace({ owned: false }), settings)).toBe(false);
});

test("an Ingress's own lists are data where no other feature restricts its clients", () => {
  const place = notingPlace();
  const lists = { allow: ["192.0.2.77/25", "2001:db8::/33"], deny: ["192.0.2.9"] };
  expect(accessLists.view!(lists, place, settingsOf())).toEqual({ live: true });
  expect(place.noted.variables).toEqual({
    access: "c0000209/32|c0000200/25 20010db8000000000000000000000000/33",
  });
});

test.each([
  ["a long list", { allow: Array.from({ length: 65 }, (_, at) => `192.0.2.${at}`), deny: [] }, {}],
  ["the list of the ConfigMap", { allow: ["192.0.2.0/24"], deny: [] }, { "whitelist-source-range": "192.0.2.0/24" }],
])("%s is text instead of data", (_name, lists, settings) => {
  const place = notingPlace();
  expect(accessLists.view!(lists, place, settingsOf(settings))).toMatchObject({ live: false });
  expect(place.noted.variables).toEqual({});
});
