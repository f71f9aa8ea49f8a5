/**
 * Runs the recorded cases after `sluice convert`: their Ingresses become routes, nginx serves
 * these, and the answers must be those of ingress-nginx. A sample of the cases runs with the other
 * suites, and all of them with CONVERT_CASES='**' (npm run convert-corpus).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lackingOf } from "../../src/core/tokens/capabilities.ts";
import { comparableLocation } from "../../src/move/replay/effect.ts";
import { nginxHere } from "../../src/nginx/index.ts";
import { type EchoBackends, startEchoBackends } from "../support/echo-backend.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { type Case, caseNames, type Expectation, loadCase, loadExpectation } from "./case.ts";
import { differences } from "./compare.ts";
import { alwaysReplayed, answeredOtherwise, ofObjects } from "./converted-differences.ts";
import { startConverted } from "./converted-subject.ts";
import { decidedDifferences, differencesPage } from "./decided.ts";
import { missingModule } from "./features.ts";
import { withoutNewer } from "./newer-nginx.ts";
import { Runner } from "./runner.ts";
import { backendAddresses } from "./standard-objects.ts";

const decided = decidedDifferences(differencesPage());
const all = caseNames(process.env.CONVERT_CASES).map(loadCase);
const isInSample = ({ name }: Case, at: number) => at % 12 === 0 || alwaysReplayed.includes(name);
const cases = process.env.CONVERT_CASES === undefined ? all.filter(isInSample) : all;
const installed = await nginxHere("nginx", process.env.PATH ?? "");
if (!installed.ok) throw new Error(installed.why);
const lacks = lackingOf(installed.nginx.capabilities);
const { version } = installed.nginx.capabilities;
let folder: string;
let pki: Pki;
let backends: EchoBackends;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "converted-"));
  pki = await pkiIn(folder);
  backends = await startEchoBackends({ addresses: backendAddresses, ...pki.backend });
});
afterAll(async () => {
  await backends.stop();
  rmSync(folder, { recursive: true });
});

const groups = Map.groupBy(cases, ({ flags }) => flags.join(" "));

describe.each([...groups])("with %s", (_flags, group) => {
  let runner: Runner | undefined;
  afterAll(() => runner?.stop());

  test.for(group.map((one) => [one.name, one] as const))(
    "the routes of %s answer as recorded",
    async ([, wanted], context) => {
      const module = missingModule(wanted, lacks);
      if (module !== undefined) return context.skip(`nginx has not ${module}`);
      runner ??= await Runner.start(startConverted(), { mode: "dynamic", flags: wanted.flags, pki });
      const all = await found(wanted, runner);
      const [known = []] = answeredOtherwise[wanted.name] ?? [];
      const lines = all.filter(({ request }) => !known.includes(request)).flatMap((one) => one.lines);
      expect(lines.join("\n")).toBe("");
      // A request whose answers are equal must be removed from the list.
      expect(all.map(({ request }) => request)).toEqual(known);
    },
  );
});

interface Differing {
  /** Its number among the requests of the case; 0 means that objects were refused. */
  readonly request: number;
  readonly lines: readonly string[];
}

async function found(wanted: Case, runner: Runner): Promise<readonly Differing[]> {
  const got = await runner.run(wanted);
  const expected = loadExpectation(wanted, decided.has(wanted.name), "dynamic");
  const all = differences(comparable(expected), comparable(got), wanted.ignore);
  const result: { request: number; lines: string[] }[] = [];
  for (const line of withoutNewer(wanted.name, version, all)) {
    const begins = /^(\d+)\. /.exec(line);
    if (begins !== null || result.length === 0) result.push({ request: Number(begins?.[1] ?? 0), lines: [] });
    result.at(-1)!.lines.push(line);
  }
  return result;
}

/**
 * Replaces parts that may differ: different Locations of the same page become equal, and so do
 * names of objects of the right kind.
 */
function comparable({ requests, ...rest }: Expectation): Expectation {
  return {
    ...rest,
    requests: requests.map(({ headers, seen, ...answer }) => ({
      ...answer,
      ...(headers === undefined ? {} : { headers: changed(headers, { location: comparableLocation }) }),
      ...(seen === undefined ? {} : { seen: { ...seen, headers: changed(seen.headers ?? {}, ofObjects) } }),
    })),
  };
}

function changed<T>(
  headers: Readonly<Record<string, T>>,
  changes: Readonly<Record<string, (text: string) => string>>,
): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const change = changes[name];
      return [name, change === undefined || typeof value !== "string" ? value : (change(value) as T)];
    }),
  );
}
