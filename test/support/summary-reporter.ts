/**
 * A reporter of vitest that writes the summary for the end of `.ci/run`, as JSON, to the file
 * SUMMARY_FILE: counts, and every skipped test with its reason. A file that could not be loaded, a
 * hook that failed and an error outside a test count as failed tests. A failed test is listed with
 * its messages, so that readers who begin at the end of a log see why it failed.
 */
import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

interface Failure {
  readonly message: string;
  readonly diff?: string | undefined;
}

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
  const groups = modules.flatMap((one) => [one, ...one.children.allSuites()]);
  const broken = groups.filter((one) => one.errors().length > 0);
  const outside = Array.from({ length: unhandled }, (_, at) => `unhandled error ${at + 1}`);
  const skipped = inState("skipped").map((one) => ({ name: nameOf(one), reason: reasonOf(one) }));
  return {
    passed: inState("passed").length,
    failed: [
      ...inState("failed").map((one) => failureOf(nameOf(one), one.result().errors)),
      ...broken.map((one) => failureOf(groupName(one), one.errors())),
      ...outside,
    ],
    skipped,
  };
}

function nameOf(one: TestCase): string {
  return `${one.module.relativeModuleId} > ${one.fullName}`;
}

function groupName(one: TestModule | TestSuite): string {
  return one.type === "module" ? one.relativeModuleId : `${one.module.relativeModuleId} > ${one.fullName}`;
}

/** Returns the name of a test, and below it the first lines of every error. */
function failureOf(name: string, errors: readonly Failure[] = []): string {
  const messages = errors.map(({ message, diff }) => stripVTControlCharacters([message, diff ?? ""].join("\n")));
  const lines = messages.flatMap((text) => text.split("\n").slice(0, 20));
  return [name, ...lines.map((line) => `    ${line.slice(0, 300)}`)].join("\n");
}

function reasonOf(one: TestCase): string {
  const result = one.result();
  return (result.state === "skipped" ? result.note : undefined) ?? "no reason given";
}
