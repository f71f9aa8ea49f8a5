/**
 * A reporter of vitest that writes what `.ci/run` ends with, as JSON, to the file that SUMMARY_FILE names: counts, and every
 * test that was skipped with its reason. A file that could not be loaded, and an error outside a test, count as failed tests.
 * A failed test comes with what it said: whoever reads a log by its end sees why it failed.
 */
import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestCase, TestModule } from "vitest/node";

export interface Summary {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const file = process.env.SUMMARY_FILE;
    if (file !== undefined) writeFileSync(file, JSON.stringify(summaryOf(modules, unhandled.length)));
  }
}

function summaryOf(modules: readonly TestModule[], unhandled: number): Summary {
  const tests = modules.flatMap((one) => [...one.children.allTests()]);
  const inState = (state: string): TestCase[] => tests.filter((one) => one.result().state === state);
  const broken = modules.filter((one) => one.errors().length > 0).map((one) => one.relativeModuleId);
  const outside = Array.from({ length: unhandled }, (_, at) => `unhandled error ${at + 1}`);
  const skipped = inState("skipped").map((one) => ({ name: nameOf(one), reason: reasonOf(one) }));
  return {
    passed: inState("passed").length,
    failed: [...inState("failed").map(failureOf), ...broken, ...outside],
    skipped,
  };
}

function nameOf(one: TestCase): string {
  return `${one.module.relativeModuleId} > ${one.fullName}`;
}

/** A name, and below it the first lines of every error. */
function failureOf(one: TestCase): string {
  const said = (one.result().errors ?? []).map(({ message, diff }) =>
    stripVTControlCharacters([message, diff ?? ""].join("\n")),
  );
  const lines = said.flatMap((text) => text.split("\n").slice(0, 20));
  return [nameOf(one), ...lines.map((line) => `    ${line.slice(0, 300)}`)].join("\n");
}

function reasonOf(one: TestCase): string {
  const result = one.result();
  return (result.state === "skipped" ? result.note : undefined) ?? "no reason given";
}
