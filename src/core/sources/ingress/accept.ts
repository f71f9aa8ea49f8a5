/**
 * Decides which Ingresses belong to this controller (RS-1). It reports nothing, because an Ingress
 * of another class is not a mistake.
 */
import { classAnnotation, type Ingress, type IngressClass } from "../../model/objects.ts";
import type { Table } from "../../model/table.ts";
import type { TranslateOptions } from "../../table/options.ts";

export function isOurs(ingress: Ingress, classes: Table<IngressClass> | undefined, options: TranslateOptions): boolean {
  return (
    isOfOurClass(ingress, classes, options) && !(options.disableCatchAll && ingress.spec?.defaultBackend !== undefined)
  );
}

function isOfOurClass(
  { spec, metadata }: Ingress,
  classes: Table<IngressClass> | undefined,
  o: TranslateOptions,
): boolean {
  if (spec?.ingressClassName !== undefined && classes !== undefined) {
    const named = classes.get(spec.ingressClassName);
    return named !== undefined && isOurClass(named, o);
  }
  const annotation = metadata.annotations?.[classAnnotation];
  if (annotation !== undefined) return annotation === o.ingressClass;
  return o.watchIngressWithoutClass;
}

export function isOurClass({ spec, metadata }: IngressClass, options: TranslateOptions): boolean {
  if (spec?.controller === options.controllerClass) return true;
  return options.ingressClassByName && metadata.name === options.ingressClass;
}
