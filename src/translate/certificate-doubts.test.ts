import { expect, test } from "vitest";
import { fake } from "../../test/support/sketch.ts";
import type { Weakness } from "../model/configuration.ts";
import { sentence } from "../problem.ts";
import { certificateProblems } from "./certificate-doubts.ts";

const valid = { ...fake, id: "ns/tls", notBefore: new Date("2026-01-01"), notAfter: new Date("2026-02-01") };
const said = (now: string, weakness?: Weakness) =>
  [...certificateProblems([{ ...valid, weakness }], new Date(now)).values()].flat().map(sentence);

test("a certificate out of its dates is named with them, and a weak one with its weakness", () => {
  expect(said("2026-01-15")).toEqual([]);
  expect(said("2026-02-02")).toEqual(["tls.crt: the certificate expired on 2026-02-01; it is served all the same"]);
  expect(said("2026-01-23")).toEqual([
    "tls.crt: the certificate expires soon, on 2026-02-01; it is served all the same",
  ]);
  expect(said("2025-12-31")).toEqual([
    "tls.crt: the certificate is not valid before 2026-01-01; it is served all the same",
  ]);
  expect(said("2026-01-15", { why: "its RSA key has 1024 bits", level: 1 })).toEqual([
    "tls.crt: its RSA key has 1024 bits; it is served all the same",
  ]);
});
