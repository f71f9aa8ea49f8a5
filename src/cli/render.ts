/**
 * `sluice render FOLDER`: prints the nginx.conf for a folder of YAML and, in dynamic mode, the
 * records of shared memory as comments below it. No key and no password is printed.
 */
import { shownOfPair } from "../core/model/pair-record.ts";
import { kindOf } from "../core/model/records.ts";
import { TemplateError } from "../core/render/template.ts";
import { toolCall } from "../tools/call.ts";
import { readObjects } from "../tools/read.ts";
import { toolRenderer } from "../tools/renderer.ts";
import { translated } from "../tools/translated.ts";
import { failedAs, type Out, printed, printNotes } from "./out.ts";

const failed = failedAs("render");

const usage = `Usage: sluice render [flags] FOLDER [--kubeconfig FILE] [--context NAME] [-o json]

Prints the nginx.conf that Sluice makes of the Kubernetes objects in a folder of YAML files, as it
would be in Sluice's image. With --mode=dynamic, the default, routes, endpoints and certificates are
data: they follow as comments, one line for each record.

FOLDER may also be a file, or - for standard input. With --kubeconfig or --context the objects are
those of that cluster, with the objects of a folder, if one is named, over them.

The command takes the flags of sluice serve and needs no cluster and no nginx. Mistakes in the objects
are not shown here; sluice check reports them.

Exit code 0, or 2 when it cannot do its work.
`;

export async function render(argv: readonly string[], out: Out): Promise<number> {
  const call = toolCall(argv, { folders: ["a folder"] });
  if (call.kind === "help") return printed(out, usage);
  if (call.kind === "failure") return failed(out, call.why);
  const read = await readObjects(call, call.folders[0]);
  if (!read.ok) return failed(out, read.why);
  printNotes(out, "render", read.notes);
  const opened = toolRenderer(call.flags);
  if (!opened.ok) return failed(out, opened.why);
  const { renderer } = opened;
  const { configuration } = translated(read.files, call.flags, call.live ? "run" : "serve");
  try {
    const { text } = renderer.render(configuration);
    const records = [...renderer.records]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, open(key, value)]);
    const files = text.files.map(({ path }) => path).sort();
    const json = { conf: text.conf, files, records: Object.fromEntries(records) };
    out.write(call.json ? `${JSON.stringify(json, null, 2)}\n` : `${text.conf}${commented(records)}`);
    return 0;
  } catch (error) {
    if (error instanceof TemplateError) return failed(out, `the template cannot be used: ${error.message}`);
    throw error;
  }
}

/**
 * Returns a record for printing: parsed JSON, or other text as it is. Of a key pair only the
 * fingerprint is printed.
 */
function open(key: string, value: string): unknown {
  if (kindOf(key) === "pair") return { fingerprint: shownOfPair(value).fingerprint };
  return value.startsWith("{") || value.startsWith("[") ? JSON.parse(value) : value;
}

/**
 * Writes records as comments. JSON keeps each record on one line, so no record can end its comment.
 */
function commented(records: readonly (readonly unknown[])[]): string {
  if (records.length === 0) return "";
  const lines = records.map(([key, record]) => `#   ${JSON.stringify(key)}: ${JSON.stringify(record)}\n`);
  return `\n# Records in shared memory:\n${lines.join("")}`;
}
