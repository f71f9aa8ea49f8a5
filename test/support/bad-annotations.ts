/**
 * Returns every bad sample of every annotation, from its declaration, with the annotations that it
 * needs to have an effect.
 */

import type { Consequence } from "../../src/core/model/problem.ts";
import type { AnyFeature, Fields } from "../../src/core/policies/declare.ts";
import { featureList } from "../../src/core/policies/registry.ts";
import { annotationSamples } from "./samples.ts";

export interface BadAnnotation {
  readonly key: string;
  readonly text: string;
  /** Includes the annotation on which the others of its feature depend. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly done: Consequence;
  /** Whether the annotation needs another one, which stands beside it. */
  readonly gated: boolean;
}

export const badAnnotations: readonly BadAnnotation[] = featureList.flatMap(([, feature]) =>
  Object.entries(feature.fields as Fields).flatMap(([name, field]) => {
    const { key, kind, onBad = "default" } = field;
    const gate = gateOf(feature, name);
    return annotationSamples(field)
      .bad.filter((text) => text !== "")
      .map((text) => ({
        key,
        text,
        annotations: { ...gate, [key]: text },
        done: mildOr(kind.read(text), onBad),
        gated: Object.keys(gate).length > 0,
      }));
  }),
);

function mildOr(read: { readonly ok: boolean; readonly mild?: true }, onBad: Consequence): Consequence {
  return read.mild === true ? "default" : onBad;
}

function gateOf({ gate, idle, fields }: AnyFeature, name: string): Record<string, string> {
  const beside = (other?: string) => (one: string) => one === name || one === other;
  const isIdle = idle?.(name, beside()) === true;
  const needed = isIdle ? Object.keys(fields).find((other) => idle?.(name, beside(other)) === false) : gate;
  const field = needed === undefined || needed === name ? undefined : (fields as Fields)[needed];
  const good = field && annotationSamples(field).good.find((text) => text !== "");
  return field === undefined || good === undefined ? {} : { [field.key]: good };
}
