/**
 * Finds annotations on objects that have no use for them: those of Ingresses on other objects, and
 * our own ones on objects of another kind. Without a message, their author would wait for an
 * effect.
 */
import { didYouMean } from "../../base/did-you-mean.ts";
import { nearest } from "../kinds/nearest.ts";
import { controllerAnnotation, copiedAnnotation } from "../model/gateway/services.ts";
import type { ObjectName, Problem } from "../model/problem.ts";
import { featureOf, isForListeners, whyNotOnRoutes } from "./on-routes.ts";
import { meaningOfUnknown } from "./read.ts";

export const weightAnnotation = "sluice.dev/weight";
export const shadowAnnotation = "sluice.dev/shadow";

interface Home {
  readonly kinds: readonly string[];
  readonly words: string;
}

const ofRoutes: Home = { kinds: ["HTTPRoute", "GRPCRoute"], words: "an HTTPRoute or a GRPCRoute" };

/** Our own annotations, with the kinds of object that have them. */
const own: ReadonlyMap<string, Home> = new Map([
  ["ingress/http", { kinds: ["Service"], words: "a Service" }],
  [shadowAnnotation, ofRoutes],
  [weightAnnotation, ofRoutes],
]);

/** Marks that the controller itself writes. */
const marks: ReadonlySet<string> = new Set([controllerAnnotation, copiedAnnotation]);

const listenerKinds = ["Gateway", "ListenerSet"];

/**
 * Returns a Problem for each such annotation. `prefix` is that of the annotations of Ingresses.
 */
export function misplacedAnnotations(
  object: ObjectName,
  annotations: Readonly<Record<string, unknown>> | undefined,
  prefix: string,
): readonly Problem[] {
  if (annotations === undefined) return [];
  return Object.keys(annotations).flatMap((full): Problem[] => {
    const home = own.get(full);
    if (home?.kinds.includes(object.kind) || marks.has(full)) return [];
    if (home !== undefined)
      return [{ object, kind: "annotation-useless", key: full, why: `it belongs to ${home.words}` }];
    if (full.startsWith("sluice.dev/")) return [{ object, kind: "annotation-unknown", key: full, ...nearestOwn(full) }];
    if (object.kind === "Ingress" || !full.startsWith(`${prefix}/`)) return [];
    if (object.kind === "RouteSettings") return [inSettings(object, full)];
    const key = full.slice(prefix.length + 1);
    return [{ object, kind: "annotation-useless", key, why: whyUseless(object.kind, key) }];
  });
}

function inSettings(object: ObjectName, full: string): Problem {
  const why = "it belongs below spec, without its prefix";
  return { object, kind: "value-useless", field: `annotation ${full}`, why, done: "it has no effect" };
}

function nearestOwn(key: string) {
  const found = nearest(key, own.keys());
  return found === undefined ? {} : { nearest: found };
}

function whyUseless(kind: string, key: string): string {
  if (featureOf(key) === undefined) return `it does not exist${hint(key)}, and such annotations belong to an Ingress`;
  const isForListener = listenerKinds.includes(kind);
  const why = isForListener && isForListeners(key) ? undefined : whyNotOnRoutes(key);
  if (isForListener || ofRoutes.kinds.includes(kind))
    return `it belongs to an Ingress; ${why ?? `RouteSettings with this key do the same for a ${isForListener ? kind : "route"}`}`;
  if (kind === "Service") return "it belongs to the Ingress that names this Service";
  if (kind === "IngressClass") return "it belongs to an Ingress; the controller's ConfigMap has the defaults for all";
  return "it belongs to an Ingress";
}

function hint(key: string): string {
  const { nearest: meant, elsewhere } = meaningOfUnknown(key);
  return elsewhere === undefined ? didYouMean(meant) : ` (${elsewhere})`;
}
