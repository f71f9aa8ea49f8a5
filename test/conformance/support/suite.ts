/** Runs the suite as a program and reads its output. */
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { gatewaySuite } from "../../../scripts/gateway-suite.ts";
import { build } from "../../../src/base/version.ts";

export interface SuiteOptions {
  readonly kubeconfig: string;
  readonly gatewayClass: string;
  readonly profiles: readonly string[];
  /** The folder for its report and its output. */
  readonly folder: string;
  /** The tests to run. Without any, the features of the class decide. */
  readonly tests: readonly string[];
  readonly skip?: readonly string[];
  /** Replacements of the suite's own limits, such as `MaxTimeToConsistency:2`. */
  readonly limits?: string | undefined;
}

export interface SuiteResult {
  readonly passed: readonly string[];
  /** Each failed test with its output. */
  readonly failed: ReadonlyMap<string, string>;
  readonly skipped: readonly string[];
  /**
   * The report in the format that the Gateway API publishes; undefined if the suite wrote none.
   */
  readonly reportFile: string;
}

export async function runSuite({
  kubeconfig,
  gatewayClass,
  profiles,
  folder,
  tests,
  skip = [],
  limits,
}: SuiteOptions): Promise<SuiteResult> {
  const reportFile = join(folder, "report.yaml");
  const which = tests.length === 0 ? "" : `/^(${tests.join("|")})$`;
  const flags = [
    ...["-test.v", "-test.parallel=4", "-test.timeout=20m", `-test.run=^TestConformance$${which}`],
    ...[
      `--gateway-class=${gatewayClass}`,
      `--conformance-profiles=${profiles.join(",")}`,
      "--cleanup-base-resources=false",
    ],
    ...["--usable-address=192.0.2.99", "--unusable-address=203.0.113.1"],
    ...[`--report-output=${reportFile}`, "--organization=sluice", "--project=sluice", `--version=v${build.release}`],
    ...["--url=https://sluice.dev", "--contact=https://sluice.dev"],
    ...(skip.length === 0 ? [] : [`--skip-tests=${skip.join(",")}`]),
    ...(limits === undefined ? [] : [`--timeout-config-overrides=${limits}`]),
  ];
  const running = execa(gatewaySuite.program, flags, {
    cwd: folder,
    env: { KUBECONFIG: kubeconfig },
    reject: false,
    all: true,
  });
  running.all.pipe(createWriteStream(join(folder, "suite.log")));
  const { all } = await running;
  return { ...resultsIn(all), reportFile };
}

/**
 * Reads the results. Tests are one level below TestConformance, and a test's output stands between
 * its start and its end.
 */
export function resultsIn(printed: string): Omit<SuiteResult, "reportFile"> {
  const named = (word: string) =>
    [...printed.matchAll(new RegExp(`^    --- ${word}: TestConformance/([^/ ]+) `, "gm"))].map(
      ([, name]) => name ?? "",
    );
  const failed = new Map(named("FAIL").map((name) => [name, outputOf(name, printed)]));
  // If the suite ends before its first test, its output is the reason.
  const isWhole = /^--- (PASS|FAIL|SKIP): TestConformance /m.test(printed);
  if (!isWhole || (failed.size === 0 && /^--- FAIL: TestConformance /m.test(printed)))
    failed.set("the suite itself", printed.split("\n").slice(-40).join("\n"));
  return { passed: named("PASS"), failed, skipped: named("SKIP") };
}

/** Returns the last lines about a failure in the test. */
function outputOf(name: string, printed: string): string {
  const lines = printed.split("\n");
  const start = lines.findIndex((line) => line.trim() === `=== RUN   TestConformance/${name}`);
  let isIts = false;
  const its = lines.slice(Math.max(start, 0)).filter((line) => {
    const at = /^=== \w+ +(\S+)/.exec(line);
    if (at) isIts = at[1] === `TestConformance/${name}` || at[1]?.startsWith(`TestConformance/${name}/`) === true;
    return isIts && !at;
  });
  const errors = its.filter((line) =>
    /Error|expected|failed|timed out|timeout|panic|was not in|not \w+ yet/i.test(line),
  );
  return (errors.length > 0 ? errors : its).slice(-12).join("\n");
}
