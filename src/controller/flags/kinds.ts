/** Kinds that several groups of flags share. */
import { port } from "../../core/kinds/addresses.ts";
import { optional, prefixed } from "../../core/kinds/combine.ts";
import { line, reference, shaped } from "../../core/kinds/names.ts";
import { integer } from "../../core/kinds/numbers.ts";

export const wholeNumber = (min: number, max = 2_147_483_647) => prefixed(integer({ min, max }));
export const portNumber = prefixed(port);
export const objectName = optional(reference);
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
