/**
 * How a cluster moves: every Ingress, annotation, ConfigMap key, flag and chart value in use, judged by the declarations, the
 * translation and docs/differences.md. What the translation finds wrong is wrong in ingress-nginx as well, unless that page
 * says otherwise; so a Problem alone makes nothing different.
 */
import type { Fields } from "../../annotations/declare.ts";
import { featureList } from "../../annotations/registry.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Ingress } from "../../model/objects.ts";
import { type FilePlace, named, type Problem, sentence } from "../../problem.ts";
import { type Capability, capabilityNames, lackingOf } from "../../render/capabilities.ts";
import type { Setting } from "../../settings/declare.ts";
import { settings as declaredSettings, type Settings } from "../../settings/registry.ts";
import type { TranslateOptions } from "../../translate/options.ts";
import { emptyInputs, type Translation, translate } from "../../translate/translator.ts";
import type { Flags } from "../flags.ts";
import { translateOptions } from "../options.ts";
import { isElsewhere } from "../tools/findings.ts";
import { definitionsOf, type Files, newLibrary, unmadeCertificate } from "../tools/folder.ts";
import { imageCapabilities } from "../tools/image-machine.ts";
import { pathIn } from "../tools/places.ts";
import { type Difference, type Differences, fits } from "./differences.ts";
import type { FlagInUse } from "./flags-in-use.ts";
import { type Item, worst } from "./item.ts";
import { declaredIn, snippetWork } from "./snippets.ts";
import { annotationsOf, metBy, shapesOf, spoken, type Uses } from "./uses.ts";
import type { ValueInUse } from "./values.ts";

export interface Found {
  readonly files: Files;
  /** Whether the flags are those of a controller that was found, rather than taken for granted. */
  readonly flagsKnown: boolean;
  readonly flags: Flags;
  /** Those that are given, with the object that gives them. */
  readonly inUse: readonly (FlagInUse & { readonly of: string; readonly place?: FilePlace })[];
  readonly values: readonly (ValueInUse & { readonly file: string })[];
  /** Where files are not what the objects come from, no places are told. */
  readonly live: boolean;
}

export interface Assessment {
  readonly items: readonly Item[];
  readonly ingresses: { readonly same: number; readonly differs: number; readonly work: number };
  /** Ingresses of another class or controller. */
  readonly notOurs: number;
  readonly everybody: readonly string[];
}

const lacking = lackingOf(imageCapabilities);
const allSettings = Object.values(declaredSettings) as unknown as readonly Setting<unknown>[];
/** By annotation. */
const modules = new Map(
  featureList.flatMap(([, { needs, fields }]) =>
    Object.values(fields as Fields).flatMap((field) =>
      [field.key, ...(field.aliases ?? [])].map((name) => [name, { ...field, needs }] as const),
    ),
  ),
);

interface NeedsModule {
  readonly needs?: Capability | undefined;
  readonly kind: Kind<unknown>;
  readonly fallback: (settings: Settings) => unknown;
}

/** Where it says something that a module has to do which the image has not. */
function moduleWork(one: NeedsModule | undefined, text: string, settings: Settings): readonly string[] {
  if (one?.needs === undefined || !lacking.has(one.needs)) return [];
  const read = one.kind.read(text);
  const usual = one.fallback(settings) ?? false;
  if (text === "" || (read.ok && JSON.stringify(read.value) === JSON.stringify(usual))) return [];
  const name = capabilityNames[one.needs];
  return [`the image's nginx has no ${name}: switch it off, or add the module in an image of your own`];
}

