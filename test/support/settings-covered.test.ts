/**
 * Prints how many ConfigMap keys and flags behaviour tests use, and fails for one that has an
 * effect and no such test. The files of `test/nginx` about keys are called `settings-…`; in them a
 * name that is also an annotation stands for the key.
 */
import { expect, test } from "vitest";
import { flagList } from "../../src/controller/flags.ts";
import { settingList } from "../../src/core/settings/registry.ts";
import {
  coverageOf,
  usedByCorpus,
  usedInClusterTests,
  usedInHostileTests,
  usedInImageTests,
  usedInNginxTests,
} from "./coverage.ts";

const corpus = usedByCorpus();

test("every ConfigMap key with an effect has a behaviour test", () => {
  const acting = settingList.map(([, setting]) => setting).filter(({ noEffect }) => noEffect === undefined);
  const used = new Set([
    ...corpus.settings,
    ...usedInNginxTests((file) => /^(settings-|faults|ocsp)/.test(file)),
    ...usedInImageTests((file) => file === "http3.test.ts"),
    ...usedInHostileTests(),
  ]);
  const { line, untested } = coverageOf(
    "ConfigMap keys that act",
    acting.map(({ key }) => key),
    used,
  );
  process.stdout.write(`\n${line}\n`);
  expect(untested).toEqual([]);
});

/** The conformance suite of the Gateway API starts its controller with these flags. */
const inConformanceTests = ["--gateway-controller-name", "--gateway-addresses"];

test("every flag with an effect has a behaviour test", () => {
  const acting = flagList.filter(([, { noEffect }]) => noEffect === undefined).map(([, { name }]) => `--${name}`);
  const { line, untested } = coverageOf(
    "flags that act",
    acting,
    new Set([
      ...corpus.flags,
      ...usedInNginxTests(() => true),
      ...usedInHostileTests(),
      ...usedInClusterTests(),
      ...inConformanceTests,
    ]),
  );
  process.stdout.write(`\n${line}\n`);
  expect(untested).toEqual([]);
});
