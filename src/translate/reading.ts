/** All that one Ingress says by itself: its annotations, and whether it may be applied at all. The sync and the webhook read by it alike. */
import { type Lookup, type Reading, readAnnotations } from "../annotations/read.ts";
import type { Ingress } from "../model/objects.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Settings } from "../settings/registry.ts";
import { inspect } from "./deep-inspection.ts";
import type { TranslateOptions } from "./options.ts";

export function readIngress(
  ingress: Ingress,
  { secrets, configMaps, services }: Pick<Snapshot, "secrets" | "configMaps" | "services">,
  settings: Settings,
  { annotationsPrefix, deepInspect }: Pick<TranslateOptions, "annotationsPrefix" | "deepInspect">,
): Reading {
  const lookup: Lookup = {
    secret: (key) => secrets.get(key),
    configMap: (key) => configMaps.get(key),
    service: (key) => services.get(key),
  };
  const reading = readAnnotations(ingress, annotationsPrefix, settings, lookup);
  const found = deepInspect ? inspect(ingress) : [];
  if (found.length === 0) return reading;
  return { ...reading, verdict: "reject", problems: [...found, ...reading.problems] };
}