export function assess(found: Found, { list, idleThere }: Differences): Assessment {
  const { files, flags } = found;
  const library = newLibrary(flags);
  library.change(files);
  const { snapshot } = library;
  const options = translateOptions(flags, found.flagsKnown ? "run" : "serve", undefined);
  const translation = translate({ ...emptyInputs, snapshot }, options, unmadeCertificate);
  const problems = Map.groupBy(
    [...translation.problems.values()].flat().filter((problem) => !isElsewhere(problem, snapshot)),
    ({ object }) => named(object),
  );
  const definitions = definitionsOf(files);
  const place = (problem: Problem): FilePlace | undefined => {
    const { kind, namespace, name } = problem.object;
    const definition = definitions.get(`${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`);
    if (definition?.object === undefined || found.live) return undefined;
    return {
      file: definition.file,
      ...definition.placeOf(pathIn(definition.object, problem, options.annotationsPrefix)),
    };
  };
  const data = new Map(
    Object.entries(snapshot.configMaps.get(options.configMap ?? "")?.data ?? {}).map(([key, text]) => [
      key.toLowerCase(),
      text,
    ]),
  );
  const configMap = `ConfigMap ${options.configMap}`;
  const everywhere = {
    key: data,
    flag: new Map(found.inUse.map(({ name, text }) => [name, text])),
    unreadable: new Set(
      problems.get(configMap)?.flatMap((one) => (one.kind === "setting-unreadable" ? [one.key] : [])),
    ),
  };
  const world: World = { everywhere, list, options, place, problems, translation, declared: new Set() };
  const ours = [...snapshot.ingresses].filter(([key]) => translation.accepted.has(key));
  const texts = [...ours.flatMap(([, ingress]) => [...annotationsOf(ingress, options.annotationsPrefix)]), ...data];
  const declared = new Set(texts.flatMap(([key, text]) => (key.endsWith("-snippet") ? declaredIn(text) : [])));
  const own = ours.map(([, ingress]) => {
    const items = ingressItems(ingress, shapesOf(ingress, snapshot), { ...world, declared });
    return { items, verdict: worst(items.map(({ verdict }) => verdict)) };
  });
  const count = (verdict: string) => own.filter((one) => one.verdict === verdict).length;
  const uses: Uses = {
    annotation: new Map(),
    shape: new Map(),
    ...everywhere,
    isUnreadable: (of, name) => of === "key" && everywhere.unreadable.has(name),
  };
  return {
    items: [
      ...own.flatMap(({ items }) => items),
      ...keyItems(configMap, uses, { ...world, declared }, (key) => idleThere.some((one) => fits(one.name, key))),
      ...flagItems(found, uses, list),
      ...found.values.map(valueItem),
    ],
    ingresses: { same: count("same"), differs: count("differs"), work: count("work") },
    notOurs: snapshot.ingresses.size - ours.length,
    everybody: list.filter(({ concerns }) => concerns.length === 0).map(({ how }) => how),
  };
}

interface World {
  readonly everywhere: Pick<Uses, "key" | "flag"> & { readonly unreadable: ReadonlySet<string> };
  readonly list: readonly Difference[];
  readonly options: TranslateOptions;
  readonly place: (problem: Problem) => FilePlace | undefined;
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  readonly translation: Translation;
  /** Variables that some snippet makes. */
  readonly declared: ReadonlySet<string>;
}

function ingressItems(ingress: Ingress, shape: Uses["shape"], world: World): readonly Item[] {
  const { list, options, place, problems, translation } = world;
  const object = { kind: "Ingress", namespace: ingress.metadata.namespace ?? "default", name: ingress.metadata.name };
  const of = named(object);
  const written = annotationsOf(ingress, options.annotationsPrefix);
  const said = problems.get(of) ?? [];
  const about = (name: string) => said.filter((problem) => keyOf(problem) === name);
  const uses: Uses = {
    ...world.everywhere,
    annotation: spoken(written),
    shape,
    isUnreadable: (part, name) =>
      part === "annotation" && about(name).some(({ kind }) => kind === "annotation-unreadable"),
  };
  const notes = new Notes(list, uses, "ingress");
  const allowed = translation.configuration.settings.allowSnippetAnnotations;
  const annotations = [...written].map(([name, text]): Item => {
    const work = [
      ...moduleWork(modules.get(name), text, translation.configuration.settings),
      ...(name.endsWith("-snippet") && allowed ? snippetWork(text, world.declared) : []),
    ];
    const at = place({ object, kind: "annotation-unknown", key: name });
    return notes.item({ of, what: "annotation", name, idle: about(name).map(sentence), ...(at && { at }) }, work);
  });
  const rest = said.filter((problem) => !written.has(keyOf(problem) ?? ""));
  const at = place({ object, kind: "nginx-refused", why: "" });
  return [
    ...annotations,
    notes.item({ of, what: "object", name: "", idle: rest.map(sentence), ...(at && { at }) }, []),
  ];
}

