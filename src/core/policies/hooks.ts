/** Calls a hook of all features of one object, so that the callers need not know the features. */

import type { Fields } from "../model/records.ts";
import type { RouteTraits } from "../model/route-traits.ts";
import type { HeaderLine } from "../settings/header-lines.ts";
import type { Settings } from "../settings/registry.ts";
import type { AnyFeature, Other } from "./declare.ts";
import { type FeatureValues, featureList } from "./registry.ts";

/** The features whose hook is called: those of a whole host, or all others. */
type Whose = "host" | "location";

const isOf = (whose: Whose, { scope }: AnyFeature) => (scope === "host") === (whose === "host");

type Having = Readonly<Record<Whose, typeof featureList>>;

function having(hook: keyof AnyFeature): Having {
  const all = featureList.filter(([, feature]) => feature[hook] !== undefined);
  const of = (whose: Whose) => all.filter(([, feature]) => isOf(whose, feature));
  return { host: of("host"), location: of("location") };
}

const questions = [
  "asksOthers",
  "framesRequests",
  "identifies",
  "keepsBodies",
  "mayAnswer",
  "readsHeadersLate",
] as const;
/** Hooks that return a boolean. */
type Question = (typeof questions)[number];

/** Each hook has one bit for the host and one for everything else. */
const bits = questions.flatMap((question, at) => {
  const { host, location } = having(question);
  return [
    { bit: 1 << (2 * at), question, features: host },
    { bit: 2 << (2 * at), question, features: location },
  ];
});
const bitOf = Object.fromEntries(questions.map((question, at) => [question, at])) as Record<Question, number>;

const nameOf = new Map<AnyFeature, keyof FeatureValues>(featureList.map(([name, feature]) => [feature, name]));

/** Returns a function that reads the value of another feature of the same object. */
export const otherOf =
  (values: FeatureValues): Other =>
  (feature) =>
    values[nameOf.get(feature)!] as never;

/** Keeps a result for each set of values, because thousands of Ingresses may share one set. */
class Kept<T> {
  readonly #known = new WeakMap<FeatureValues, T>();
  readonly #make: (values: FeatureValues) => T;

  constructor(make: (values: FeatureValues) => T) {
    this.#make = make;
  }

  of(values: FeatureValues): T {
    const known = this.#known.get(values);
    if (known !== undefined) return known;
    const made = this.#make(values);
    this.#known.set(values, made);
    return made;
  }
}

const answers = new Kept((values) =>
  bits
    .filter(({ question, features }) => features.some(([name, feature]) => feature[question]!(values[name])))
    .reduce((all, { bit }) => all | bit, 0),
);

/** Whether the hook of one of the features returns true. */
export function holds(question: Question, values: FeatureValues, of: Whose): boolean {
  return (answers.of(values) & ((of === "host" ? 1 : 2) << (2 * bitOf[question]))) !== 0;
}

/** Returns the number of features whose hook returns true. */
export function countOf(question: Question, values: FeatureValues, of: Whose): number {
  return having(question)[of].filter(([name, feature]) => feature[question]!(values[name])).length;
}

const recorded = having("record").location;

const records = new Kept<Fields<"location">>((values) =>
  Object.assign({}, ...recorded.map(([name, feature]) => feature.record!(values[name]))),
);

/** Returns the fields that the features add to the record of a Location. */
export const recordOf = (values: FeatureValues): Fields<"location"> => records.of(values);

const replaced = having("forRoute").location;

/** Returns the values for a route with these traits. */
export function forRoute(values: FeatureValues, traits: RouteTraits = {}): FeatureValues {
  const changed = replaced.flatMap(([name, feature]) => {
    const value = feature.forRoute!(values[name], traits);
    return value === values[name] ? [] : [[name, value]];
  });
  return changed.length === 0 ? values : { ...values, ...Object.fromEntries(changed) };
}

const neighbouring = having("neighbours").location;

/**
 * Returns sets of values that differ from these in one feature, by a change that its author is
 * likely to make next.
 */
export function neighboursOf(values: FeatureValues, settings: Settings): readonly FeatureValues[] {
  return neighbouring.flatMap(([name, feature]) =>
    feature.neighbours!(values[name], settings).map((next: unknown) => ({ ...values, [name]: next })),
  );
}

/** The features that may change answers that nginx gives itself. */
export const answerShapers = having("shapesOwnAnswers").location;

/** Returns the features that do so. */
export const shapingAnswers = (values: FeatureValues): Having["location"] =>
  answerShapers.filter(([name, feature]) => feature.shapesOwnAnswers!(values[name]));

const written = having("ownText");
const saying = having("headerLines");
const linesOf = (whose: Whose) =>
  new Kept<readonly HeaderLine[]>((values) =>
    saying[whose].flatMap(([name, feature]) => feature.headerLines!(values[name])),
  );
const lines: Readonly<Record<Whose, Kept<readonly HeaderLine[]>>> = {
  host: linesOf("host"),
  location: linesOf("location"),
};

/** Returns the nginx text that authors wrote; empty if there is none. */
export function ownTextOf(values: FeatureValues, of: Whose): string {
  return written[of].map(([name, feature]) => feature.ownText!(values[name])).join("");
}

/** Returns the lines of that text about headers of requests and answers. */
export function headerLinesOf(values: FeatureValues, of: Whose): readonly HeaderLine[] {
  return lines[of].of(values);
}
