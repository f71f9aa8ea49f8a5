import { expect, test } from "vitest";
import { notingPlace, readingOf, settingsOf, valuesOf } from "../../../test/support/reading.ts";
import { rateLimits } from "./rate-limits.ts";

const linesOf = (view: unknown) =>
  view === false ? [] : (view as { lines: readonly { name: unknown; value: unknown }[] }).lines;

/** Returns the lines of the location, and the lines of the http block that it needs. */
function printed(annotations: Record<string, string>, settings: Record<string, string> = {}) {
  const http: string[] = [];
  const place = { ...notingPlace({ live: false }), inHttp: (line: unknown) => http.push(String(line)) };
  const view = rateLimits.view!(valuesOf(annotations).rateLimits, place, settingsOf(settings));
  const lines = linesOf(view).map((one) => `${one.name} ${one.value}`);
  return { lines, http };
}

test("a limit counts by Ingress and client, with a burst that is served without delay", () => {
  const { lines, http } = printed({ "limit-rps": "10", "limit-burst-multiplier": "3" });
  expect(lines).toEqual([expect.stringMatching(/^limit_req zone=rate_\w+ burst=30 nodelay$/)]);
  expect(http[0]).toBe(
    'map "${binary_remote_addr}" $limit_key { "" ""; default "${namespace}/${ingress_name} ${binary_remote_addr}"; }',
  );
  expect(http[1]).toMatch(/^limit_req_zone \$limit_key zone=rate_\w+:10m rate=10r\/s;$/);
});

test("two Ingresses with one rate share a zone; another rate, or another list of exemptions, has its own", () => {
  const zone = (annotations: Record<string, string>) => printed(annotations).lines[0];
  expect(zone({ "limit-rpm": "1" })).toBe(zone({ "limit-rpm": "1" }));
  expect(zone({ "limit-rpm": "1" })).not.toBe(zone({ "limit-rps": "1" }));
  expect(zone({ "limit-rpm": "1" })).not.toBe(zone({ "limit-rpm": "1", "limit-allowlist": "192.0.2.1" }));
});

test("each namespace has zones of its own in static mode, so that no flood evicts the counts of another", () => {
  const zones = (zonesOf: string) => {
    const values = valuesOf({ "limit-rps": "1", "limit-connections": "1" }).rateLimits;
    const view = rateLimits.view!(values, { ...notingPlace({ live: false }), zonesOf }, settingsOf());
    return linesOf(view).map(({ value }) => String(value).split(" ")[0]);
  };
  expect(zones("shop")).toEqual(zones("shop"));
  for (const zone of zones("shop")) expect(zones("other")).not.toContain(zone);
});

test("exempt clients have an empty key, which nginx does not count", () => {
  const { http } = printed({ "limit-rpm": "1", "limit-whitelist": "192.0.2.0/24, 192.0.2.1" });
  expect(http.find((line) => line.startsWith("geo"))).toMatch(/\{ default 0; 192.0.2.0\/24 1; 192.0.2.1 1; \}$/);
  expect(http.find((line) => line.startsWith("map $limit_spares"))).toMatch(/\{ 0 \$limit_key; default ""; \}$/);
});

test("rates of zero or less limit nothing, and the largest limit of connections is 65535", () => {
  expect(printed({ "limit-rps": "0", "limit-rpm": "-1", "limit-connections": "0" }).lines).toEqual([]);
  expect(printed({ "limit-connections": "100000" }).lines[0]).toMatch(/ 65535$/);
});

test("a burst multiplier of 0, with which nginx would refuse all requests, is replaced by the default of five", () => {
  const reading = readingOf({ "limit-rps": "1", "limit-burst-multiplier": "0" });
  expect(reading.values.rateLimits.burst).toBe(5);
  expect(reading.problems).toMatchObject([{ key: "limit-burst-multiplier", done: "default" }]);
});

test("rates of an Ingress are data, and its limit of connections is a directive", () => {
  const place = notingPlace();
  const annotations = { "limit-rps": "5", "limit-rpm": "100", "limit-connections": "2", "limit-whitelist": "::1" };
  const view = rateLimits.view!(valuesOf(annotations).rateLimits, place, settingsOf());
  expect(linesOf(view).map(({ name }) => String(name))).toEqual(["limit_conn"]);
  expect(place.noted.variables).toEqual({
    limits: "5s25 100m500",
    limits_spare: "00000000000000000000000000000001/128",
  });
});

test("rates are text where the log format names the result of nginx's own limit", () => {
  const place = notingPlace();
  const settings = settingsOf({ "log-format-upstream": "$remote_addr $limit_req_status" });
  const view = rateLimits.view!(valuesOf({ "limit-rps": "5" }).rateLimits, place, settings);
  expect(linesOf(view).map(({ name }) => String(name))).toEqual(["limit_req"]);
  expect(place.noted.variables).toEqual({});
});

test("rates are text where a snippet of the ConfigMap has a limit, which a location with its own does not inherit", () => {
  const place = notingPlace();
  const snippet = "limit_req_zone $host zone=host:1m rate=1r/s;\nlimit_req zone=host;";
  const view = rateLimits.view!(
    valuesOf({ "limit-rps": "5" }).rateLimits,
    place,
    settingsOf({ "http-snippet": snippet }),
  );
  expect(linesOf(view).map(({ name }) => String(name))).toEqual(["limit_req"]);
});
