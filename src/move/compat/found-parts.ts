/**
 * Finds the parts of ingress-nginx in objects and texts of any tool: values of its chart, and
 * annotations that stand outside of Ingresses. No tool is known by name. YAML is searched by its
 * mappings, YAML inside a text like a file, and every other text by its keys.
 */

import { isMapping, type Mapping } from "../../core/model/mapping.ts";
import type { FilePlace } from "../../core/model/problem.ts";
import type { Path } from "../../core/schema/findings.ts";
import type { OtherObject } from "../../edges/folder/manifest.ts";
import { doubledWords } from "../../edges/folder/mistakes/doubled-keys.ts";
import type { Place } from "../../edges/folder/place.ts";
import { readYaml, type YamlDocument } from "../../edges/folder/yaml.ts";
import { areOurValues } from "./chart/recognised.ts";
import type { ValuesSource } from "./chart/values.ts";
import type { Unjudged } from "./unjudged.ts";
import { areOurs, type Vendor, vendorOfValues, vendors } from "./vendors.ts";
import { heredocsIn, keysIn, type WrittenKey, withoutMarks } from "./written-keys.ts";

/** Annotations that are written beside each other, outside of an Ingress that can be read. */
export interface Group {
  /** The object, or the file. */
  readonly of: string;
  readonly file: string;
  readonly annotations: readonly Pick<WrittenKey, "name" | "text" | "place">[];
}

export const usualHome = { namespace: "ingress-nginx", name: "ingress-nginx-controller" } as const;

/** Where a value comes from. */
export interface Origin {
  readonly of: string;
  readonly file: string;
  readonly placeOf: (path: Path) => Place;
  readonly doubled?: YamlDocument["doubled"];
  /** Whether something around it names ingress-nginx. */
  readonly isNamed: boolean;
  readonly isFile: boolean;
}

const named = /(^|[^a-z])ingress-nginx([^a-z]|$)/;
/** Keys of all tools that name further values of a release. */
const elsewhere = /^(values(From|Secrets|Files?)?|valueFiles|additionalValuesFiles|path)$/;
const keyOfChart = /(^|-)ingress-nginx|^(nginx|ingress)$/;

/** Whether a file's name says ingress-nginx. A folder `ingress` may hold any controllers. */
export function isNamedLikeOurs(file: string): boolean {
  const nearest = file.split("/").slice(-2).join("/");
  return /nginx/i.test(file) || /ingress/i.test(nearest);
}

export const namesOurs = (value: unknown): boolean =>
  named.test(typeof value === "string" ? value : JSON.stringify(value));

export class FoundParts {
  readonly groups: Group[] = [];
  readonly sources: ValuesSource[] = [];
  readonly unjudged: Unjudged[] = [];
  readonly #prefix: string;
  readonly #files: readonly string[];

  /** `files` are all files of the folder: values in another one are not judged. */
  constructor(prefix: string, files: readonly string[]) {
    this.#prefix = `${prefix}/`;
    this.#files = files.map((file) => `/${file}`);
  }

  get count(): number {
    return this.groups.length + this.sources.length + this.unjudged.length;
  }

  object({ value, withNulls, placeOf, doubled }: OtherObject, about: Omit<Origin, "placeOf" | "doubled">): void {
    const content = isMapping(withNulls) ? withNulls : value;
    const before = this.sources.length;
    const dotted: Dotted[] = [];
    this.#visit(content, [], { ...about, placeOf, ...(doubled && { doubled }) }, dotted);
    if (dotted.length > 0 && about.isNamed) this.#takeDotted(dotted, about);
    const isRelease = this.sources.length === before && !about.isFile && hasChart(content);
    if (isRelease) this.#take({}, [], { ...about, placeOf });
  }

