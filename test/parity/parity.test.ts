/**
 * Every case of the corpus against Sluice: the answers must be those that ingress-nginx gave, or those that `docs/differences.md` decides.
 *
 *   PARITY_CASES='routing/canary*,access/*'   only these       PARITY_MODE=static   the other mode (default: dynamic)
 *   PARITY_PRINT=1                            print every answer             PARITY_OPEN=1        also cases of features that are not built
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EchoBackends, startEchoBackends } from "../support/echo-backend.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { type Case, caseNames, loadCase, loadExpectation } from "./case.ts";
import { differences } from "./compare.ts";
import { decidedDifferences, differencesPage, mismatches } from "./decided.ts";
import { featuresOf, notBuilt } from "./features.ts";
import { Runner } from "./runner.ts";
import { backendAddresses } from "./standard-objects.ts";
import { type Mode, startSubject } from "./subject.ts";
import { Tally } from "./tally.ts";

const { PARITY_CASES: patterns, PARITY_OPEN, PARITY_PRINT } = process.env;
const mode = modeOf(process.env.PARITY_MODE ?? "dynamic");
const decided = decidedDifferences(differencesPage());
const cases = caseNames(patterns).map(loadCase);
if (cases.length === 0) throw new Error(`PARITY_CASES is ${patterns}; no case of the corpus has such a name`);
const tally = new Tally();
let folder: string;
let pki: Pki;
let backends: EchoBackends;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parity-"));
  pki = await pkiIn(folder);
  backends = await startEchoBackends({ addresses: backendAddresses, ...pki.backend });
});

afterAll(async () => {
  await backends.stop();
  rmSync(folder, { recursive: true });
  process.stdout.write(`\nparity, ${mode} mode\n${tally.table()}\n`);
});

test("the cases that differ and the decisions in docs/differences.md name each other", () => {
  expect(mismatches(decided)).toEqual([]);
});

for (const [flags, group] of byFlags(cases)) {
  describe(flags === "" ? "default flags" : flags, () => {
    let runner: Runner | undefined;
    afterAll(() => runner?.stop());

    for (const wanted of group) {
      const [feature = "", ...others] = featuresOf(wanted);
      const missing = PARITY_OPEN ? [] : [feature, ...others].filter((name) => notBuilt.includes(name));

      test(`${wanted.name}: ${wanted.title}`, async (context) => {
        if (missing.length > 0) {
          tally.count(feature, "open");
          return context.skip(`open, needs ${missing.join(", ")}`);
        }
        runner ??= await Runner.start(startSubject, { mode, flags: wanted.flags, pki });
        await tally.during(feature, async () => check(wanted, runner!));
      });
    }
  });
}

async function check(wanted: Case, runner: Runner): Promise<void> {
  const got = await runner.run(wanted);
  if (PARITY_PRINT) process.stdout.write(`${wanted.name} ${JSON.stringify(got, null, 1)}\n`);
  const expected = loadExpectation(wanted, decided.has(wanted.name), mode);
  expect(differences(expected, got, wanted.ignore).join("\n"), wanted.name).toBe("");
}

/** One controller for each set of flags. Cases with the default ConfigMap come first: each change of it costs a turn. */
function byFlags(all: readonly Case[]): ReadonlyMap<string, readonly Case[]> {
  const isDefault = ({ configMap }: Case): boolean => Object.keys(configMap).length === 0;
  const sorted = all.toSorted((a, b) => Number(isDefault(b)) - Number(isDefault(a)));
  return Map.groupBy(sorted, ({ flags }) => flags.join(" "));
}

function modeOf(text: string): Mode {
  if (text !== "dynamic" && text !== "static") throw new Error(`PARITY_MODE is ${text}; it can be dynamic or static`);
  return text;
}
