/** Makes the Items of one Ingress, of the ConfigMap, of the command line and of a values file. */

import { shown } from "../../core/kinds/kind.ts";
import { classOf, type Ingress, nameOf } from "../../core/model/objects.ts";
import { type FilePlace, fullSentence, named, type Problem, sentence } from "../../core/model/problem.ts";
import { settingList } from "../../core/settings/registry.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import type { Translation } from "../../core/table/translator.ts";
import { lackingModule } from "../../tools/findings/image-modules.ts";
import { placeholderIn } from "../../tools/variables.ts";
import type { Difference } from "./differences.ts";
import type { Found } from "./found.ts";
import type { withoutDatabases } from "./image/geoip.ts";
import { runsPlugins } from "./image/images.ts";
import { missingFiles } from "./image/missing-files.ts";
import { snippetWork } from "./image/snippets.ts";
import type { Item } from "./item.ts";
import { Notes } from "./notes.ts";
import type { Unjudged } from "./unjudged.ts";
import { annotationsOf, isJudgedByValue, type Uses, understood } from "./uses.ts";

const settingOf = new Map(settingList.map(([, setting]) => [setting.key, setting]));

/** The facts by which all Items are judged. */
export interface World {
  readonly everywhere: Pick<Uses, "key" | "flag"> & { readonly unreadable: ReadonlySet<string> };
  readonly list: readonly Difference[];
  readonly options: TranslateOptions;
  readonly place: (problem: Problem) => FilePlace | undefined;
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  /** What to do about Problems that ingress-nginx does not have, by their full sentences. */
  readonly onlyHere: ReadonlyMap<string, string>;
  /** What nginx refuses in snippets. */
  readonly refusedInSnippets: ReadonlyMap<string, readonly Problem[]>;
  readonly translation: Translation;
  /** The controller's image, with its tag; undefined if nothing names it. */
  readonly image: string | undefined;
  /** What follows for use-geoip2, if no volume holds the databases. */
  readonly geoip: ReturnType<typeof withoutDatabases>;
  /** Paths at which the controller has volumes; undefined if nothing tells. */
  readonly mounts: readonly string[] | undefined;
}

export function ingressItems(ingress: Ingress, shape: Uses["shape"], world: World): readonly Item[] {
  const { list, options, place, problems, translation } = world;
  const object = { kind: "Ingress", namespace: ingress.metadata.namespace ?? "default", name: ingress.metadata.name };
  const of = named(object);
  const written = annotationsOf(ingress, options.annotationsPrefix);
  const own = problems.get(of) ?? [];
  const about = (name: string) => own.filter((problem) => keyOf(problem) === name);
  const isThere = (problem: Problem) => !world.onlyHere.has(fullSentence(problem));
  const isIdle = (name: string) => about(name).some((one) => one.kind === "annotation-useless" && one.beside === true);
  const uses = withoutMistakes(own, list, {
    ...world.everywhere,
    annotation: understood(new Map([...written].filter(([name]) => !isIdle(name)))),
    shape,
    isUnreadable: (part, name) =>
      part === "annotation" && about(name).some(({ kind }) => kind === "annotation-unreadable"),
    isLimited: (part, name) =>
      part === "annotation" && about(name).some((one) => one.kind === "annotation-doubtful" && one.limited === true),
  });
  const notes = new Notes(list, uses, "ingress");
  const allowed = translation.configuration.settings.allowSnippetAnnotations;
  const annotations = [...written].map(([name, text]): Item => {
    const work = [
      ...listed(lackingModule("annotation", name, text, translation.configuration.settings)),
      ...(name.endsWith("-snippet") && allowed ? [...snippetWork(text), ...missingFiles(text, world.mounts)] : []),
      ...refusedIn(of, `annotation ${name}`, world),
      ...workHere(about(name), world),
    ];
    const idle = about(name).filter(isThere).map(sentence);
    const where = () => place({ object, kind: "annotation-unknown", key: name });
    return notes.item({ of, what: "annotation", name, idle, place: where }, work);
  });
  const others = own.filter((problem) => !written.has(keyOf(problem) ?? ""));
  const rest = others.filter(isThere);
  const where = () => place({ object, kind: "field-doubtful", field: "", why: "" });
  const work = workHere(others, world);
  const whole = notes.item({ of, what: "object", name: "", idle: rest.map(sentence), place: where }, work);
  const whose = { namespace: object.namespace, class: classNameOf(ingress) };
  return [...annotations, ...eachInItsPlace(whole, rest, place)].map((item) => ({ ...item, ...whose }));
}

