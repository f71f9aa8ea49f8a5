/**
 * Reads annotations about a route beside other objects: the share of an Ingress's requests that it
 * takes, and whether it is in shadow. A route in shadow serves nothing, and its decisions are
 * compared with the effective ones.
 */

import { readValue } from "../../../kinds/kind.ts";
import { integer } from "../../../kinds/numbers.ts";
import { bool } from "../../../kinds/words.ts";
import type { Route } from "../../../model/gateway/objects.ts";
import type { ObjectName, Problem } from "../../../model/problem.ts";
import { misplacedAnnotations, shadowAnnotation, weightAnnotation } from "../../../policies/misplaced.ts";

export interface Beside {
  /** From 0 to 1; undefined if it takes all requests that fit it. */
  readonly share: number | undefined;
  readonly isShadow: boolean;
  readonly notes: readonly Problem[];
}

const percent = integer({ min: 0, max: 100 });

export interface RoutePlace {
  readonly object: ObjectName;
  /** Whether the route is attached to a listener on a port of Ingresses. */
  readonly isCommon: boolean;
  /** The prefix of the annotations of Ingresses, which have no effect on a route. */
  readonly prefix: string;
}

/** Reads the two annotations. */
export function besideOf({ metadata: { annotations = {} } }: Route, { object, isCommon, prefix }: RoutePlace): Beside {
  const notes: Problem[] = [...misplacedAnnotations(object, annotations, prefix)];
  const note = (key: string, why: string, done: string) =>
    notes.push({ object, kind: "value-unusable", field: `annotation ${key}`, why, done });
  const { [weightAnnotation]: weight, [shadowAnnotation]: shadow } = annotations;
  const shadowed = shadow === undefined ? undefined : readValue(bool, shadow);
  if (shadowed?.ok === false) note(shadowAnnotation, shadowed.why, "the route is in shadow and serves nothing");
  const isShadow = shadowed !== undefined && (!shadowed.ok || shadowed.value);
  if (weight === undefined) return { share: undefined, isShadow, notes };
  const read = readValue(percent, weight);
  if (isShadow) note(weightAnnotation, "the route is in shadow", "it serves nothing, whatever its weight is");
  else if (!read.ok) note(weightAnnotation, read.why, "Ingresses keep all requests for which they have a path");
  else if (!isCommon) note(weightAnnotation, "no listener of the route is on a port of Ingresses", "it has no effect");
  return { share: read.ok ? read.value / 100 : 0, isShadow, notes };
}
