/**
 * Judges the values file of ingress-nginx's chart value by value, by the table in
 * docs/chart-values.md. The page is generated from the declarations of Sluice's chart, so the
 * report agrees with the chart.
 */

import { readFileSync } from "node:fs";
import { didYouMean } from "../../../base/did-you-mean.ts";
import { fileError } from "../../../base/file-errors.ts";
import { shipped } from "../../../base/shipped.ts";
import { defaultFlags } from "../../../controller/flags.ts";
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import { own } from "../../../core/model/own.ts";
import type { FilePlace } from "../../../core/model/problem.ts";
import type { Path } from "../../../core/schema/findings.ts";
import type { Place } from "../../../edges/folder/place.ts";
import { readYaml, type YamlDocument } from "../../../edges/folder/yaml.ts";
import { mountsIn } from "../../../tools/controller.ts";
import { at } from "../../../tools/value-at.ts";
import { isMounted } from "../image/geoip.ts";
import { emptied } from "./emptied.ts";
import { misfits } from "./schema.ts";
import { unmeantTexts } from "./texts.ts";
import { judgeUndeclared } from "./undeclared.ts";

const page = shipped("docs/chart-values.md");

export interface ValueInUse {
  readonly path: string;
  readonly place: FilePlace;
  /**
   * `refused`: the chart does not install. `fails`: it needs something that the image lacks.
   * `ignored`: the chart has no such value. `unfilled`: a tool puts in the value before.
   */
  readonly fate: "same" | "differs" | "no meaning" | "own" | "refused" | "fails" | "ignored" | "unfilled";
  /** The difference, the reason why it has no effect, or the value that was probably meant. */
  readonly note: string;
}

export type ReadValues =
  | {
      readonly ok: true;
      readonly file: string;
      readonly content: Mapping;
      readonly placeOf: PlaceOf;
      readonly doubled?: YamlDocument["doubled"];
    }
  | { readonly ok: false; readonly why: string };

type PlaceOf = (path: Path) => Place;

/** The values of one release, from a file or from an object. */
export interface ValuesSource {
  /** `values`, or the object that holds them: `HelmRelease flux/ingress`. */
  readonly of: string;
  readonly file: string;
  readonly content: Mapping;
  /** Several files may be merged, so a place names its file as well. */
  readonly placeOf: (path: Path) => FilePlace;
  /** The ConfigMap that the chart makes from these values. */
  readonly home: { readonly namespace: string; readonly name: string };
  /** They are single keys of a text, and not all values of a release. */
  readonly areKeys?: true;
}

interface Declared {
  readonly fate: Exclude<ValueInUse["fate"], "refused" | "fails" | "ignored" | "unfilled">;
  /** JSON; undefined if the value has no default. */
  readonly fallback: string | undefined;
  readonly note: string;
}

export function readValues(file: string): ReadValues {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return { ok: false, why: `${file} cannot be read: ${fileError(error)}` };
  }
  const yaml = readYaml(text);
  if (!yaml.ok) {
    // What helmfile fills in looks like a template of helm, and only the name of the file differs.
    const why = file.endsWith(".gotmpl") ? yaml.why.replace("helm template", "helmfile write-values") : yaml.why;
    return { ok: false, why: `${file}: line ${yaml.place.line}, column ${yaml.place.column}: ${why}` };
  }
  const [document] = yaml.documents;
  const content = document?.value ?? {};
  if (!isMapping(content)) return { ok: false, why: `${file} is not a values file: it holds no keys` };
  if (typeof content.apiVersion === "string" && typeof content.kind === "string")
    return { ok: false, why: `${file} is a Kubernetes object, kind ${content.kind}, and no values file: ${ofObjects}` };
  const placeOf: PlaceOf = (path) => document?.placeOf(path) ?? { line: 1, column: 1 };
  return { ok: true, file, content, placeOf, ...(document?.doubled && { doubled: document.doubled }) };
}

const ofObjects = "sluice compat takes objects as its PATH, without --values";

let read: ReadonlyMap<string, Declared> | undefined;

function declared(): ReadonlyMap<string, Declared> {
  read ??= declaredIn(readFileSync(page, "utf8"));
  return read;
}

/** Returns the paths of the chart's values. */
export const declaredPaths = (): Iterable<string> => declared().keys();

export function valuesInUse({ content, placeOf }: Pick<ValuesSource, "content" | "placeOf">): readonly ValueInUse[] {
  // Flags are judged by themselves, with the variables that Kubernetes puts in.
  const found = misfits(content).filter(({ path }) => path[1] !== "extraArgs");
  const wrong = found.map(({ path, fate, why }): ValueInUse => {
    return { path: path.join("."), place: placeOf(path), fate, note: why };
  });
  for (const { path, fate, why } of unmeantTexts(content)) {
    const name = path.join(".");
    const isKnown = wrong.some((one) => one.path === name);
    if (!isKnown && declared().get(name)?.fate !== "no meaning")
      wrong.push({ path: name, place: placeOf(path), fate, note: why });
  }
  for (const path of emptied(content, (name) => declared().get(name)?.fallback))
    wrong.push({ path: path.join("."), place: placeOf(path), fate: "refused", note: withoutValue });
  const isWrong = new Set(wrong.map(({ path }) => path));
  return [...inUse(content, [], declared(), placeOf, content).filter(({ path }) => !isWrong.has(path)), ...wrong];
}

const withoutValue =
  "the chart refuses a key that has no value, because helm then removes the chart's default; take out the line";

