/** A short hash for names: equal texts get equal names, in every process of the controller. */
import { hash } from "node:crypto";

/** Returns hexadecimal digits. 16 are enough among some thousands of names. */
export function shortHash(text: string, digits = 16): string {
  return hash("sha256", text).slice(0, digits);
}