/**
 * Leaves out what neither controller applies: an annotation whose value cannot be read, so that
 * both use the default, and everything of an Ingress that both refuse. If a difference is about
 * such a value, it stays.
 */
function withoutMistakes(own: readonly Problem[], list: readonly Difference[], uses: Uses): Uses {
  const mistakes = own.flatMap((one) => (one.kind === "annotation-unreadable" ? [one] : []));
  if (mistakes.length === 0) return uses;
  const isJudged = (key: string) => isJudgedByValue(uses, list, key);
  const isRefused = mistakes.some(({ key, done }) => done === "reject" && !isJudged(key));
  const isIgnored = (key: string) => isRefused || mistakes.some((one) => one.key === key && one.done === "default");
  const kept = [...uses.annotation].filter(([key]) => !isIgnored(key) || isJudged(key));
  return { ...uses, annotation: new Map(kept), shape: isRefused ? new Map() : uses.shape };
}

const listed = (one: string | undefined): readonly string[] => (one === undefined ? [] : [one]);

/** Returns what nginx refuses in the snippet. */
function refusedIn(of: string, field: string, { refusedInSnippets }: World): readonly string[] {
  const all = refusedInSnippets.get(of) ?? [];
  const here = all.flatMap((one) => (one.kind === "snippet-refused" && one.field === field ? [one.why] : []));
  return here.map((why) => `${why}: nginx would refuse the snippet`);
}

/** Returns what to do about the Problems that ingress-nginx does not have. */
function workHere(problems: readonly Problem[], { onlyHere }: World): readonly string[] {
  return problems.flatMap((problem) => {
    const advice = onlyHere.get(fullSentence(problem));
    return advice === undefined ? [] : [`${sentence(problem)}: ${advice}`];
  });
}

/** Gives each mistake that exists in ingress-nginx as well the line of its own field. */
function eachInItsPlace(whole: Item, mistakes: readonly Problem[], place: World["place"]): readonly Item[] {
  if (whole.idle.length === 0) return [whole];
  const { at: _, ...described } = whole;
  const items = mistakes.map((problem): Item => {
    const at = place(problem);
    return { ...described, idle: [sentence(problem)], ...(at && { at }) };
  });
  const lineOf = ({ at }: Item): number => at?.line ?? 0;
  return items.sort((one, other) => lineOf(one) - lineOf(other));
}

/** Returns the class that the Ingress names; empty if it names none. */
export const classNameOf = (ingress: Ingress): string => classOf(ingress) ?? "";

const keyOf = (problem: Problem): string | undefined => ("key" in problem ? problem.key : undefined);

export function keyItems(of: string, uses: Uses, world: World, isIdleThere: (key: string) => boolean): readonly Item[] {
  const notes = new Notes(world.list, uses, "everywhere");
  const object = { kind: "ConfigMap", ...nameOf(world.options.configMap ?? "") };
  const { settings } = world.translation.configuration;
  return [...uses.key].flatMap(([key, text]): Item[] => {
    if (unfilledIn(key, text, world) !== undefined) return [];
    const setting = settingOf.get(key);
    const noEffect = setting?.noEffect;
    const useless = noEffect !== undefined && !isIdleThere(key);
    const place = () => world.place({ object, kind: "setting-unknown", key });
    const own = useless ? [] : (world.problems.get(of) ?? []).filter((one) => keyOf(one)?.toLowerCase() === key);
    const plugins = luaPlugins(key, text, world);
    const geoip = key === "use-geoip2" && settings.useGeoip2 ? world.geoip : undefined;
    const work = [
      ...listed(lackingModule("key", key, text, settings)),
      ...listed(plugins),
      ...listed(geoip?.work),
      ...(key.endsWith("-snippet") ? [...snippetWork(text), ...missingFiles(text, world.mounts)] : []),
      ...refusedIn(of, `data.${key}`, world),
    ];
    const idle = plugins === undefined ? [...own.map(sentence), ...listed(geoip?.idle)] : [];
    const differs = useless ? [`it has no effect: ${noEffect}`] : [];
    return [notes.item({ of, what: "key", name: key, idle, place }, work, differs)];
  });
}

