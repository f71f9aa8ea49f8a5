/**
 * Texts that the operator forbids to authors of Ingresses, whatever they mean: annotations above a
 * risk level (RS-2.2) and words in their values (RS-2.5). One such annotation keeps the whole
 * Ingress out, even if it is unknown or empty.
 */
import type { Settings } from "../settings/registry.ts";
import type { Risk } from "./declare.ts";

export interface Restriction {
  readonly key: string;
  /** Completes the sentence "annotation <key>: …". */
  readonly why: string;
}

const levels: readonly Risk[] = ["Low", "Medium", "High", "Critical"];

/**
 * Returns the restricted annotations of an Ingress. `own` are the annotations with the prefix
 * removed. An undeclared annotation has no risk.
 */
export function restrictionsOn(
  own: ReadonlyMap<string, string>,
  riskOf: (key: string) => Risk | undefined,
  { annotationsRiskLevel: permitted, annotationValueWordBlocklist: words }: Settings,
): Restriction[] {
  const found: Restriction[] = [];
  for (const [key, text] of own) {
    const risk = riskOf(key);
    if (risk !== undefined && levels.indexOf(risk) > levels.indexOf(permitted)) {
      found.push({ key, why: `its risk is ${risk}, and annotations-risk-level permits ${permitted} at most` });
    }
    const word = words.find((one) => text.includes(one));
    if (word !== undefined) {
      found.push({ key, why: `${JSON.stringify(word)} is in it, a word of annotation-value-word-blocklist` });
    }
  }
  return found;
}
