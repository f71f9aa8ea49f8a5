/**
 * Judges how a cluster moves: every Ingress, annotation, ConfigMap key, flag and chart value in
 * use, by the declarations, the translation and docs/differences.md. A mistake that the translation
 * finds is a mistake in ingress-nginx as well, unless that page says otherwise, so a Problem alone
 * is no difference.
 */
import { variablesDeclaredIn } from "../../kinds/declared-variables.ts";
import { keyOfName, objectKey } from "../../model/objects.ts";
import { type FilePlace, named, type Problem } from "../../problem.ts";
import { refusedInSnippets } from "../tools/findings/refused-in-snippets.ts";
import { settingsElsewhere } from "../tools/findings/settings-elsewhere.ts";
import { distinct, withoutElsewhere } from "../tools/findings.ts";
import { definitionsOf } from "../tools/folder.ts";
import { classlessNote } from "../tools/left-out.ts";
import { pathIn } from "../tools/places.ts";
import { snippetsIn, variablesOf } from "../tools/snippet-findings.ts";
import { translated } from "../tools/translated.ts";
import { type Differences, fits } from "./differences.ts";
import type { Found } from "./found.ts";
import { type Item, worst } from "./item.ts";
import {
  classNameOf,
  flagItems,
  ingressItems,
  keyItems,
  unfilledValues,
  unjudgedFlags,
  valueItem,
  type World,
} from "./items.ts";
import { onlyHere } from "./only-here.ts";
import { type Unjudged, unjudgedIn, unjudgedSettings } from "./unjudged.ts";
import { annotationsOf, shapesOf, type Uses } from "./uses.ts";

export interface Assessment {
  readonly items: readonly Item[];
  readonly ingresses: { readonly same: number; readonly differs: number; readonly work: number };
  /** A note about Ingresses that are judged as if they had a class, although they name none. */
  readonly classless?: string;
  /** The number of Ingresses of each other class or controller. */
  readonly leftOut: readonly { readonly class: string; readonly count: number }[];
  readonly unjudged: readonly Unjudged[];
  readonly everybody: readonly string[];
}

export function assess(found: Found, { list, idleThere }: Differences): Assessment {
  const { files, flags } = found;
  const translation = translated(files, flags, found.flagsKnown ? "run" : "serve");
  const { library, snapshot, options } = translation;
  const all = distinct(withoutElsewhere([...translation.problems.values()].flat(), snapshot));
  const problems = Map.groupBy(all, ({ object }) => named(object));
  const snippets = snippetsIn(snapshot, translation.configuration.settings, options);
  const ofSnippets = refusedInSnippets(snippets, translation, flags);
  const definitions = definitionsOf(files);
  const place = (problem: Problem): FilePlace | undefined => {
    const definition = definitions.get(objectKey(problem.object.kind, keyOfName(problem.object)));
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
    flag: found.given,
    unreadable: new Set(
      problems.get(configMap)?.flatMap((one) => (one.kind === "setting-unreadable" ? [one.key] : [])),
    ),
  };
  const world: World = {
    everywhere,
    list,
    options,
    place,
    problems,
    onlyHere: onlyHere(snapshot, options, all),
    refusedInSnippets: Map.groupBy(ofSnippets, ({ object }) => named(object)),
    translation,
    mounts: found.mounts,
    declared: new Set(),
  };
  const ours = [...snapshot.ingresses].filter(([key]) => translation.accepted.has(key));
  const texts = [...ours.flatMap(([, ingress]) => [...annotationsOf(ingress, options.annotationsPrefix)]), ...data];
  const declared = new Set([
    ...texts.flatMap(([key, text]) => (key.endsWith("-snippet") ? variablesDeclaredIn(text) : [])),
    ...variablesOf(snippets),
  ]);
  const own = ours.map(([, ingress]) => {
    const items = ingressItems(ingress, shapesOf(ingress, snapshot), {
      ...world,
      declared,
    });
    return { items, verdict: worst(items.map(({ verdict }) => verdict)) };
  });
  const notOurs = [...snapshot.ingresses].flatMap(([key, one]) => (translation.accepted.has(key) ? [] : [one]));
  const others = Map.groupBy(notOurs.map(classNameOf).sort(), (name) => name);
  const count = (verdict: string) => own.filter((one) => one.verdict === verdict).length;
  // Flags of a controller or of values decide about these Ingresses; without them nothing does.
  const isAssumed = !found.flagsKnown && !found.given.has("watch-ingress-without-class");
  const classless = isAssumed ? classlessNote(snapshot, (key) => translation.accepted.has(key)) : undefined;
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
      ...found.values.filter(({ fate }) => fate !== "unfilled").map(valueItem),
    ],
    ingresses: { same: count("same"), differs: count("differs"), work: count("work") },
    ...(classless !== undefined && { classless }),
    leftOut: [...others].map(([name, some]) => ({ class: name, count: some.length })),
    unjudged: [
      ...unjudgedIn([...library.problems.values()].flat()),
      ...unjudgedSettings(settingsElsewhere(snapshot, options.configMap), place),
      ...unjudgedFlags(found),
      ...unfilledValues(found),
    ],
    everybody: list.filter(({ concerns }) => concerns.length === 0).map(({ how }) => how),
  };
}
