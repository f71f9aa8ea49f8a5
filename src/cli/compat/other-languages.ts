/**
 * Finds files that make Kubernetes objects in a language that is not read here, such as Terraform.
 * They are named, so that no report looks whole while a part of the cluster is missing from it.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { Unjudged } from "./unjudged.ts";

interface Language {
  readonly endings: RegExp;
  readonly name: string;
  readonly instead: string;
}

const cluster = "read the cluster that it writes (--context), and for its Helm values: helm get values";

const languages: readonly Language[] = [
  {
    endings: /\.(tf|tofu|tfvars|tf\.json|tfvars\.json|hcl)$/i,
    name: "Terraform",
    instead: cluster,
  },
  { endings: /\.(jsonnet|libsonnet)$/i, name: "Jsonnet", instead: "pipe the output of jsonnet -y into this command" },
  { endings: /\.cue$/i, name: "CUE", instead: "pipe the output of cue export --out yaml into this command" },
  { endings: /\.dhall$/i, name: "Dhall", instead: "pipe the output of dhall-to-yaml into this command" },
  { endings: /\.k$/i, name: "KCL", instead: "pipe the output of kcl run into this command" },
  { endings: /\.pkl$/i, name: "Pkl", instead: "pipe the output of pkl eval -f yaml into this command" },
];

/** Only files about ingress-nginx with this text are meant: most others do something else. */
interface Program extends Language {
  readonly mark: RegExp;
}

const programs: readonly Program[] = [
  {
    endings: /\.([mc]?[tj]s|py|go|cs|java|kt)$/i,
    name: "a program of Pulumi or a CDK",
    instead: cluster,
    mark: /pulumi|cdk8s|aws-?_?cdk|constructs/i,
  },
  {
    endings: /\.(sh|bash|ps1)$/i,
    name: "a script that runs helm",
    instead: cluster,
    mark: /\bhelm3?\b.*\b(install|upgrade|template)\b/,
  },
];

/** In a folder these are passed over. One that is named alone is read, and its marks explained. */
const templates: readonly Language[] = [
  [/\.(ya?ml|json)\.gotmpl$/i, "render it first, for example with helmfile template"],
  [/\.(ya?ml|json)\.(j2|jinja2?)$/i, "render it first, for example with Ansible"],
  [/\.(ya?ml|json)\.tftpl$/i, "for the values that Terraform makes of it, use helm get values"],
  [/\.(ya?ml|json)\.(tpl|tmpl|erb|template)$/i, "render it first with the tool that reads it"],
].map(([endings, how]) => {
  return { endings: endings as RegExp, name: "a template", instead: `${how}, and give the result to this command` };
});

/** Completes a sentence about the file; undefined for a language that is read, or none at all. */
export function otherLanguage(file: string, all = languages): string | undefined {
  const found = all.find(({ endings }) => endings.test(basename(file)));
  return found && `this is ${found.name}, which is not read; ${found.instead}`;
}

/** A folder may be the root of a large repository. */
const mostLooks = 20_000;
const mostBytes = 1024 * 1024;

/**
 * Returns the files in another language below a folder that mention an Ingress or ingress-nginx. If
 * the folder has no other file that is read, and none of these mentions them, it returns all.
 */
export function otherLanguagesIn(folder: string, isAlone = false): Unjudged[] {
  const about = filesIn(folder, isAboutIngresses);
  return about.length > 0 || !isAlone ? about : filesIn(folder, () => true);
}

/** Returns the Terraform files that mention ingress-nginx in a folder, or the one that is named. */
export function terraformFiles(path: string): readonly { readonly file: string; readonly text: string }[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const files = isFolder ? otherLanguagesIn(path).map(({ of }) => [of, join(path, of)]) : [[basename(path), path]];
  return files.flatMap(([file, at]) => (/\.(tf|tofu)$/i.test(file!) ? [{ file: file!, text: textOf(at!) }] : []));
}

/** Whether a file mentions an Ingress or ingress-nginx, or cannot be read. */
export function isAboutIngresses(file: string, path: string): boolean {
  const text = textOf(path);
  return text === "" || /ingress/i.test(`${file}\n${text}`);
}

/** Completes a sentence about a program that installs ingress-nginx; undefined for any other. */
function programIn(name: string, path: string): string | undefined {
  const found = programs.filter(({ endings }) => endings.test(name));
  if (found.length === 0) return undefined;
  const text = textOf(path);
  return otherLanguage(
    name,
    found.filter(({ mark }) => mark.test(text) && text.includes("ingress-nginx")),
  );
}

function filesIn(folder: string, isMeant: (file: string, path: string) => boolean): Unjudged[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const waiting = [folder];
  const found: Unjudged[] = [];
  let looks = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of entriesOf(at)) {
      looks += 1;
      if (looks > mostLooks) return found;
      const path = join(at, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isDirectory()) waiting.push(path);
      if (!entry.isFile()) continue;
      const file = relative(folder, path);
      const ofLanguage = otherLanguage(entry.name, [...languages, ...templates]);
      const why = ofLanguage === undefined ? programIn(entry.name, path) : isMeant(file, path) ? ofLanguage : undefined;
      if (why === undefined) continue;
      found.push({ of: file, at: { file, line: 1, column: 1 }, why });
    }
  }
  return found.sort((a, b) => (a.of < b.of ? -1 : 1));
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return statSync(path).size > mostBytes ? "" : readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
