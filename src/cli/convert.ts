/**
 * `sluice convert`: converts Ingresses to a Gateway, HTTPRoutes and RouteSettings, and proves that
 * these answer the same requests in the same way. It reads files, a dump or a live cluster, and
 * changes nothing.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileError } from "../base/file-errors.ts";
import { visible, visibleLines } from "../base/visible.ts";
import { withObjects } from "../core/model/snapshot.ts";
import { assumedFor } from "../move/convert/assumed.ts";
import type { Conversion } from "../move/convert/convert.ts";
import { converted } from "../move/convert/converted.ts";
import { type Finding, findingsOf, reportText } from "../move/convert/report.ts";
import type { Written } from "../move/convert/written.ts";
import { yamlOf } from "../move/convert/yaml.ts";
import { differenceKinds } from "../move/replay/difference.ts";
import { compareRequests } from "../move/replay/local-pair.ts";
import { type ToolOption, toolCall } from "../tools/call.ts";
import { newLibrary } from "../tools/folder.ts";
import { unreadNote } from "../tools/left-out.ts";
import { readObjects } from "../tools/read.ts";
import { withController } from "../tools/with-controller.ts";
import { failedAs, type Out, printed } from "./out.ts";

const failed = failedAs("convert");

export const convertOptions: readonly ToolOption[] = [
  { name: "gateway", value: "NAMESPACE/NAME", doc: "The Gateway to be written; sluice/sluice where it is not given." },
  { name: "gateway-class", value: "NAME", doc: "Its GatewayClass; sluice where it is not given." },
  {
    name: "to",
    value: "FOLDER",
    doc: "Writes a file for each namespace into this folder, and the report to standard output.",
  },
  { name: "shadow", doc: "Writes routes in shadow: they serve nothing until sluice.dev/shadow is taken from them." },
  { name: "requests", doc: "Also serves both by a local nginx, and compares the answers to the same requests." },
  {
    name: "accept",
    value: "LIST",
    list: true,
    doc: "Kinds of differences, or names of annotations, that are accepted.",
  },
];

const usage = `Usage: sluice convert [flags] [PATH] [--gateway NAMESPACE/NAME] [--gateway-class NAME] [--to FOLDER]
                      [--accept LIST] [--shadow] [--requests] [--kubeconfig FILE] [--context NAME] [-o json]

Writes a Gateway, HTTPRoutes, TLSRoutes, RouteSettings, BackendTLSPolicies and ReferenceGrants for
Ingresses, and proves that they behave the same: both configurations get the same requests, derived
from the paths of each host, and their complete effects are compared. PATH is a folder of YAML files,
a dump, or - for standard input; with --kubeconfig or --context a live cluster is read. Nothing is
changed.

The objects go to standard output, and the report to standard error. With --to FOLDER the objects go
to files, and the report to standard output.

With --requests a local nginx serves both as well, with stand-ins for all backends, and the answers are
compared. Requests that an auth service, a mirror or a rate limit would see are left out, and so is
TLS that nginx passes on. Where no nginx can run, the report says so.

--accept takes kinds of differences and names of annotations. The kinds are
${Object.keys(differenceKinds).join(", ")}.

Where the folder has no Services or no Secrets, those that Ingresses name are assumed to exist.

Exit code 0 when nothing differs, or all that does is accepted; 1 when something differs; 2 when it
cannot do its work.
`;

export async function convert(
  argv: readonly string[],
  out: Out,
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const call = toolCall(argv, { folders: ["a folder or a file"], options: convertOptions });
  if (call.kind === "help") return printed(out, usage);
  if (call.kind === "failure") return failed(out, call.why);
  const { gateway: called = "sluice/sluice", "gateway-class": gatewayClass = "sluice", to, accept = "" } = call.options;
  const gateway = gatewayName(called);
  if (gateway === undefined)
    return failed(out, `--gateway takes NAMESPACE/NAME, and here is ${JSON.stringify(called)}`);
  const read = await readObjects(call, call.folders[0], "workloads");
  if (!read.ok) return failed(out, read.why);
  const { flags, as, from } = withController(call, read.files);
  const library = newLibrary(flags);
  library.change(read.files);
  const assumed = call.live ? { objects: [], notes: [] } : assumedFor(library.snapshot, flags, new Date());
  const now = withObjects(library.snapshot, assumed.objects);
  const made = converted(now, { flags, as }, { gateway, gatewayClass });
  const where = call.folders[0] ?? "the cluster";
  const notes = [
    ...read.notes,
    from && `class and flags are those of ${from}`,
    ...assumed.notes.map((note) => `${where}: ${note}`),
    unreadNote(read.files),
    made.unserved,
  ].filter((note) => note !== undefined);
  const { conversion } = made;
  if (conversion.objects.length === 0) return nothingToConvert(out, where, notes, conversion);
  const { requests } = call.options;
  const asked =
    requests === undefined ? undefined : await compareRequests(now, made.after, made.proof.alike, flags, env);
  const ofNginx = asked?.ok === true ? asked.differences : [];
  const proof = { ...made.proof, differences: [...made.proof.differences, ...ofNginx] };
  const findings = findingsOf(proof, new Set(accept.split(",").filter((one) => one !== "")));
  if (asked?.ok === true)
    notes.push(`nginx was asked ${asked.asked} of these requests, ${asked.skipped} were left out`);
  if (asked?.ok === false) notes.push(`nginx was asked none of these requests: ${asked.why}`);
  const report = visibleLines(noteLines(notes) + reportText(proof, findings, conversion.notes));
  // The proof compares routes that serve, so it needs them without the shadow annotation.
  const written = call.options.shadow === undefined ? conversion.objects : conversion.objects.map(inShadow);
  if (call.json) {
    const objects = written.map(({ object }) => object);
    out.write(
      `${JSON.stringify({ objects, notes: [...notes, ...conversion.notes], findings, ...counts(proof) }, null, 2)}\n`,
    );
  } else if (to === undefined) {
    out.write(yamlOf(written));
    out.fail(report.trimEnd());
  } else {
    const why = writtenTo(to, written);
    if (why !== undefined) return failed(out, why);
    out.write(report);
  }
  return findings.every((one: Finding) => one.accepted) ? 0 : 1;
}

const noteLines = (notes: readonly string[]): string => notes.map((note) => `note: ${visible(note)}\n`).join("");

/** Says why no object is written, and returns the exit code. */
function nothingToConvert(out: Out, where: string, notes: readonly string[], conversion: Conversion): number {
  const reasons = [...notes, ...conversion.notes.map(({ about, text }) => `${about}: ${text}`)];
  const why = conversion.kept.size > 0 ? "no Ingress that routes can replace" : "no Ingress that is served";
  out.fail(visibleLines(`${noteLines(reasons)}sluice convert: ${where} has ${why}, so there is nothing to convert`));
  return 2;
}

function inShadow({ object, ...rest }: Written): Written {
  if (!object.kind.endsWith("Route")) return { object, ...rest };
  const annotations = { ...object.metadata.annotations, "sluice.dev/shadow": "true" };
  return { ...rest, object: { ...object, metadata: { ...object.metadata, annotations } } };
}

function gatewayName(text: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = "", name = ""] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(text) ?? [];
  return name === "" ? undefined : { namespace, name };
}

const counts = ({ hosts, requests }: { readonly hosts: number; readonly requests: number }) => ({ hosts, requests });

/** Returns the reason why the files could not be written, or undefined if they were. */
function writtenTo(folder: string, objects: readonly Written[]): string | undefined {
  const byFile = Map.groupBy(objects, ({ object }) => `${object.metadata.namespace ?? "cluster"}.yaml`);
  try {
    mkdirSync(folder, { recursive: true });
    for (const [file, some] of byFile) writeFileSync(join(folder, file), yamlOf(some));
    return undefined;
  } catch (error) {
    return `the folder ${folder} cannot be written: ${fileError(error)}`;
  }
}
