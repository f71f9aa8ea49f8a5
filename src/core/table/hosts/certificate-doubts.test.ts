import { expect, test } from "vitest";
import { fake } from "../../../../test/support/sketch.ts";
import type { Certificate, Weakness } from "../../model/configuration.ts";
import { type Problem, sentence } from "../../model/problem.ts";
import { Table } from "../../model/table.ts";
import { CertificateDoubts } from "./certificate-doubts.ts";

const valid = { ...fake, id: "ns/tls", notBefore: new Date("2026-01-01"), notAfter: new Date("2026-02-01") };
const sentences = (problems: Table<readonly Problem[]>) => [...problems.values()].flat().map(sentence);
const doubtsAt = (now: string, weakness?: Weakness) =>
  sentences(new CertificateDoubts().of(Table.from([["ns/tls", { ...valid, weakness }]]), new Date(now)));

test("the warning about a certificate has its dates or its weakness", () => {
  expect(doubtsAt("2026-01-15")).toEqual([]);
  expect(doubtsAt("2026-02-02")).toEqual(["tls.crt: the certificate expired on 2026-02-01; it is still served"]);
  expect(doubtsAt("2026-01-23")).toEqual(["tls.crt: the certificate expires soon, on 2026-02-01; it is still served"]);
  expect(doubtsAt("2025-12-31")).toEqual([
    "tls.crt: the certificate is not valid before 2026-01-01; it is still served",
  ]);
  expect(doubtsAt("2026-01-15", { why: "its RSA key has 1024 bits", level: 1 })).toEqual([
    "tls.crt: its RSA key has 1024 bits; it is still served",
  ]);
});

test("certificates are checked when they change, and all of them again after an hour", () => {
  const doubts = new CertificateDoubts();
  const weak = { ...valid, weakness: { why: "it is signed with SHA-1", level: 0 } } as const;
  const sentencesOf = (certificates: Table<Certificate>, now: string) =>
    sentences(doubts.of(certificates, new Date(now)));
  const one = Table.from<Certificate>([["ns/tls", weak]]);
  const expired = "tls.crt: the certificate expired on 2026-02-01; it is still served";
  expect(sentencesOf(one, "2026-01-15T10:00Z")).toHaveLength(1);
  expect(sentencesOf(one.with([["ns/other", weak]]), "2026-01-15T10:20Z")).toHaveLength(2);
  expect(sentencesOf(one, "2026-01-15T10:40Z")).toHaveLength(1);
  expect(sentencesOf(one, "2026-02-02T00:00Z")).toEqual([expired]);
  expect(sentencesOf(Table.empty(), "2026-02-02T01:00Z")).toEqual([]);
});
