/**
 * Reads everything that one Ingress defines by itself: its annotations, and whether it may be
 * applied at all. The sync and the webhook both use it.
 */

import type { Ingress } from "../../model/objects.ts";
import type { Problem } from "../../model/problem.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Lookup } from "../../policies/feature-reader.ts";
import { readAnnotations } from "../../policies/read.ts";
import type { Reading } from "../../policies/reading.ts";
import { countsInCanary } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";
import { lackingProblems } from "../../table/lacking.ts";
import type { TranslateOptions } from "../../table/options.ts";
import { inspect } from "./deep-inspection.ts";
import { doubtsOf } from "./doubts.ts";
import { unknownGuard } from "./fields.ts";
import { withoutLuaOf } from "./without-lua.ts";

export function readIngress(
  ingress: Ingress,
  { secrets, configMaps, services }: Pick<Snapshot, "secrets" | "configMaps" | "services">,
  settings: Settings,
  options: Pick<TranslateOptions, "annotationsPrefix" | "annotationValidation" | "asked" | "deepInspect" | "lacks">,
): Reading {
  const lookup: Lookup = {
    secret: (key) => secrets.get(key),
    configMap: (key) => configMaps.get(key),
    service: (key) => services.get(key),
    validates: options.annotationValidation,
    asked: options.asked,
  };
  const { annotationsPrefix, deepInspect, lacks } = options;
  const reading = readAnnotations(ingress, annotationsPrefix, settings, lookup);
  const idle = lackingProblems(ingress, annotationsPrefix, lacks);
  const doubtful = doubtsOf(ingress, annotationsPrefix, reading, settings);
  const doubts = once(
    [...idle, ...reading.problems],
    lacks.has("lua") ? [...doubtful, ...withoutLuaOf(ingress, annotationsPrefix, reading.values)] : doubtful,
  );
  const found = deepInspect ? inspect(ingress) : [];
  const guard = unknownGuard(ingress);
  if (found.length === 0 && idle.length === 0 && doubts.length === 0 && guard === undefined)
    return withUsefulProblems(reading);
  const guards = guard === undefined ? [] : [guard];
  const denied = guard === undefined || reading.verdict === "reject" ? reading.verdict : "deny";
  const verdict = found.length === 0 ? denied : "reject";
  const problems = [...guards, ...found, ...reading.problems, ...idle, ...doubts];
  return withUsefulProblems({ ...reading, verdict, problems });
}

const saysAll: ReadonlySet<Problem["kind"]> = new Set(["annotation-useless", "annotation-unreadable"]);

/** Drops Problems about the lack of effect of an annotation that has none, or cannot be read. */
function once(said: readonly Problem[], more: readonly Problem[]): readonly Problem[] {
  if (more.length === 0) return more;
  const useless = new Set(said.flatMap((one) => (saysAll.has(one.kind) && "key" in one ? [one.key] : [])));
  return more.filter((one) => {
    if (one.kind !== "annotation-useless") return true;
    const isNew = !useless.has(one.key);
    useless.add(one.key);
    return isNew;
  });
}

/**
 * Drops Problems about annotations that have no effect in a canary. Their lack of effect is
 * reported elsewhere.
 */
function withUsefulProblems(reading: Reading): Reading {
  const { values, verdict, problems } = reading;
  const ofText: readonly Problem["kind"][] = [
    "annotation-unreadable",
    "annotation-partly",
    "annotation-useless",
    "annotation-doubtful",
  ];
  const isIdle = (one: Problem) => ofText.includes(one.kind) && "key" in one && !countsInCanary(one.key);
  if (values.canary === undefined || verdict === "reject" || !problems.some(isIdle)) return reading;
  return { ...reading, problems: problems.filter((one) => !isIdle(one)) };
}
