import { expect, test } from "vitest";
import { configMap, put } from "../../../test/support/sketch.ts";
import { strictPolicy } from "../kinds/asked.ts";
import { emptySnapshot } from "../model/snapshot.ts";
import { Problems } from "./problems.ts";
import { SettingsInForce } from "./settings-in-force.ts";
import { emptyInputs } from "./turn.ts";

const inputs = (data: Record<string, string>) => ({
  ...emptyInputs,
  snapshot: put(emptySnapshot, configMap("ns/settings", data)),
});

test("the Settings change when a value does, and not when only its spelling does", () => {
  const settings = new SettingsInForce({ configMap: "ns/settings", asked: strictPolicy }, new Problems());
  const steps = [
    inputs({}),
    inputs({ "proxy-read-timeout": "7" }),
    inputs({ "proxy-read-timeout": "07" }),
    inputs({ "Proxy-Read-Timeout": "7", nonsense: "x" }),
  ];
  const others = steps.map((now, at) => settings.renew(steps[at - 1] ?? emptyInputs, now));
  expect(others).toEqual([false, true, false, false]);
  expect(settings.value.proxyReadTimeout).toBe(7);
});

test("an unreadable text keeps the last good one in force, and is reported", () => {
  const problems = new Problems();
  const settings = new SettingsInForce({ configMap: "ns/settings", asked: strictPolicy }, problems);
  const [good, bad] = [inputs({ "proxy-read-timeout": "7" }), inputs({ "proxy-read-timeout": "x" })];
  settings.renew(emptyInputs, good);
  expect(settings.renew(good, bad)).toBe(false);
  expect(settings.value.proxyReadTimeout).toBe(7);
  expect(settings.lastGood).toEqual({ "proxy-read-timeout": "7" });
  expect(problems.byOwner.get("ConfigMap ns/settings")).toMatchObject([{ kind: "setting-unreadable" }]);
});