/** Descends to the values that the chart declares; below them users may write anything. */
function inUse(
  value: Mapping,
  above: readonly string[],
  declared: ReadonlyMap<string, Declared>,
  placeOf: ValuesSource["placeOf"],
  all: ValuesSource["content"],
): ValueInUse[] {
  return Object.entries(value).flatMap(([key, inner]): ValueInUse[] => {
    const path = [...above, key];
    const name = path.join(".");
    const known = declared.get(name);
    const place = placeOf(path);
    if (known !== undefined) {
      const isOff = isSwitchedOff(path, all, declared);
      const met = !isOff && (own(conditions, name)?.(inner, all) ?? true);
      const { fate, note } = met ? judged(known, inner) : ({ fate: "same", note: "" } as const);
      const leavesWork = (fate === "no meaning" || fate === "differs") && own(works, name)?.(all) === true;
      return [{ path: name, place, fate: leavesWork ? "fails" : fate, note }];
    }
    if (!isInside(name, declared)) return undeclared(declared, path, inner, place);
    return isMapping(inner) ? inUse(inner, path, declared, placeOf, all) : [];
  });
}

function undeclared(
  declared: ReadonlyMap<string, Declared>,
  path: readonly string[],
  value: unknown,
  place: FilePlace,
): ValueInUse[] {
  const name = path.join(".");
  const defaults = new Map([...declared].map(([one, { fallback }]) => [one, fallback]));
  const judged = judgeUndeclared(defaults, path, value);
  if (name === "controller.wallarm" && at(value, "enabled") === true)
    return [{ path: name, place, fate: "fails", note: `the image filters no requests, because ${wallarm}` }];
  switch (judged.fate) {
    case "free":
      return [];
    case "ignored": {
      const hint = judged.elsewhere === undefined ? didYouMean(judged.meant) : `: ${judged.elsewhere}`;
      return [{ path: name, place, fate: "ignored", note: `value ${name} does not exist${hint}; it is ignored` }];
    }
    case "refused": {
      const note =
        judged.meant === undefined
          ? "the chart refuses it: what stands below it belongs at the top of the file"
          : `the chart refuses it as a typo: remove it${didYouMean(judged.meant)}`;
      return [{ path: name, place, fate: "refused", note }];
    }
  }
}

const wallarm = "Wallarm's module is only in Wallarm's build of ingress-nginx";

/** Values that differ from ingress-nginx only with some contents. */
const conditions: Readonly<Record<string, (value: unknown, all: ValuesSource["content"]) => boolean>> = {
  // Helm writes a number of seven digits or more with an exponent.
  "controller.config": (value) =>
    isMapping(value) && Object.values(value).some((one) => typeof one === "number" && one >= 1e6),
  "defaultBackend.image.image": (_, all) => !hasOwnPages(all),
  "defaultBackend.image.tag": (_, all) => !hasOwnPages(all),
};

/** Values that leave work to the user, although the chart accepts them. */
const works: Readonly<Record<string, (all: ValuesSource["content"]) => boolean>> = {
  "controller.maxmindLicenseKey": (all) =>
    !isMounted(geoipFolder, mountsIn(at(all, "controller", "extraVolumeMounts"))),
  "controller.extraModules": () => true,
};

const { geoipFolder } = defaultFlags("run");

/** Whether a switch above the value is off, so that the value has no effect in either chart. */
function isSwitchedOff(path: readonly string[], all: Mapping, declared: ReadonlyMap<string, Declared>): boolean {
  return path.slice(1).some((_, above) => {
    const keys = [...path.slice(0, above + 1), "enabled"];
    const known = declared.get(keys.join("."));
    if (known === undefined || keys.join(".") === path.join(".")) return false;
    const written = at(all, ...keys);
    return written === false || (written === undefined && known.fallback === "false");
  });
}

/** Whether the default backend is an image of the user, which runs here as it did there. */
function hasOwnPages({ defaultBackend }: ValuesSource["content"]): boolean {
  const image = isMapping(defaultBackend) && isMapping(defaultBackend.image) ? defaultBackend.image : {};
  const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
  return isText(image.repository) || (isText(image.image) && !image.image.startsWith("defaultbackend-"));
}

/**
 * Judges one value. A value without an effect that has its default, or switches something off,
 * needs no report.
 */
function judged({ fate, fallback, note }: Declared, value: unknown): Pick<ValueInUse, "fate" | "note"> {
  const isOff = fate === "no meaning" && isMapping(value) && /^(false|no|off)$/i.test(String(value.enabled));
  const usual = value === null || isOff || JSON.stringify(value) === fallback;
  return usual || fate === "same" || fate === "own" ? { fate: "same", note: "" } : { fate, note };
}

const isInside = (name: string, declared: ReadonlyMap<string, Declared>): boolean =>
  [...declared.keys()].some((path) => path.startsWith(`${name}.`));

/** Throws if the page does not have the form of its generator. */
function declaredIn(text: string): ReadonlyMap<string, Declared> {
  const rows = [...text.matchAll(/^\| `([^`]+)` \| (unset|`.*?`) \| (same|differs|no meaning|own) \| (.*) \|$/gm)];
  if (rows.length < 300) throw new TypeError("docs/chart-values.md is not the table of the chart's values");
  return new Map(
    rows.map(([, path, fallback, fate, does]) => {
      const bold = /\*\*(.+)\*\*$/.exec(does!)?.[1];
      const note = (fate === "differs" ? (bold ?? "") : fate === "no meaning" ? does! : "").replaceAll("\\|", "|");
      const usual = fallback === "unset" ? undefined : fallback!.slice(1, -1);
      return [path!, { fate: fate as Declared["fate"], fallback: usual, note }];
    }),
  );
}