const keyOf = (problem: Problem): string | undefined => ("key" in problem ? problem.key : undefined);

function keyItems(of: string, uses: Uses, world: World, isIdleThere: (key: string) => boolean): readonly Item[] {
  const notes = new Notes(world.list, uses, "everywhere");
  const [namespace = "", name = ""] = (world.options.configMap ?? "").split("/");
  const object = { kind: "ConfigMap", namespace, name };
  const { settings } = world.translation.configuration;
  return [...uses.key].map(([key, text]) => {
    const setting = allSettings.find((one) => one.key === key);
    const noEffect = setting?.noEffect;
    const useless = noEffect !== undefined && !isIdleThere(key);
    const at = world.place({ object, kind: "setting-unknown", key });
    const said = useless ? [] : (world.problems.get(of) ?? []).filter((one) => keyOf(one)?.toLowerCase() === key);
    const work = [
      ...(setting === undefined ? [] : moduleWork({ ...setting, fallback: () => setting.default }, text, settings)),
      ...(key.endsWith("-snippet") ? snippetWork(text, world.declared) : []),
    ];
    const item = notes.item({ of, what: "key", name: key, idle: said.map(sentence), ...(at && { at }) }, work);
    return useless ? { ...item, verdict: "differs", notes: [...item.notes, `it has no effect: ${noEffect}`] } : item;
  });
}

function flagItems({ inUse }: Found, uses: Uses, list: readonly Difference[]): readonly Item[] {
  const notes = new Notes(list, uses, "everywhere");
  return inUse.map(({ of, name, work, noEffect, place }) => {
    const item = notes.item({ of, what: "flag", name, idle: [], ...(place && { at: place }) }, work ? [work] : []);
    if (noEffect === undefined || item.verdict === "work") return item;
    return { ...item, verdict: "differs", notes: [...item.notes, `it has no effect: ${noEffect}`] };
  });
}

function valueItem({ path, place, fate, note, file }: Found["values"][number]): Item {
  const verdict = fate === "unknown" ? "work" : fate === "same" || fate === "own" ? "same" : "differs";
  const notes = note === "" ? [] : [note];
  return { of: "values", what: "value", name: path, verdict, notes, idle: [], at: { file, ...place } };
}

/** The differences that `uses` meet, to be told at what meets them. */
class Notes {
  readonly #by = new Map<string, Difference[]>();

  constructor(list: readonly Difference[], uses: Uses, where: "ingress" | "everywhere") {
    for (const difference of list) {
      const met = new Set(
        metBy(uses, difference, where).map(({ of, name }) => (of === "shape" ? "object " : `${of} ${name}`)),
      );
      for (const one of met) this.#by.set(one, [...(this.#by.get(one) ?? []), difference]);
    }
  }

  /** What is wrong with a thing that does not stay the same is told with the rest. */
  item(about: Omit<Item, "verdict" | "notes">, work: readonly string[]): Item {
    const met = this.#by.get(`${about.what} ${about.name}`) ?? [];
    const needsWork = work.length > 0 || met.some((one) => one.work !== undefined);
    if (met.length === 0 && !needsWork) return { ...about, verdict: "same", notes: [] };
    const told = met.map((one) => (one.work === undefined ? one.how : `${one.how}: ${one.work}`));
    return { ...about, idle: [], verdict: needsWork ? "work" : "differs", notes: [...work, ...told, ...about.idle] };
  }
}
