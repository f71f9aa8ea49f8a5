import { expect, test } from "vitest";
import { named, sentence } from "../core/model/problem.ts";
import { openLog } from "../edges/log/log.ts";
import { nginxLog } from "../edges/log/nginx-log.ts";

/**
 * This text clears a terminal with a C1 control, goes back in the line, and changes the direction
 * of writing.
 */
const nasty = "a\u009b2J\u007f\u0085\u001b[2J\r\u202e\u2066\u200fb";
const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

test("no control character of a user is in a sentence or a name", () => {
  const object = { kind: "Ingress", namespace: "ns", name: nasty };
  expect(sentence({ object, kind: "nginx-refused", why: `${nasty}\n` })).not.toMatch(unseen);
  expect(named(object)).not.toMatch(unseen);
});

test.each([
  ["JSON", false],
  ["lines for a terminal", { colours: false }],
] as const)("no control character of a user is in a log of %s", (_, terminal) => {
  const lines: string[] = [];
  const log = openLog({ verbosity: 0, terminal, write: (text) => lines.push(text) });
  log.warn({ object: nasty, problem: nasty }, "problem");
  log.info({ said: nasty }, "seen");
  expect(lines.join("")).not.toMatch(unseen);
  expect(lines.join("").split("\n")).toHaveLength(3);
  if (terminal === false) expect(JSON.parse(lines[1]!).said).toBe(nasty);
});

test("no control character of a user is in a logged line of nginx", () => {
  const lines: string[] = [];
  const log = openLog({ verbosity: 0, terminal: false, write: () => {} });
  nginxLog({ log, write: (text) => lines.push(text), notices: false })({
    kind: "line",
    text: `[error] ${nasty}`,
  } as never);
  expect(lines.join("")).not.toMatch(unseen);
});
