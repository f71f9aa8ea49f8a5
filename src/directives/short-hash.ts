/**
 * The part of a name that stands for what it was made of: equal for equal text, in every life of
 * the controller.
 */
import { hash } from "node:crypto";

/** Hexadecimal; 16 digits are enough for what is compared with some thousands of others. */
export function shortHash(text: string, digits = 16): string {
  return hash("sha256", text).slice(0, digits);
}
