import { expect, test } from "vitest";
import { valuesOf } from "../../../test/support/reading.ts";
import { defaultSettings } from "../../settings/registry.ts";
import { featuresFor, settingsFor } from "./weak-certificates.ts";

const weakness = { why: "its RSA key has 1024 bits", level: 1 } as const;
const ciphersOf = (annotations: Record<string, string>, settings = defaultSettings) =>
  featuresFor(weakness, valuesOf(annotations), settings).sslCiphers.ciphers;

test("a host lowers the level of its own ciphers, else of those of all", () => {
  expect(ciphersOf({})).toBe(`${defaultSettings.sslCiphers}:@SECLEVEL=1`);
  expect(ciphersOf({ "ssl-ciphers": "HIGH" })).toBe("HIGH:@SECLEVEL=1");
  expect(ciphersOf({}, { ...defaultSettings, sslCiphers: undefined })).toBe("DEFAULT:@SECLEVEL=1");
});

test("a level in the operator's list stays", () => {
  expect(ciphersOf({ "ssl-ciphers": "HIGH:@SECLEVEL=2" })).toBe("HIGH:@SECLEVEL=2");
});

test("for the default certificate all ciphers have it, in one object for as long as the settings are one", () => {
  const lowered = settingsFor(weakness, defaultSettings);
  expect(lowered.sslCiphers).toBe(`${defaultSettings.sslCiphers}:@SECLEVEL=1`);
  expect(settingsFor({ ...weakness }, defaultSettings)).toBe(lowered);
  expect(settingsFor(undefined, defaultSettings)).toBe(defaultSettings);
});
