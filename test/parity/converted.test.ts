/**
 * The recorded cases after `sluice convert`: their Ingresses become routes, nginx serves these, and
 * the answers are those that ingress-nginx gave. A sample runs with the other suites, and all of
 * them with CONVERT_CASES='**' (npm run convert-corpus).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lackingOf } from "../../src/directives/capabilities.ts";
import { nginxHere } from "../../src/nginx/index.ts";
import { type EchoBackends, startEchoBackends } from "../support/echo-backend.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { type Case, caseNames, loadCase, loadExpectation } from "./case.ts";
import { differences } from "./compare.ts";
import { answeredOtherwise, unprovable } from "./converted-differences.ts";
import { startConverted } from "./converted-subject.ts";
import { decidedDifferences, differencesPage } from "./decided.ts";
import { missingModule } from "./features.ts";
import { withoutNewer } from "./newer-nginx.ts";
import { Runner } from "./runner.ts";
import { backendAddresses } from "./standard-objects.ts";

const decided = decidedDifferences(differencesPage());
const all = caseNames(process.env.CONVERT_CASES).map(loadCase);
const cases = process.env.CONVERT_CASES === undefined ? all.filter((_, at) => at % 12 === 0) : all;
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

  test.for(group.map((one) => [one.name, one] as const))("%s", async ([, wanted], context) => {
    const module = missingModule(wanted, lacks);
    if (module !== undefined) return context.skip(`nginx has not ${module}`);
    const known = answeredOtherwise[wanted.name] ?? unprovable[wanted.name]?.[1];
    if (known !== undefined) return context.skip(known);
    runner ??= await Runner.start(startConverted(), { mode: "dynamic", flags: wanted.flags, pki });
    expect((await found(wanted, runner)).join("\n")).toBe("");
  });
});

async function found(wanted: Case, runner: Runner): Promise<readonly string[]> {
  const got = await runner.run(wanted);
  const expected = loadExpectation(wanted, decided.has(wanted.name), "dynamic");
  return withoutNewer(wanted.name, version, differences(expected, got, wanted.ignore));
}
