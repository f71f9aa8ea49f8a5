/** A short hash for names: equal texts get equal names, in every process of the controller. */
import { hash } from "node:crypto";

/** Hexadecimal. 16 digits are enough where a name is compared with some thousands of others. */
export function shortHash(text: string, digits = 16): string {
  return hash("sha256", text).slice(0, digits);
}
