/**
 * A Problem has the same sentence everywhere: in the log, the Event, the webhook's answer and
 * `sluice check`.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { problemSamples } from "../../../test/support/problem-samples.ts";
import { findingsText } from "../../cli/check.ts";
import { answerOf } from "../../edges/admission/webhook.ts";
import { problemEvents, reasonOf } from "../../edges/events/event-writer.ts";
import { openLog } from "../../edges/log/log.ts";
import { ProblemLog } from "../../edges/log/problem-log.ts";
import { named, type Problem, sentence } from "./problem.ts";
import { problemKinds } from "./problem-kinds.ts";
import { Table } from "./table.ts";

const samples = Object.values(problemSamples) as readonly Problem[];

test.each(samples)("$kind has the same sentence everywhere", (problem) => {
  const expected = sentence(problem);
  const only = Table.from([["it", [problem]]]);
  expect(problemEvents(Table.empty(), only)).toEqual([
    { object: problem.object, reason: expect.stringMatching(/^[A-Z][A-Za-z]+$/), message: expected },
  ]);

  const lines: string[] = [];
  new ProblemLog(openLog({ verbosity: 0, terminal: false, write: (line) => lines.push(line) })).renew(only);
  expect(lines.map((line) => JSON.parse(line).problem)).toEqual([expected]);

  expect(answerOf({ kind: "judged", refusals: [problem], warnings: [] })).toMatchObject({
    allowed: false,
    message: expected,
  });
  expect(answerOf({ kind: "judged", refusals: [], warnings: [problem] })).toMatchObject({
    allowed: true,
    warnings: [expected],
  });

  // A sentence about a file does not repeat the place that stands before it.
  const at = problem.kind === "manifest-unusable" ? problem.at : undefined;
  const text = findingsText([{ severity: "error", at, problem }], { files: 1, errors: 1, warnings: 0 }, false);
  const [line = ""] = text.split("\n");
  const place = at === undefined ? "" : `${at.file}:${at.line}:${at.column}: `;
  const unplaced =
    at === undefined ? expected : expected.replace(`${at.file} line ${at.line}, column ${at.column}: `, "");
  expect(line).toBe(`${place}error: ${named(problem.object)}: ${unplaced}`);
});

test("a sentence begins with its subject, leaves out the name of its object, and has no full stop at its end", () => {
  for (const problem of samples) {
    expect(sentence(problem)).not.toMatch(/undefined|\.$/);
    expect(sentence(problem)).not.toContain(named(problem.object));
  }
});

test("docs/troubleshooting.md explains each kind with the words of the page", () => {
  const page = readFileSync(new URL("../../../docs/troubleshooting.md", import.meta.url), "utf8");
  const [, table = ""] = /^\| kind \| reason of the Event.*\n\|.*\n((?:\|.*\n)*)/m.exec(page)!;
  const rows = samples.map((problem) => {
    return `| \`${problem.kind}\` | \`${reasonOf(problem)}\` | ${problemKinds[problem.kind][1]} |`;
  });
  expect(table.trim().split("\n").toSorted()).toEqual(rows.toSorted());
});
