/**
 * Runs every case of the corpus against Sluice, in both modes: the answers must be those of
 * ingress-nginx, or those of a decision in `docs/differences.md`. Cases that nginx without Lua
 * cannot serve are skipped in static mode with a reason (`stock-limits.ts`).
 *
 *   PARITY_CASES='routing/canary*,access/*'   only these
 *   PARITY_MODE=static                        one mode only
 *   PARITY_PRINT=1                            print every answer
 *   PARITY_OPEN=1                             also cases of features that are not built
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { capabilityNames, lackingOf } from "../../src/core/tokens/capabilities.ts";
import { nginxHere } from "../../src/nginx/index.ts";
import { type EchoBackends, startEchoBackends } from "../support/echo-backend.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { type Case, caseNames, loadCase, loadExpectation } from "./case.ts";
import { differences } from "./compare.ts";
import { decidedDifferences, differencesPage, mismatches } from "./decided.ts";
import { featuresOf, missingModule, notBuilt } from "./features.ts";
import { withoutNewer } from "./newer-nginx.ts";
import { Runner } from "./runner.ts";
import { backendAddresses } from "./standard-objects.ts";
import { stockLimits } from "./stock-limits.ts";
import { type Mode, startSubject } from "./subject.ts";
import { type Outcome, Tally } from "./tally.ts";

const { PARITY_CASES: patterns, PARITY_OPEN, PARITY_PRINT } = process.env;
const modes = modesOf(process.env.PARITY_MODE);
const decided = decidedDifferences(differencesPage());
const cases = caseNames(patterns).map(loadCase);
if (cases.length === 0) throw new Error(`PARITY_CASES is ${patterns}; no case of the corpus has such a name`);
const installed = await nginxHere("nginx", process.env.PATH ?? "");
if (!installed.ok) throw new Error(installed.why);
const lacks = lackingOf(installed.nginx.capabilities);
const nginxVersion = installed.nginx.capabilities.version;
let folder: string;
let pki: Pki;
let backends: EchoBackends;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parity-"));
  pki = await pkiIn(folder);
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("each case that differs has its decision in docs/differences.md, and each decision has its cases", () => {
  expect(mismatches(decided)).toEqual([]);
});

for (const mode of modes) {
  const tally = new Tally();
  const limits = mode === "static" ? stockLimits() : new Map<string, string>();

  describe(`${mode} mode`, () => {
    // The echo backends remember the requests of a case, and one mode must not see those of the
    // other.
    beforeAll(async () => {
      backends = await startEchoBackends({ addresses: backendAddresses, ...pki.backend });
    });
    afterAll(() => backends.stop());
    afterAll(() => void process.stdout.write(`\nparity, ${mode} mode\n${tally.table()}\n`));

    describe.each([...byFlags(cases)])("%s", (_flags, group) => {
      let runner: Runner | undefined;
      afterAll(() => runner?.stop());

      const titled = group.map((one) => [`${one.name}: ${one.title}`, one] as const);
      test.for(titled)("the case %s is answered as recorded", async ([, wanted], context) => {
        const [feature = ""] = featuresOf(wanted);
        const left = leftOut(wanted, limits);
        if (left !== undefined) {
          tally.count(feature, left.as);
          return context.skip(left.why);
        }
        runner ??= await Runner.start(startSubject, { mode, flags: wanted.flags, pki });
        await tally.during(feature, async () => check(wanted, mode, runner!));
      });
    });
  });
}

/** Returns why the case is not run, and how it is counted. */
function leftOut(wanted: Case, limits: ReadonlyMap<string, string>): { as: Outcome; why: string } | undefined {
  const missing = PARITY_OPEN ? [] : featuresOf(wanted).filter((name) => notBuilt.includes(name));
  if (missing.length > 0) return { as: "open", why: `open, needs ${missing.join(", ")}` };
  const limit = limits.get(wanted.name);
  if (limit !== undefined) return { as: "not in stock nginx", why: limit };
  const module = missingModule(wanted, lacks);
  if (module === undefined) return undefined;
  return { as: "open", why: `nginx has no ${capabilityNames[module]}: npm run setup installs what Debian has` };
}

async function check(wanted: Case, mode: Mode, runner: Runner): Promise<void> {
  const got = await runner.run(wanted);
  if (PARITY_PRINT) process.stdout.write(`${wanted.name} ${JSON.stringify(got, null, 1)}\n`);
  const expected = loadExpectation(wanted, decided.has(wanted.name), mode);
  const found = differences(expected, got, wanted.ignore);
  expect(withoutNewer(wanted.name, nginxVersion, found).join("\n"), wanted.name).toBe("");
}

/**
 * Groups the cases by their flags, because each set of flags needs a controller of its own. Cases
 * with the default ConfigMap come first, because each change of the ConfigMap costs a turn.
 */
function byFlags(all: readonly Case[]): ReadonlyMap<string, readonly Case[]> {
  const isDefault = ({ configMap }: Case): boolean => Object.keys(configMap).length === 0;
  const sorted = all.toSorted((a, b) => Number(isDefault(b)) - Number(isDefault(a)));
  return Map.groupBy(sorted, ({ flags }) => (flags.length === 0 ? "default flags" : flags.join(" ")));
}

function modesOf(text: string | undefined): readonly Mode[] {
  if (text === undefined) return ["dynamic", "static"];
  if (text !== "dynamic" && text !== "static") throw new Error(`PARITY_MODE is ${text}; it can be dynamic or static`);
  return [text];
}
