import { expect, test } from "vitest";
import { type Certificate, noIdentity, SecretText } from "../model/configuration.ts";
import { Table } from "../model/table.ts";
import { pairsByName, pairsFor } from "./choice.ts";

const certificate = (id: string, keyAlgorithm: string, ...names: string[]): Certificate => ({
  id,
  chain: "",
  key: new SecretText(""),
  notBefore: new Date(0),
  notAfter: new Date(0),
  fingerprint: id,
  names,
  identity: { ...noIdentity, keyAlgorithm },
  weakness: undefined,
});

const all = Table.empty<Certificate>().with(
  [
    certificate("wild", "ECDSA", "*.a.test"),
    certificate("one", "ECDSA", "one.a.test", "b.test"),
    certificate("one-rsa", "RSA", "one.a.test"),
    certificate("other", "ECDSA", "one.a.test"),
  ].map((one) => [one.id, one] as const),
);

test("the longest name of a certificate decides, and of equal ones the first of each type of key", () => {
  const ids = ["gone", "wild", "one", "one-rsa", "other"];
  expect(pairsFor("one.a.test", ids, all)).toEqual(["one", "one-rsa"]);
  expect(pairsFor("b.test", ids, all)).toEqual(["one"]);
  expect(pairsFor("two.a.test", ids, all)).toEqual(["wild"]);
  expect(pairsFor("*.a.test", ids, all)).toEqual(["wild"]);
  for (const name of ["x.two.a.test", "a.test", "test", ""])
    expect(pairsFor(name, ids, all), name).toEqual(["wild", "one-rsa"]);
  expect(pairsFor("one.a.test", ["gone"], all)).toEqual([]);
});

test("all names are listed, because a wildcard would take one that is left out", () => {
  const named = { "*.a.test": ["wild"], "one.a.test": ["one"], "b.test": ["one"] };
  expect(pairsByName(["wild", "one"], all)).toEqual({ pairs: ["wild"], named });
  expect(pairsByName(["one", "wild"], all)).toEqual({ pairs: ["one"], named });
});

test("nothing is listed where all names get the same pairs", () => {
  expect(pairsByName(["other", "one-rsa"], all)).toEqual({ pairs: ["other", "one-rsa"], named: {} });
  expect(pairsByName(["one"], all)).toEqual({ pairs: ["one"], named: {} });
});
