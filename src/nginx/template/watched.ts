/**
 * Watches the template while the controller runs: a good new version is used at once, and a bad one
 * is set aside, so that the old one stays. A user's own folder overrides the built-in one file by
 * file, so it may have `nginx.tmpl` alone.
 */

import { inBackground } from "../../base/callbacks.ts";
import { OneAtATime } from "../../base/timing/one-at-a-time.ts";
import { watchFolder } from "../../base/watched-folder.ts";
import type { Problem } from "../../core/model/problem.ts";
import type { Template, TemplateFiles } from "../../core/render/template.ts";
import { builtInTemplates, readTemplateFiles, readTemplateFolders } from "./files.ts";
import type { TemplateVerdict } from "./trial.ts";

export interface TemplateWatch {
  /** The user's folder, if there is one. */
  readonly own: string | undefined;
  /** Tries a template and uses it if it is good. */
  readonly offer: (template: Template) => Promise<TemplateVerdict>;
  /**
   * Called with the mistake in the present files, or with undefined if there is none and they
   * are in use.
   */
  readonly report: (problem: Problem | undefined) => void;
  /** Called once, when the first template was tried. */
  readonly tried: () => void;
}

/**
 * Resolves with a function that stops it, as soon as changes are noticed. At first the built-in
 * template is in use.
 */
export async function watchTemplate(watch: TemplateWatch): Promise<() => Promise<void>> {
  const folders = [builtInTemplates, ...(watch.own === undefined ? [] : [watch.own])];
  let inUse = signature(readTemplateFiles(builtInTemplates));
  const looks = new OneAtATime();
  const look = async (): Promise<void> => {
    const read = readTemplateFolders(folders);
    if (!read.ok) return watch.report(unusable(watch.own ?? "", `it cannot be read: ${read.why}`));
    const { files } = read;
    if (signature(files) === inUse) return;
    inUse = signature(files);
    watch.report(await tried(files, watch));
  };
  const soon = (): Promise<void> => looks.run(look);
  await soon();
  watch.tried();
  const stops = await Promise.all(
    folders.map((folder) => watchFolder(folder, () => inBackground("the template", soon()))),
  );
  // The watcher may have missed a change since the first read.
  await soon();
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

async function tried(files: TemplateFiles, { offer }: TemplateWatch): Promise<Problem | undefined> {
  const { compileTemplate } = await import("../../core/render/compile-template.ts");
  const compiled = compileTemplate(files);
  if (!compiled.ok) return unusable("nginx.conf", compiled.why);
  const verdict = await offer(compiled.template);
  if (verdict.kind === "good") return undefined;
  const place = verdict.line === undefined ? "" : placeOf(verdict.line, files);
  return unusable("nginx.conf", `${verdict.why}${place}`);
}

/**
 * Returns the place of the template's line that produced the rendered line, if it can be found.
 */
function placeOf(line: string, files: TemplateFiles): string {
  const places = [...files].flatMap(([name, text]) =>
    text.split("\n").flatMap((one, at) => (one.trim() === line ? [`${name}.tmpl line ${at + 1}`] : [])),
  );
  return places.length === 1 ? ` (${places[0]})` : ` (the line is ${JSON.stringify(line)})`;
}

function unusable(name: string, why: string, done = "the one before it stays in use"): Problem {
  return { kind: "value-unusable", object: { kind: "Template", name }, field: "the template", why, done };
}

/** Returns the Problem of a template that was in use and then failed with a new object. */
export function gaveUp(why: string): Problem {
  return unusable("nginx.conf", why, "the built-in one is used until the template changes");
}

function signature(files: TemplateFiles): string {
  return JSON.stringify([...files].sort());
}
