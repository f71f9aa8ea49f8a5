/**
 * `sluice check FOLDER`: reports mistakes in the objects of a folder of YAML, with file, line and
 * column, before any of it is live. The sentences are those of Events and of the webhook. With a
 * cluster, the folder is judged as if it were applied there.
 */

import { visible, visibleLines } from "../base/visible.ts";
import type { Ingress } from "../core/model/objects.ts";
import { named, sentence, unplaced } from "../core/model/problem.ts";
import { toolCall } from "../tools/call.ts";
import { isAboutPolicy, policyOption, underPolicy } from "../tools/check/policy.ts";
import { withoutOtherContent } from "../tools/findings/no-manifests.ts";
import { type Finding, type Findings, judged as judgedIn } from "../tools/findings.ts";
import type { Files } from "../tools/folder.ts";
import {
  type Candidate,
  hint,
  hostsOf,
  isAround,
  isMeant,
  isNarrow,
  type Narrow,
  narrowOf,
  narrowOptions,
  takesHost,
} from "../tools/narrow.ts";
import { readObjects } from "../tools/read.ts";
import { textsIn, unreadTexts } from "../tools/texts.ts";
import { translated } from "../tools/translated.ts";
import { tryingSnippets } from "../tools/tried-snippets.ts";
import { withController } from "../tools/with-controller.ts";
import { counted, painter, red, yellow } from "../tools/words.ts";
import { failedAs, type Out, printed, printNotes } from "./out.ts";

const failed = failedAs("check");

const usage = `Usage: sluice check [flags] FOLDER [-n NAMESPACE] [--ingress NAME] [--host NAME] [--policy FILE|labels] [--kubeconfig FILE] [--context NAME] [-o json]

Reports mistakes in the Kubernetes objects of a folder of YAML files, with file, line and column. An
error means that something is not served as it is written, a warning that something does nothing.
FOLDER may also be a file, or - for standard input.

The command takes the flags of sluice serve and needs no cluster. Where nginx is installed, or
NGINX_BINARY names it, it tests the snippets; otherwise these are not tested. Where the folder has
the controller's Deployment, its class and flags count. With --kubeconfig or --context the folder is
judged as if it were applied to that cluster; without a folder, the cluster's own objects are judged.

With --policy it lists only which namespaces would lose which hosts under a host policy: that of a
file with its ConfigMap, or of labels of Namespaces (see --host-policy).

Exit code 0 without errors, 1 with errors, 2 when it cannot do its work.
`;

export const checkOptions = [...narrowOptions, policyOption];

export async function check(argv: readonly string[], out: Out, colours = false): Promise<number> {
  const call = toolCall(argv, { folders: ["a folder"], options: checkOptions });
  if (call.kind === "help") return printed(out, usage);
  if (call.kind === "failure") return failed(out, call.why);
  const [folder] = call.folders;
  const read = await readObjects(call, folder, "workloads");
  if (!read.ok) return failed(out, read.why);
  const { as, from, ...controller } = withController(call, read.files);
  const { policy } = call.options;
  const asked = underPolicy(policy, controller.flags, read.files);
  if (!asked.ok) return failed(out, asked.why);
  const { flags } = asked;
  const { files: objects, note: besides } = withoutOtherContent(asked.files);
  if (folder !== undefined && read.written.size === 0) return failed(out, nothingIn(folder));
  const translation = translated(objects, flags, as);
  const tried = await tryingSnippets(translation, flags, process.env);
  const judged = judgedIn(objects, flags, as, read.written, tried.problems, translation);
  const narrow = narrowOf(call.options);
  // A cluster has given its Ingresses their classes, and with the flag the operator wants them.
  const isAlone = as === "serve" && !call.argv.some((word) => word.startsWith("--watch-ingress-without-class"));
  const ingresses = ingressesIn(read.files);
  printNotes(out, "check", [
    ...read.notes,
    besides,
    tried.note,
    ...(policy === undefined ? leftOutNotes(judged, narrow, isAlone, call.live) : []),
    from && `class and flags are those of ${from}`,
    isNarrow(narrow) ? hint(narrow, ingresses) : undefined,
  ]);
  const own = policy === undefined ? judged.findings : judged.findings.filter((one) => isAboutPolicy(one, flags));
  // A policy may take hosts from objects of the cluster as well.
  const isWhole = folder === undefined || policy !== undefined || !call.live;
  const all = isWhole ? own : own.filter(({ at }) => at !== undefined);
  const findings = isNarrow(narrow) ? narrowed(all, narrow, ingresses) : all;
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const files = folder === undefined ? undefined : read.written.size;
  const counts = { files, errors, warnings: findings.length - errors };
  out.write(
    call.json ? `${JSON.stringify(asJson(findings, counts), null, 2)}\n` : findingsText(findings, counts, colours),
  );
  return errors > 0 ? 1 : 0;
}

