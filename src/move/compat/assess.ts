/**
 * Judges how a cluster moves: every Ingress, annotation, ConfigMap key, flag and chart value in
 * use, by the declarations, the translation and docs/differences.md. A mistake that the translation
 * finds is a mistake in ingress-nginx as well, unless that page says otherwise, so a Problem alone
 * is no difference.
 */

import { pathIn } from "../../controller/serve/places.ts";
import { type Ingress, keyOfName, objectKey } from "../../core/model/objects.ts";
import { named, sentence } from "../../core/model/problem.ts";
import { severityOf } from "../../core/model/problem-kinds.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { foreignAnnotations, pluginsIn } from "../../tools/findings/foreign-annotations.ts";
import { foreignPolicies, servedTargets } from "../../tools/findings/foreign-policies.ts";
import { settingsElsewhere } from "../../tools/findings/settings-elsewhere.ts";
import { distinct, withoutElsewhere } from "../../tools/findings.ts";
import { definitionsOf } from "../../tools/folder.ts";
import { classlessNote } from "../../tools/left-out.ts";
import { type Translated, translated } from "../../tools/translated.ts";
import { type Tried, tryingSnippets } from "../../tools/tried-snippets.ts";
import { type Differences, fits } from "./differences.ts";
import type { Found } from "./found.ts";
import { withoutDatabases } from "./image/geoip.ts";
import { type Item, worst } from "./item.ts";
import {
  classNameOf,
  flagItems,
  headerItems,
  ingressItems,
  keyItems,
  unfilledKeys,
  unfilledValues,
  unjudgedFlags,
  valueItem,
  type World,
} from "./items.ts";
import { onlyHere } from "./only-here.ts";
import { holderOf, isOfText, isOutside, unfilledAnnotations } from "./outside.ts";
import { type Unjudged, unjudgedIn, unjudgedSettings } from "./unjudged.ts";
import { shapesOf, type Uses } from "./uses.ts";

export interface Assessment {
  readonly items: readonly Item[];
  readonly ingresses: { readonly same: number; readonly differs: number; readonly work: number };
  /** A note about Ingresses that are judged as if they had a class, although they name none. */
  readonly classless?: string;
  /** Says which nginx has tested the snippets, or that none has. */
  readonly snippets?: string;
  /** The number of Ingresses of each other class or controller. */
  readonly leftOut: readonly { readonly class: string; readonly count: number }[];
  readonly unjudged: readonly Unjudged[];
  readonly everybody: readonly string[];
}

export async function assess(found: Found, { list, idleThere }: Differences): Promise<Assessment> {
  const translation = translated(found.files, found.flags, found.flagsKnown ? "run" : "serve");
  const { library, snapshot, options, accepted } = translation;
  const [ours, others] = byOwner(snapshot, accepted);
  const tried = await tryingSnippets(translation, found.flags, process.env);
  const world = worldOf(found, list, translation, tried);
  const own = ours.map((ingress) => {
    const items = ingressItems(ingress, shapesOf(ingress, snapshot), world);
    const object = { kind: "Ingress", ...ingress.metadata };
    const named = isOutside(object)
      ? items.flatMap((item) => itemsOutside(item, holderOf(found.outside, object)))
      : items;
    return { items: named, verdict: worst(items.map(({ verdict }) => verdict)) };
  });
  const count = (verdict: string) => own.filter((one) => one.verdict === verdict).length;
  const byClass = Map.groupBy(others.map(classNameOf).sort(), (name) => name);
  // Flags of a controller or of values decide about these Ingresses; without them nothing does.
  const isAssumed = !found.flagsKnown && !found.given.has("watch-ingress-without-class");
  const classless = isAssumed ? classlessNote(snapshot, (key) => accepted.has(key)) : undefined;
  const { everywhere } = world;
  const uses: Uses = {
    annotation: new Map(),
    shape: new Map(),
    ...everywhere,
    isUnreadable: (of, name) => of === "key" && everywhere.unreadable.has(name),
    isLimited: () => false,
  };
  return {
    items: [
      ...own.flatMap(({ items }) => items),
      ...keyItems(configMapOf(translation), uses, world, (key) => idleThere.some((one) => fits(one.name, key))),
      ...headerItems(configMapOf(translation), world),
      ...flagItems(found, uses, list),
      ...foreignGuards(found, translation),
      ...found.values.filter(({ fate }) => fate !== "unfilled").map(valueItem),
    ],
    ingresses: { same: count("same"), differs: count("differs"), work: count("work") },
    ...(classless !== undefined && { classless }),
    ...(tried.note !== undefined && { snippets: tried.note }),
    leftOut: [...byClass].map(([name, some]) => ({ class: name, count: some.length })),
    unjudged: [
      ...unjudgedIn([...library.problems.values()].flat()),
      ...unjudgedSettings(settingsElsewhere(snapshot, options.configMap), world.place),
      ...unjudgedFlags(found),
      ...unfilledAnnotations(distinct([...translation.problems.values()].flat()), found.outside),
      ...unfilledValues(found),
      ...unfilledKeys(configMapOf(translation), everywhere, world),
    ],
    everybody: list.filter(({ concerns }) => concerns.length === 0).map(({ how }) => how),
  };
}

