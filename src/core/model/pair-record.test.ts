import { expect, test } from "vitest";
import { pairRecord, shownOfPair } from "./pair-record.ts";
import { SecretText } from "./secret-text.ts";

test("a pair is read without its key, whatever text stands between the certificates", () => {
  const chain = "Grüße, 12\n-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
  const record = pairRecord({ chain, key: new SecretText("KEY\n"), fingerprint: "0a1b" });
  expect(record).toBe(`0a1b ${Buffer.byteLength(chain)}\n${chain}KEY\n`);
  expect(shownOfPair(record)).toEqual({ fingerprint: "0a1b", chain });
});