  /** Searches a file that is not read as objects, or a text inside one that begins at a line. */
  text(
    written: string,
    about: Omit<Origin, "placeOf" | "doubled">,
    shift: (inner: Place) => Place,
    isYaml: boolean,
  ): void {
    const text = withoutMarks(written);
    if (isYaml && this.#yaml(text, about, shift)) return;
    const covered: (readonly [from: number, to: number])[] = [];
    for (const { above, indent, text: inside } of heredocsIn(text)) {
      const place = ({ line, column }: Place) => shift({ line: line + above, column: column + indent });
      if (this.#yaml(inside, about, place)) covered.push([above + 1, above + inside.split("\n").length]);
    }
    const keys = keysIn(text, this.#prefix.slice(0, -1), about.isNamed)
      .filter(({ place }) => !covered.some(([from, to]) => place.line >= from && place.line <= to))
      .map((key) => ({ ...key, place: shift(key.place) }));
    this.groups.push(...groupsOf(keys, about));
    const others = keys.filter(({ of }) => of !== "annotation");
    const paths = others.map((key) => ({
      ...key,
      name: key.of === "key" ? `controller.config.${key.name}` : key.name,
    }));
    if (paths.length > 0 && about.isNamed) this.#takeDotted(paths, about);
  }

  /** Returns whether the text is YAML in which something was found. */
  #yaml(text: string, about: Omit<Origin, "placeOf" | "doubled">, shift: (inner: Place) => Place): boolean {
    const read = readYaml(text);
    if (!read.ok) return false;
    const before = this.count;
    for (const { value, placeOf, doubled } of read.documents) {
      if (!isMapping(value) && !Array.isArray(value)) continue;
      const shifted = doubled?.map((one) => ({ ...one, first: shift(one.first), place: shift(one.place) }));
      const origin = { ...about, placeOf: (path: Path) => shift(placeOf(path)), ...(shifted && { doubled: shifted }) };
      this.#visit(value, [], origin, []);
    }
    return this.count > before;
  }

  #visit(value: unknown, path: Path, origin: Origin, dotted: Dotted[]): void {
    if (typeof value === "string") this.#embedded(value, path, origin);
    if (Array.isArray(value))
      for (const [at, item] of value.entries()) this.#visit(item, [...path, at], origin, dotted);
    if (!isMapping(value) || this.#takesValues(value, path, origin)) return;
    const entries = Object.entries(value);
    const annotations = entries.flatMap(([key, one]) =>
      key.startsWith(this.#prefix) && typeof one !== "object"
        ? [{ name: key.slice(this.#prefix.length), text: String(one), place: origin.placeOf([...path, key]) }]
        : [],
    );
    const patched = this.#patched(value, origin.placeOf(path));
    if (patched !== undefined) annotations.push(patched);
    if (annotations.length > 0) this.groups.push({ of: origin.of, file: origin.file, annotations });
    const isPair = typeof value.name === "string" && /^controller\.\w/.test(value.name) && value.value !== undefined;
    if (isPair) dotted.push({ name: String(value.name), text: String(value.value), place: origin.placeOf(path) });
    for (const [key, one] of entries) {
      if (key.startsWith(this.#prefix)) continue;
      if (origin.isNamed && elsewhere.test(key)) this.#elsewhere(key, one, [...path, key], origin);
      if (/^controller\.\w/.test(key) && typeof one !== "object")
        dotted.push({ name: key, text: String(one), place: origin.placeOf([...path, key]) });
      else this.#visit(one, [...path, key], origin, dotted);
    }
  }

  /** Returns an annotation whose name and value stand side by side, as in a JSON patch. */
  #patched({ value, ...others }: Mapping, place: Place): Group["annotations"][number] | undefined {
    if (value === undefined || typeof value === "object") return undefined;
    const texts = Object.values(others).map((one) => String(one).replaceAll("~1", "/"));
    const name = texts.find((one) => one.includes(this.#prefix))?.split(this.#prefix)[1];
    return name === undefined || !/^[a-z][\w-]*$/.test(name) ? undefined : { name, text: String(value), place };
  }

  /** Names a Secret, a file or a folder with further values that is not among the files. */
  #elsewhere(key: string, value: unknown, path: Path, origin: Origin): void {
    const { of, file, placeOf } = origin;
    if (Array.isArray(value)) {
      for (const [at, one] of value.entries()) this.#elsewhere(key, one, [...path, at], origin);
      return;
    }
    const secret = isMapping(value) && (isMapping(value.secretKeyRef) ? value.secretKeyRef : value);
    const isSecret = secret !== false && (key === "valuesSecrets" || secret !== value || secret.kind === "Secret");
    const name = typeof value === "string" ? value.replace(/^(\$[^/]+|[./]*)\//, "").replace(/\/+$/, "") : "";
    const isFolder = key === "path" && /(^|[/-])ingress-nginx$/.test(name);
    const isFile = key !== "path" && /\.(ya?ml|json)$/.test(name) && name !== "values.yaml";
    const isHere = this.#files.some((one) => one.includes(isFolder ? `/${name}/` : `/${name}`));
    if (!isSecret && (isHere || !(isFile || isFolder))) return;
    const what = isSecret ? `Secret ${secret.name}` : `the ${isFolder ? "folder" : "file"} ${name}, which is not here,`;
    this.unjudged.push({ of, at: { file, ...placeOf(path) }, why: `its values in ${what} are not read` });
  }

  #embedded(text: string, path: Path, origin: Origin): void {
    if (!text.replaceAll("~1", "/").includes(this.#prefix) && !/\bcontroller\s*:/.test(text)) return;
    const key = origin.placeOf(path);
    this.text(text, { ...origin, isFile: false }, (inner) => placeInText(key, inner), true);
  }

  #takesValues(value: Mapping, path: Path, origin: Origin): boolean {
    const above = path.at(-1);
    const isNamed = origin.isNamed || path.some((key) => typeof key === "string" && keyOfChart.test(key));
    const vendor = this.#vendorOf(value, above, path, origin);
    if (vendor !== undefined) {
      const at = { file: origin.file, ...origin.placeOf(path) };
      this.unjudged.push({ of: origin.file, at, why: `these are values of ${vendors[vendor]}` });
      return true;
    }
    if (!areOurValues(value, { isNamed, isFile: origin.isFile && path.length < 2 })) return false;
    this.#take(value, path, origin);
    return true;
  }

  #vendorOf(value: Mapping, above: Path[number] | undefined, path: Path, { isFile }: Origin): Vendor | undefined {
    if (isMapping(value.controller) && above === "nginx-ingress" && !areOurs(value)) return "unclear";
    return isMapping(value.controller) || (isFile && path.length === 0) ? vendorOfValues(value) : undefined;
  }

  #take(content: Mapping, path: Path, { of, file, placeOf, doubled = [] }: Origin): void {
    const place = (inner: Path): FilePlace => ({ file, ...placeOf([...path, ...inner]) });
    this.sources.push({ of, file, content, placeOf: place, home: usualHome });
    this.unjudged.push(...doubledIn(doubled, file, path, of));
  }

  #takeDotted(keys: readonly Dotted[], { of, file }: Pick<Origin, "of" | "file">): void {
    const content = keys.reduce<unknown>(
      (below, { name, text }) => merged(below, asMapping(name, text)),
      {},
    ) as Mapping;
    const placeOf = (path: Path): FilePlace => {
      const name = path.join(".");
      const key = keys.find((one) => `${one.name.replaceAll("\\.", ".")}.`.startsWith(`${name}.`)) ?? keys[0]!;
      return { file, ...key.place };
    };
    this.sources.push({ of, file, content, placeOf, home: usualHome, areKeys: true });
  }
}

type Dotted = Pick<WrittenKey, "name" | "text" | "place">;

/** Returns the annotations of a text in groups: one ends where a name repeats, or far below. */
function groupsOf(keys: readonly WrittenKey[], { of, file }: Pick<Origin, "of" | "file">): readonly Group[] {
  const groups: WrittenKey[][] = [];
  for (const key of keys) {
    if (key.of !== "annotation") continue;
    const last = groups.at(-1);
    const isNew = last === undefined || last.some(({ name }) => name === key.name);
    if (isNew || key.place.line - last.at(-1)!.place.line > farBelow) groups.push([key]);
    else last.push(key);
  }
  return groups.map((annotations) => ({ of, file, annotations }));
}

const farBelow = 30;

/** Whether a tool's object installs the chart, although it may set no values. */
const hasChart = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(hasChart);
  if (!isMapping(value)) return false;
  return Object.entries(value).some(([key, one]) =>
    key === "chart" && typeof one === "string"
      ? /(^|\/)(rke2-)?ingress-nginx(-v?\d[\w.+-]*\.tgz)?$/.test(one)
      : hasChart(one),
  );
};

/** Names keys of the chart's values that a text has twice; keys of other charts are left out. */
export function doubledIn(
  doubled: NonNullable<YamlDocument["doubled"]>,
  file: string,
  below: Path,
  of: string,
): Unjudged[] {
  const above = below.filter((step) => typeof step === "string");
  return doubled.flatMap((key): Unjudged[] => {
    if (!above.every((step, at) => [...key.above, key.name][at] === step)) return [];
    const lost = `helm takes the last one, so what stands in line ${key.first.line} has no effect and is not judged`;
    return [{ of, at: { file, ...key.place }, why: `${doubledWords(key)}; ${lost}; remove one of them` }];
  });
}

/**
 * Makes nested mappings of `controller.config.hsts` and a value; a dot after a backslash is part of
 * a name. As for helm, a short number is a number.
 */
function asMapping(name: string, value: string): Mapping {
  const steps = name.split(/(?<!\\)\./).map((step) => step.replaceAll("\\.", "."));
  const typed = /^(?:true|false|0|-?[1-9]\d{0,5})$/.test(value) ? JSON.parse(value) : value;
  return steps.reduceRight<unknown>((inside, step) => ({ [step]: inside }), typed) as Mapping;
}

/** Merges two values: of two mappings it takes the keys of both. */
export function merged(below: unknown, above: unknown): unknown {
  if (!isMapping(below) || !isMapping(above)) return above;
  const keys = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return Object.fromEntries(
    keys.map((key) => [key, Object.hasOwn(above, key) ? merged(below[key], above[key]) : below[key]]),
  );
}

/** Returns the place of a line in a block text that begins below its key. */
function placeInText(key: Place, inner: Place): Place {
  return { line: key.line + inner.line, column: key.column + 1 + inner.column };
}
