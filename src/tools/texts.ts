/**
 * Files that are not read as YAML: other languages, templates, and programs that install charts.
 * They are named, so that no report looks whole while a part of the cluster is missing from it.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";

const languages: readonly (readonly [RegExp, string])[] = [
  [/\.(tf|tofu|tfvars|tf\.json|tfvars\.json|hcl)$/i, "Terraform"],
  [/\.(jsonnet|libsonnet)$/i, "Jsonnet"],
  [/\.cue$/i, "CUE"],
  [/\.dhall$/i, "Dhall"],
  [/\.k$/i, "KCL"],
  [/\.pkl$/i, "Pkl"],
];

/** In a folder these are no YAML. One that is named alone is read, and its marks are explained. */
const template = /\.(ya?ml|json)\.(gotmpl|j2|jinja2?|tftpl|tpl|tmpl|erb|template)$/i;

const installs = /pulumi|cdk8s|aws-?_?cdk|constructs|\bhelm3?\b.*\b(install|upgrade|template)\b/i;
const program = /\.([mc]?[tj]s|py|go|cs|java|kt|sh|bash|ps1)$/i;

/** Prose and locks only describe what others install. */
const prose = /\.(md|mdx|rst|adoc|txt|html?|svg|lock|sum|log|patch|diff)$/i;

const rest = "give this command the objects that it makes, or the cluster that has them (--context)";

/** Completes a sentence about the file; undefined for YAML and JSON. */
export function otherLanguage(file: string): string | undefined {
  const found = languages.find(([endings]) => endings.test(basename(file)));
  return found && `this is ${found[1]}, which is not read; ${rest}`;
}

export interface TextFile {
  readonly file: string;
  readonly text: string;
}

/** A folder may be the root of a large repository. */
const mostLooks = 20_000;
const mostBytes = 1024 * 1024;

/** Returns the text files below a folder, or the one that is named, without prose. */
export function textsIn(path: string): readonly TextFile[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile()) return [{ file: basename(path), text: textOf(path) }];
  if (stat?.isDirectory() !== true) return [];
  const waiting = [path];
  const found: TextFile[] = [];
  let looks = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of entriesOf(at)) {
      looks += 1;
      if (looks > mostLooks) return found;
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isDirectory()) waiting.push(join(at, entry.name));
      if (!entry.isFile() || prose.test(entry.name)) continue;
      found.push({ file: relative(path, join(at, entry.name)), text: textOf(join(at, entry.name)) });
    }
  }
  return found.sort((a, b) => (a.file < b.file ? -1 : 1));
}

/**
 * Returns why such a file is not read, for each one that mentions an Ingress or ingress-nginx. If
 * the folder has no other file, and none of these mentions them, it returns all.
 */
export function unreadTexts(texts: readonly TextFile[], isAlone: boolean): ReadonlyMap<string, string> {
  const all = texts.flatMap(({ file, text }) => {
    const isTemplate = template.test(file);
    const why = otherLanguage(file) ?? (isTemplate ? `this is a template, which is not read; ${rest}` : undefined);
    if (why !== undefined) return [{ file, why, isMeant: isAboutIngresses({ file, text }) }];
    const isProgram = program.test(file) && text.includes("ingress-nginx") && installs.test(text);
    return isProgram
      ? [{ file, why: `this is a program that installs charts, which is not read; ${rest}`, isMeant: true }]
      : [];
  });
  const about = all.filter(({ isMeant }) => isMeant);
  return new Map((about.length > 0 || !isAlone ? about : all).map(({ file, why }) => [file, why]));
}

/** Whether a file that is not encrypted mentions an Ingress, or its text is not known. */
export const isAboutIngresses = ({ file, text }: TextFile): boolean =>
  text === "" || (/ingress/i.test(`${file}\n${text}`) && !text.includes("ENC[AES256_GCM"));

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    const text = statSync(path).size > mostBytes ? "" : readFileSync(path, "utf8");
    return text.includes("\0") ? "\0" : text;
  } catch {
    return "";
  }
}
