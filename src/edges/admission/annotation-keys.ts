/** Annotations that are refused for their names alone (RS-29.5). */
import type { Ingress } from "../../core/model/objects.ts";
import { defaultOptions } from "../../core/table/options.ts";
import type { Finding } from "./path-types.ts";

/**
 * Finds annotations with the usual prefix, if the controller uses another one: they would
 * silently do nothing.
 */
export function foreignKeys({ metadata }: Ingress, prefix: string): Finding[] {
  const usual = defaultOptions.annotationsPrefix;
  if (prefix === usual) return [];
  return Object.keys(metadata.annotations ?? {})
    .filter((key) => key.startsWith(`${usual}/`))
    .map((key) => ({ field: `annotation ${key}`, why: `annotations of this controller begin with ${prefix}/` }));
}

/** Finds snippets, whatever they configure, if the operator has not allowed them (RS-2.6). */
export function snippetKeys({ metadata }: Ingress, prefix: string): Finding[] {
  return Object.keys(metadata.annotations ?? {})
    .filter((key) => key.startsWith(`${prefix}/`) && key.endsWith("-snippet"))
    .map((key) => ({ field: `annotation ${key.slice(prefix.length + 1)}`, why: "allow-snippet-annotations is off" }));
}