/** Gives an annotation outside of Ingresses the name of what holds it. */
function itemsOutside({ namespace: _, class: __, ...item }: Item, of: string): readonly Item[] {
  return item.what === "annotation" ? [{ ...item, of }] : [];
}

/** Divides the Ingresses into those of this controller and those of others. */
function byOwner({ ingresses }: Snapshot, accepted: Translated["accepted"]): [ours: Ingress[], others: Ingress[]] {
  const { ours = [], others = [] } = Object.groupBy(ingresses, ([key]) => (accepted.has(key) ? "ours" : "others"));
  return [ours.map(([, one]) => one), others.map(([, one]) => one)];
}

const configMapOf = ({ options }: Translated): string => `ConfigMap ${options.configMap}`;

/** Gathers what the judgement of an item depends on. */
function worldOf(found: Found, list: World["list"], translation: Translated, tried: Tried): World {
  const { snapshot, options } = translation;
  const { outside } = found;
  const all = distinct(withoutElsewhere([...translation.problems.values()].flat(), snapshot)).filter(
    (one) => !isOutside(one.object) || isOfText(one, outside),
  );
  const problems = Map.groupBy(all, ({ object }) => named(object));
  const ofKeys = problems.get(configMapOf(translation)) ?? [];
  const data = Object.entries(snapshot.configMaps.get(options.configMap ?? "")?.data ?? {});
  const key = new Map(data.map(([name, text]) => [name.toLowerCase(), text]));
  return {
    everywhere: {
      key,
      flag: found.given,
      unreadable: new Set(ofKeys.flatMap((one) => (one.kind === "setting-unreadable" ? [one.key] : []))),
    },
    list,
    options,
    place: placesIn(found, options),
    problems,
    onlyHere: onlyHere(snapshot, options, all),
    refusedInSnippets: Map.groupBy(tried.problems, ({ object }) => named(object)),
    translation,
    image: found.image,
    mounts: found.mounts,
    geoip: withoutDatabases({ ...found, folder: found.flags.geoipFolder, isDownloaded: found.downloadsGeoip }),
  };
}

/** Returns a function that finds the place of a Problem; a live cluster has no places. */
function placesIn({ files, live }: Found, { annotationsPrefix }: Translated["options"]): World["place"] {
  const definitions = definitionsOf(files);
  return (problem) => {
    const definition = definitions.get(objectKey(problem.object.kind, keyOfName(problem.object)));
    if (definition?.object === undefined || live) return undefined;
    return { file: definition.file, ...definition.placeOf(pathIn(definition.object, problem, annotationsPrefix)) };
  };
}

/**
 * Returns the guards of other controllers whose targets Sluice serves. They are work, because
 * clients get in without them.
 */
function foreignGuards({ files, live }: Found, { snapshot, options }: Translated): readonly Item[] {
  const { controllerName } = options.gateway;
  const plugins = pluginsIn(files);
  const annotated = servedTargets(snapshot, controllerName).flatMap((one) => foreignAnnotations(one, plugins));
  const written = live ? new Set<string>() : new Set(files.keys());
  const all = [
    ...foreignPolicies(files, written, snapshot, controllerName),
    ...annotated.map((problem) => ({ problem, severity: severityOf(problem), at: undefined })),
  ];
  return all.flatMap(({ severity, at, problem }): Item[] => {
    if (severity !== "error") return [];
    const { namespace } = problem.object;
    const item = { of: named(problem.object), what: "object", name: "", verdict: "work" } as const;
    return [{ ...item, notes: [sentence(problem)], idle: [], ...(at && { at }), ...(namespace && { namespace }) }];
  });
}
