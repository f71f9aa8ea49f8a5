/**
 * `sluice check FOLDER`: what is wrong with the objects in a folder of YAML, with file, line and column, before any of it is
 * live. The sentences are those of Events and of the webhook.
 */
import { named, sentence, unplaced } from "../problem.ts";
import type { Out } from "./reference.ts";
import { toolCall } from "./tools/call.ts";
import { type Finding, findingsIn } from "./tools/findings.ts";
import { readFolder } from "./tools/folder.ts";

const usage = `Usage: sluice check [flags] FOLDER [-o json]

Says what is wrong with the Kubernetes objects in a folder of YAML files, with file, line and column: an error where something is
not served as it is written, a warning where something does nothing. It takes the flags of sluice serve and needs no cluster and no nginx.
Exit code 0 without errors, 1 with errors, 2 when it cannot do its work.
`;

export function check(argv: readonly string[], out: Out, colours = false): number {
  const call = toolCall(argv, ["a folder"]);
  if (call.kind === "help") {
    out.write(usage);
    return 0;
  }
  const read = call.kind === "call" ? readFolder(call.folders[0]!) : { ok: false as const, why: call.why };
  if (call.kind === "failure" || !read.ok) {
    out.fail(`sluice check: ${read.ok ? "" : read.why}`);
    return 2;
  }
  const findings = findingsIn(read.files, call.flags);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const counts = { files: read.files.size, errors, warnings: findings.length - errors };
  out.write(call.json ? `${JSON.stringify(asJson(findings, counts), null, 2)}\n` : asText(findings, counts, colours));
  return errors > 0 ? 1 : 0;
}

interface Counts {
  readonly files: number;
  readonly errors: number;
  readonly warnings: number;
}

function asText(findings: readonly Finding[], { files, errors, warnings }: Counts, colours: boolean): string {
  const red = (text: string) => (colours ? `\u001b[31m${text}\u001b[0m` : text);
  const yellow = (text: string) => (colours ? `\u001b[33m${text}\u001b[0m` : text);
  const lines = findings.map(({ severity, at, problem }) => {
    const place = at === undefined ? "" : `${at.file}:${at.line}:${at.column}: `;
    const word = severity === "error" ? red("error") : yellow("warning");
    const about = problem.object.kind === "File" ? "" : `${named(problem.object)}: `;
    return `${place}${word}: ${about}${unplaced(problem)}\n`;
  });
  const sum = [counted(errors, "error"), counted(warnings, "warning")].join(" and ");
  return `${lines.join("")}${sum} in ${counted(files, "file")}\n`;
}

function asJson(findings: readonly Finding[], counts: Counts) {
  const problems = findings.map(({ severity, at, problem }) => ({
    severity,
    ...at,
    object: problem.object,
    kind: problem.kind,
    sentence: sentence(problem),
  }));
  return { ...counts, problems };
}

function counted(count: number, noun: string): string {
  return `${count === 0 ? "no" : count} ${noun}${count === 1 ? "" : "s"}`;
}
