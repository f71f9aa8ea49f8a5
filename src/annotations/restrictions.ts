/**
 * Texts that the operator does not let authors of Ingresses write, whatever they would mean:
 * annotations above a risk (RS-2.2) and words in their values (RS-2.5). One such annotation keeps
 * the whole Ingress out, known or not, empty or not.
 */
import type { Settings } from "../settings/registry.ts";
import type { Risk } from "./declare.ts";

export interface Restriction {
  readonly key: string;
  /** Finishes the sentence "annotation <key>: …". */
  readonly why: string;
}

const levels: readonly Risk[] = ["Low", "Medium", "High", "Critical"];

/** `own` are the annotations with the prefix, without it; an undeclared annotation has no risk. */
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
