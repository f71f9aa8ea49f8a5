/** Asks all features of one object by a hook of their declarations. */
import type { Fields } from "../model/records.ts";
import type { AnyFeature } from "./declare.ts";
import { type FeatureValues, featureList } from "./registry.ts";

type Question = "asksOthers" | "framesRequests" | "needsPath";

const having = (hook: keyof AnyFeature) => featureList.filter(([, feature]) => feature[hook] !== undefined);

const asked: Readonly<Record<Question, ReturnType<typeof having>>> = {
  asksOthers: having("asksOthers"),
  framesRequests: having("framesRequests"),
  needsPath: having("needsPath"),
};

/** Whether one of the features says so: those of a host as a whole, or all others. */
export function isSaid(question: Question, values: FeatureValues, of: "host" | "location"): boolean {
  return asked[question].some(
    ([name, feature]) => (feature.scope === "host") === (of === "host") && feature[question]!(values[name]) === true,
  );
}

const recorded = having("record");

/** What the features add to the record of a Location. */
export function recordOf(values: FeatureValues): Fields<"location"> {
  const fields: Record<string, unknown> = {};
  for (const [name, feature] of recorded) Object.assign(fields, feature.record!(values[name]));
  return fields;
}
