/** Asks all features of one object by a hook of their declarations, so that no one else needs to know which feature it is. */
import type { Header } from "../directives/place.ts";
import type { Fields } from "../model/records.ts";
import type { HeaderLine } from "../settings/header-lines.ts";
import type { AnyFeature, Other } from "./declare.ts";
import { type FeatureValues, featureList } from "./registry.ts";

/** Hooks that answer yes or no. */
type Question =
  | "asksOthers"
  | "demandsCertificate"
  | "framesRequests"
  | "hasGroups"
  | "issuesCookie"
  | "keepsAnswers"
  | "limitsBodies"
  | "namesGroups"
  | "needsPath"
  | "redirectsAway"
  | "rewritesLate"
  | "verifiesClients";

/** Whose features are asked: those of a host as a whole, or all others. */
type Whose = "host" | "location";

const isOf = (whose: Whose, { scope }: AnyFeature) => (scope === "host") === (whose === "host");

type Having = Readonly<Record<Whose, typeof featureList>>;

function having(hook: keyof AnyFeature): Having {
  const all = featureList.filter(([, feature]) => feature[hook] !== undefined);
  const of = (whose: Whose) => all.filter(([, feature]) => isOf(whose, feature));
  return { host: of("host"), location: of("location") };
}

const asked: Readonly<Record<Question, Having>> = {
  asksOthers: having("asksOthers"),
  demandsCertificate: having("demandsCertificate"),
  framesRequests: having("framesRequests"),
  hasGroups: having("hasGroups"),
  issuesCookie: having("issuesCookie"),
  keepsAnswers: having("keepsAnswers"),
  limitsBodies: having("limitsBodies"),
  namesGroups: having("namesGroups"),
  needsPath: having("needsPath"),
  redirectsAway: having("redirectsAway"),
  rewritesLate: having("rewritesLate"),
  verifiesClients: having("verifiesClients"),
};

const nameOf = new Map<AnyFeature, keyof FeatureValues>(featureList.map(([name, feature]) => [feature, name]));

/** Gives the value of another feature of the same object. */
export const otherOf =
  (values: FeatureValues): Other =>
  (feature) =>
    values[nameOf.get(feature)!] as never;

/** Whether one of the features says so. */
export function isSaid(question: Question, values: FeatureValues, of: Whose): boolean {
  return asked[question][of].some(([name, feature]) => feature[question]!(values[name], otherOf(values)));
}

const recorded = having("record").location;
const hostRecorded = having("hostRecord").host;

/** What the features add to the record of a Location. */
export function recordOf(values: FeatureValues): Fields<"location"> {
  const fields: Record<string, unknown> = {};
  for (const [name, feature] of recorded) Object.assign(fields, feature.record!(values[name]));
  return fields;
}

/** What the features of a host as a whole add to its record. */
export function hostRecordOf(values: FeatureValues): Fields<"host"> {
  const fields: Record<string, unknown> = {};
  for (const [name, feature] of hostRecorded) Object.assign(fields, feature.hostRecord!(values[name]));
  return fields;
}

const written = having("ownText");
const saying = having("headerLines");

/** nginx text that authors wrote; empty where there is none. */
export function ownTextOf(values: FeatureValues, of: Whose): string {
  return written[of].map(([name, feature]) => feature.ownText!(values[name])).join("");
}

/** What that text says about headers of requests and answers. */
export function headerLinesOf(values: FeatureValues, of: Whose): readonly HeaderLine[] {
  return saying[of].flatMap(([name, feature]) => feature.headerLines!(values[name]));
}

const setting = having("setsHeaders").location;
const yielding = having("yieldsHeader").location;

/** Names, in lower case, of the headers of the answer that such a text sets and that others leave to it. */
export function overruledBy(values: FeatureValues): ReadonlySet<string> {
  const set = setting.flatMap(([name, feature]) => feature.setsHeaders!(values[name]));
  const yielded = set.filter((header) => yielding.some(([name, one]) => one.yieldsHeader!(values[name], header)));
  return new Set(yielded);
}

/** Request headers towards a backend that stands in for one without endpoints. */
export const standInHeaders: readonly Header[] = featureList.flatMap(([, feature]) => feature.standInHeaders ?? []);

const onlyOpen = featureList.filter(([, feature]) => feature.onlyOpen === true).map(([name]) => name);

/** The values of a closed path: features that count only where it is open say what `plain` says. */
export function whenClosed(values: FeatureValues, plain: FeatureValues): FeatureValues {
  return { ...values, ...Object.fromEntries(onlyOpen.map((name) => [name, plain[name]])) };
}

/** The values for a text that is reached by name, whatever the path: what needs a path says what `plain` says. */
export function withoutPath(values: FeatureValues, plain: FeatureValues): FeatureValues {
  const bound = asked.needsPath.location.filter(([name, feature]) => feature.needsPath!(values[name]));
  if (bound.length === 0) return values;
  return { ...values, ...Object.fromEntries(bound.map(([name]) => [name, plain[name]])) };
}
