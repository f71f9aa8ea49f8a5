/**
 * `sluice diff OLD NEW`: shows the effect of a change of a folder: the paths, hosts and backends
 * that change, the cost (nothing, data, or a reload with its reason), and the Problems that appear
 * and disappear. A controller that serves OLD and gets NEW does the same.
 */

import { visible } from "../base/visible.ts";
import { translateOptions } from "../controller/flags/options.ts";
import type { Command, Flags } from "../controller/flags.ts";
import { fullSentence } from "../core/model/problem.ts";
import type { Renderer } from "../core/render/rendering.ts";
import { compare } from "../core/sync/compare.ts";
import type { Change as Cost } from "../core/sync/ports.ts";
import { Translator } from "../core/table/translator.ts";
import { emptyInputs } from "../core/table/turn.ts";
import { Memory } from "../edges/folder/memory.ts";
import { type Call, toolCall } from "../tools/call.ts";
import { type Files, newLibrary, unmadeCertificate } from "../tools/folder.ts";
import { readObjects } from "../tools/read.ts";
import { toolRenderer } from "../tools/renderer.ts";
import { type Change, changesBetween } from "../tools/route-lines.ts";
import { green, painter, red, yellow } from "../tools/words.ts";
import { failedAs, type Out, printed, printNotes } from "./out.ts";

const failed = failedAs("diff");

const usage = `Usage: sluice diff [flags] OLD NEW [-o json]
       sluice diff [flags] NEW --kubeconfig FILE|--context NAME [-o json]

Shows the effect of a change from one folder of YAML files to another: the paths, hosts and backends
that change, whether nginx has to be reloaded and why, and the Problems that come and go. The command
takes the flags of sluice serve and needs no cluster and no nginx. With --kubeconfig or --context it
shows the effect of kubectl apply of the folder NEW on that cluster.

Exit code 0 when nothing changes, 1 when something does, 2 when it cannot do its work.
`;

export interface Difference {
  readonly changes: readonly Change[];
  readonly cost: Cost;
  readonly problems: { readonly come: readonly string[]; readonly gone: readonly string[] };
}

export async function diff(argv: readonly string[], out: Out, colours = false): Promise<number> {
  const call = toolCall(argv, { folders: ["an old folder", "a new one"] });
  if (call.kind === "help") return printed(out, usage);
  if (call.kind === "failure") return failed(out, call.why);
  const sides = await readSides(call);
  if (!sides.ok) return failed(out, sides.why);
  printNotes(out, "diff", sides.notes);
  const opened = toolRenderer(call.flags);
  if (!opened.ok) return failed(out, opened.why);
  const difference = differenceOf(sides, call.flags, opened.renderer, call.live ? "run" : "serve");
  out.write(call.json ? `${JSON.stringify(difference, null, 2)}\n` : asText(difference, colours));
  const { changes, cost, problems } = difference;
  return changes.length + problems.come.length + problems.gone.length > 0 || cost.kind !== "none" ? 1 : 0;
}

interface Compared {
  readonly old: Files;
  readonly fresh: Files;
}

type Sides =
  | (Compared & { readonly ok: true; readonly notes: readonly string[] })
  | { readonly ok: false; readonly why: string };

/** Reads both sides: two folders, or a cluster and the same cluster with a folder over it. */
async function readSides(call: Call): Promise<Sides> {
  const [first, second] = call.folders;
  if (call.live && second !== undefined) return { ok: false, why: "with a cluster it takes one folder, the new one" };
  const memory = new Memory();
  const fresh = await readObjects(call, second ?? first, "objects", { memory });
  if (!fresh.ok) return fresh;
  if (call.live) return { ok: true, old: fresh.cluster, fresh: fresh.files, notes: fresh.notes };
  const old = await readObjects(call, first, "objects", { memory });
  if (!old.ok) return old;
  return { ok: true, old: old.files, fresh: fresh.files, notes: [...old.notes, ...fresh.notes] };
}

/**
 * Computes the difference. One Translator reads both in turn, so ages, last good forms and shapes
 * are those of a real controller.
 */
function differenceOf({ old, fresh }: Compared, flags: Flags, renderer: Renderer, as: Command): Difference {
  const library = newLibrary(flags);
  const translator = new Translator(translateOptions(flags, as, undefined), unmadeCertificate);
  library.change(old);
  const before = translator.turn({ ...emptyInputs, snapshot: library.snapshot });
  const [problemsBefore, served] = [library.problems, renderer.render(before.configuration).text];
  library.change(new Map([...[...old.keys()].map((file) => [file, undefined] as const), ...fresh]));
  const { lastGood } = before;
  const after = translator.turn({ ...emptyInputs, lastGood, snapshot: library.snapshot });
  const { text, records } = renderer.render(after.configuration);
  const [was, is] = [
    [...before.problems.values(), ...problemsBefore.values()].flat().map(fullSentence),
    [...after.problems.values(), ...library.problems.values()].flat().map(fullSentence),
  ];
  return {
    changes: changesBetween(before.configuration, after.configuration),
    cost: compare(served, text, records.size),
    problems: { come: missingFrom(was, is), gone: missingFrom(is, was) },
  };
}

function missingFrom(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(some);
  return others.filter((one) => !known.has(one)).sort();
}

const signs = { added: "+", removed: "-", changed: "~" } as const;
const colourOf = { added: green, removed: red, changed: yellow } as const;

function asText({ changes, cost, problems }: Difference, colours: boolean): string {
  const paint = painter(colours);
  const painted = (text: string, colour: number) => paint(visible(text), colour);
  const lines = changes.map(({ what, name, how, detail }) =>
    painted(`${signs[how]} ${what} ${name}: ${detail}`, colourOf[how]),
  );
  const about = [
    ...problems.come.map((problem) => painted(`! ${problem}`, red)),
    ...problems.gone.map((problem) => painted(`solved: ${problem}`, green)),
  ];
  return [...lines, ...about, costOf(cost)].map((line) => `${line}\n`).join("");
}

function costOf(cost: Cost): string {
  if (cost.kind === "none") return "nginx has nothing to do";
  if (cost.kind === "data") return "live at once, as data; nginx is not reloaded";
  return `nginx is reloaded: ${cost.why.join(", ")}`;
}
