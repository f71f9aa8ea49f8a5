/** Kinds that several groups of flags share. */
import { port } from "../../core/kinds/addresses.ts";
import { optional, prefixed } from "../../core/kinds/combine.ts";
import { buckets, float, goDuration } from "../../core/kinds/flag-kinds.ts";
import type { Kind } from "../../core/kinds/kind.ts";
import { line, reference, shaped } from "../../core/kinds/names.ts";
import { integer } from "../../core/kinds/numbers.ts";

/** Gives a Kind the word for its values in `--help`. */
const called = <T>(word: string, kind: Kind<T>): Kind<T> & { readonly word: string } => ({ ...kind, word });

export const wholeNumber = (min: number, max = 2_147_483_647) => called("NUMBER", prefixed(integer({ min, max })));
export const number = called("NUMBER", float);
export const numbers = called("NUMBERS", buckets);
export const duration = called("DURATION", goDuration);
export const portNumber = called("PORT", prefixed(port));
export const objectName = called("NAMESPACE/NAME", optional(reference));
export const text = optional(line);

/** The source of the host policy: the word `labels`, or a ConfigMap. */
export const hostPolicyPlace = optional(
  shaped({
    label: "labels, or namespace/name of a ConfigMap",
    shape: /^(?:labels|[a-z\d]([a-z\d.-]{0,61}[a-z\d])?\/[a-z\d]([a-z\d.-]{0,251}[a-z\d])?)$/,
  }),
);

/** A Kubernetes name, or a prefix like one. */
export const dnsName = shaped({
  label: "a name of letters, digits, - and .",
  shape: /^[a-z\d]([a-z\d.-]{0,251}[a-z\d])?$/,
});
