/**
 * Every bad sample of every annotation, as its declaration has them: each with what makes it mean
 * something.
 */
import type { AnyFeature, Fields } from "../../src/annotations/declare.ts";
import { featureList } from "../../src/annotations/registry.ts";
import type { Consequence } from "../../src/problem.ts";

export interface BadAnnotation {
  readonly key: string;
  readonly text: string;
  /** Also the annotation without which the others of its feature mean nothing. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly done: Consequence;
  /** Whether another annotation stands beside it. */
  readonly gated: boolean;
}

export const badAnnotations: readonly BadAnnotation[] = featureList.flatMap(([, feature]) =>
  Object.entries(feature.fields as Fields).flatMap(([name, { key, kind, onBad = "default" }]) => {
    const gate = gateOf(feature, name);
    return kind.bad
      .filter((text) => text !== "")
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
  const good = field?.kind.good.find((text) => text !== "");
  return field === undefined || good === undefined ? {} : { [field.key]: good };
}