/** Returns notes about Ingresses, Gateways and routes that are left out, or that name no class. */
function leftOutNotes(
  { leftOut, classless, gatewaysLeftOut, parentless }: Findings,
  narrow: Narrow,
  isAlone: boolean,
  isLive: boolean,
) {
  return [
    leftOut((key) => isMeant(key, narrow)),
    isAlone ? classless((key) => isMeant(key, narrow)) : undefined,
    gatewaysLeftOut((key) => isAround(key, narrow)),
    isLive ? undefined : parentless((key) => isAround(key, narrow)),
  ];
}

function nothingIn(folder: string): string {
  const [other] = unreadTexts(textsIn(folder), false);
  const more = other === undefined ? "" : `; ${other.join(": ")}`;
  return `${folder} has no YAML or JSON file, so there is nothing to check${more}`;
}

const ingressesIn = (files: Files): readonly Candidate[] =>
  [...files.values()].flatMap(({ objects }) =>
    objects.flatMap(({ kind, key, object }) =>
      kind === "Ingress" ? [{ key, hosts: object === undefined ? [] : hostsOf(object as Ingress) }] : [],
    ),
  );

/**
 * Returns the findings about the selected Ingresses; if only a namespace is selected, about
 * everything in it. Unreadable files are always included.
 */
function narrowed(all: readonly Finding[], narrow: Narrow, ingresses: readonly Candidate[]): readonly Finding[] {
  const { namespace, ingress, host } = narrow;
  const hosted = (key: string) =>
    host === undefined || ingresses.some((one) => one.key === key && one.hosts.some((name) => takesHost(name, host)));
  return all.filter(({ problem: { object } }) => {
    if (object.kind === "File") return true;
    if (ingress === undefined && host === undefined) return object.namespace === namespace;
    const key = `${object.namespace}/${object.name}`;
    return object.kind === "Ingress" && isMeant(key, narrow) && hosted(key);
  });
}

interface Counts {
  /** Undefined if only a cluster was read. */
  readonly files: number | undefined;
  readonly errors: number;
  readonly warnings: number;
}

/** Prints for people: a line for each finding, and a last one with their number. */
/** So many equal sentences stand in full. */
const fewEqual = 2;

export function findingsText(
  findings: readonly Finding[],
  { files, errors, warnings }: Counts,
  colours: boolean,
): string {
  const paint = painter(colours);
  const placeOf = ({ at }: Finding) => (at === undefined ? "" : `${visible(at.file)}:${at.line}:${at.column}: `);
  const line = (one: Finding) => {
    const { severity, problem } = one;
    const word = severity === "error" ? paint("error", red) : paint("warning", yellow);
    const about = problem.object.kind === "File" ? "" : `${named(problem.object)}: `;
    const frame = problem.kind === "manifest-unusable" ? visibleLines(problem.frame ?? "") : "";
    return `${placeOf(one)}${word}: ${about}${unplaced(problem)}\n${frame}`;
  };
  // Only the first of many equal sentences is printed, and the other objects stand below it.
  const equal = Map.groupBy(findings, (one) =>
    one.problem.object.kind === "File" ? line(one) : `${one.severity} ${unplaced(one.problem)}`,
  );
  const lines = [...equal.values()].flatMap(([first, ...others]) =>
    others.length < fewEqual
      ? [first!, ...others].map(line)
      : [line(first!), ...others.map((one) => `  likewise ${placeOf(one)}${named(one.problem.object)}\n`)],
  );
  const sum = [counted(errors, "error"), counted(warnings, "warning")].join(" and ");
  return `${lines.join("")}${sum} in ${files === undefined ? "the cluster" : counted(files, "file")}\n`;
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