/** Returns the keys that cannot be read before a tool has filled in their placeholders. */
export function unfilledKeys(of: string, { key: keys }: Pick<Uses, "key">, world: World): readonly Unjudged[] {
  const object = { kind: "ConfigMap", ...nameOf(world.options.configMap ?? "") };
  return [...keys].flatMap(([key, text]): Unjudged[] => {
    const hint = unfilledIn(key, text, world);
    if (hint === undefined) return [];
    const at = world.place({ object, kind: "setting-unknown", key });
    return [{ of: `key ${key} of ${of}`, ...(at && { at }), why: `${shown(text)}: ${hint}` }];
  });
}

const unfilledIn = (key: string, text: string, { everywhere }: World): string | undefined =>
  everywhere.unreadable.has(key) ? placeholderIn(text) : undefined;

/** Makes Items of the entries in ConfigMaps with headers that are left out. */
export function headerItems(ofSettings: string, { problems, place }: World): readonly Item[] {
  return [...problems.values()].flat().flatMap((problem): Item[] => {
    const of = named(problem.object);
    if (problem.object.kind !== "ConfigMap" || of === ofSettings || problem.kind !== "value-unusable") return [];
    const at = place(problem);
    const notes = [`${problem.why}: the header is left out, so correct it or remove it`];
    const name = problem.field.replace(/^data\./, "");
    return [{ of, what: "key", name, verdict: "work", notes, idle: [], ...(at && { at }) }];
  });
}

/** Returns what to do about the plugins of an image that runs them. */
function luaPlugins(key: string, text: string, { image }: World): string | undefined {
  if (key !== "plugins" || text.trim() === "" || image === undefined || !runsPlugins(image)) return undefined;
  return `the image ${image} runs these Lua plugins, and Sluice runs none: an auth service (auth-url, global-auth-url) or a snippet can take their place`;
}

export function flagItems({ inUse }: Found, uses: Uses, list: readonly Difference[]): readonly Item[] {
  const notes = new Notes(list, uses, "everywhere");
  const judged = inUse.filter(({ unjudged }) => unjudged === undefined);
  return judged.map(({ of, name, work, noEffect, place }) => {
    const differs = noEffect === undefined ? [] : [`it has no effect: ${noEffect}`];
    const described = { of, what: "flag", name, idle: [], place: () => place } as const;
    return notes.item(described, work === undefined ? [] : [work], differs);
  });
}

export function unjudgedFlags({ inUse }: Found): readonly Unjudged[] {
  return inUse.flatMap(({ of, name, unjudged, place }): Unjudged[] => {
    if (unjudged === undefined) return [];
    return [{ of: `--${name} of ${of}`, ...(place && { at: place }), why: unjudged }];
  });
}

export function unfilledValues({ values }: Found): readonly Unjudged[] {
  return values.flatMap(({ of, path, place, fate, note }): Unjudged[] =>
    fate === "unfilled" ? [{ of: `value ${path} of ${of}`, at: place, why: note }] : [],
  );
}

export function valueItem({ of, path, place, fate, note }: Found["values"][number]): Item {
  const isWork = fate === "refused" || fate === "fails";
  const verdict = isWork ? "work" : fate === "differs" || fate === "no meaning" ? "differs" : "same";
  const noted = note === "" ? [] : [note];
  const [notes, idle] = fate === "ignored" ? [[], noted] : [noted, []];
  return { of, what: "value", name: path, verdict, notes, idle, at: place };
}
