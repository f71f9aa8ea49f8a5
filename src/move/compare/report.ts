/**
 * Prints the findings of a comparison by host and path, as text and as JSON. Values that look like
 * credentials are left out.
 */
import { visible } from "../../base/visible.ts";
import { counted, painter, red, yellow } from "../../tools/words.ts";
import type { AnswerDifference } from "../replay/answer-differences.ts";
import { withoutCredentials } from "../replay/credentials.ts";
import { type Compared, nameOf } from "../replay/replay.ts";

export interface Report {
  readonly version: 1;
  readonly old: string;
  readonly new: string;
  readonly requests: number;
  readonly equal: number;
  readonly differing: readonly Group[];
  /** Differences that one address also has with itself. */
  readonly varying: readonly { readonly request: string; readonly fields: readonly string[] }[];
  readonly failed: readonly { readonly request: string; readonly why: string }[];
  readonly notes: readonly string[];
}

/** Requests to one host and path that differ in the same way. */
export interface Group {
  readonly host: string;
  readonly path: string;
  readonly count: number;
  /** One of these requests. */
  readonly example: string;
  readonly differences: readonly AnswerDifference[];
}

export function reportOf(
  compared: readonly Compared[],
  asked: { readonly old: string; readonly fresh: string; readonly notes: readonly string[] },
): Report {
  const differing = compared.filter(({ differences }) => differences.length > 0);
  const failed = compared.filter((one) => one.failed !== undefined);
  return {
    version: 1,
    old: asked.old,
    new: asked.fresh,
    requests: compared.length,
    equal: compared.length - differing.length - failed.length,
    differing: groupsOf(differing),
    varying: compared
      .filter(({ varying }) => varying.length > 0)
      .map((one) => ({ request: shownRequest(one), fields: one.varying })),
    failed: failed.map((one) => ({ request: shownRequest(one), why: one.failed! })),
    notes: asked.notes,
  };
}

function groupsOf(differing: readonly Compared[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const one of differing) {
    const { host, target } = one.request;
    const path = target.replace(/\?.*$/s, "");
    const key = JSON.stringify([host, path, one.differences.map(nameOf)]);
    const known = groups.get(key);
    const fresh = { host, path, count: 1, example: shownRequest(one), differences: one.differences };
    groups.set(key, known === undefined ? fresh : { ...known, count: known.count + 1 });
  }
  return [...groups.values()].sort((a, b) => compareText(a.host, b.host) || compareText(a.path, b.path));
}

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

function shownRequest({ request: { method, scheme, host, target, headers } }: Compared): string {
  const sent = [...headers].filter(([name]) => !["authorization", "cookie", "host"].includes(name));
  const shown = sent.map(([name, text]) => ` ${name}: ${text}`).join(",");
  return `${method} ${scheme}://${host}${withoutCredentials(target)}${shown === "" ? "" : ` with${shown}`}`;
}

const shownGroups = 50;

export function reportText(report: Report, colours: boolean, all: boolean): string {
  const painted = painter(colours);
  const groups = all ? report.differing : report.differing.slice(0, shownGroups);
  const lines: string[] = [];
  let host: string | undefined;
  for (const group of groups) {
    if (group.host !== host) lines.push(visible(group.host));
    host = group.host;
    const more = group.count === 1 ? "" : `, and ${counted(group.count - 1, "request")} like it`;
    lines.push(`  ${visible(group.example)}${more}`);
    lines.push(...group.differences.map((one) => painted(`    ${visible(sentenceOf(one))}`, red)));
  }
  const hidden = report.differing.length - groups.length;
  if (hidden > 0) lines.push(`and ${counted(hidden, "more difference")}; --all shows them`);
  for (const { request, fields } of report.varying.slice(0, all ? undefined : 10))
    lines.push(painted(`varies by itself: ${visible(request)}: ${visible(fields.join(", "))}`, yellow));
  for (const { request, why } of report.failed.slice(0, all ? undefined : 10))
    lines.push(painted(`no answer from either: ${visible(request)}: ${visible(why)}`, yellow));
  const { requests, equal, differing, varying, failed } = report;
  const different = requests - equal - failed.length;
  lines.push(
    `${counted(requests, "request")}: ${equal} equal, ${different} different at ${counted(differing.length, "place")}, ${varying.length} that vary by themselves, ${failed.length} without an answer`,
  );
  return lines.map((line) => `${line}\n`).join("");
}

const sentenceOf = (one: AnswerDifference): string =>
  `${nameOf(one)}: ${quoted(one, one.old)} -> ${quoted(one, one.new)}`;

const quoted = ({ field }: AnswerDifference, text: string): string =>
  field === "status" || field === "redirect" || text === "absent" || text === "empty" ? text : JSON.stringify(text);
