import { expect, test } from "vitest";
import { valuesOf } from "../../../../test/support/reading.ts";
import { defaultSettings } from "../../settings/registry.ts";
import { featuresFor, settingsFor } from "./weak-certificates.ts";

const weakness = { why: "its RSA key has 1024 bits", level: 1 } as const;
const ciphersOf = (annotations: Record<string, string>, settings = defaultSettings) =>
  featuresFor(weakness, valuesOf(annotations), settings).sslCiphers.ciphers;

test("a weak certificate lowers the security level of its host's own ciphers, or else of the ciphers of all", () => {
  expect(ciphersOf({})).toBe(`${defaultSettings.sslCiphers}:@SECLEVEL=1`);
  expect(ciphersOf({ "ssl-ciphers": "HIGH" })).toBe("HIGH:@SECLEVEL=1");
  expect(ciphersOf({}, { ...defaultSettings, sslCiphers: undefined })).toBe("DEFAULT:@SECLEVEL=1");
});

test("a security level in the operator's list stays", () => {
  expect(ciphersOf({ "ssl-ciphers": "HIGH:@SECLEVEL=2" })).toBe("HIGH:@SECLEVEL=2");
});

test("a weak default certificate lowers the level of all ciphers, in one object while the settings are the same", () => {
  const lowered = settingsFor(weakness, defaultSettings);
  expect(lowered.sslCiphers).toBe(`${defaultSettings.sslCiphers}:@SECLEVEL=1`);
  expect(settingsFor({ ...weakness }, defaultSettings)).toBe(lowered);
  expect(settingsFor(undefined, defaultSettings)).toBe(defaultSettings);
});
