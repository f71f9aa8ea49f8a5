/**
 * Renders patterns as lines of a `map`. nginx refuses a text that occurs twice, without regard to
 * case.
 */

import { mapPattern } from "../../kinds/patterns.ts";
import type { View } from "../../tokens/token.ts";

export function mapLines(patterns: readonly string[]): View {
  const byText = new Map(
    patterns.map((pattern) => [pattern.startsWith("~") ? pattern : pattern.toLowerCase(), pattern]),
  );
  return [...byText.values()].map((pattern) => mapPattern.view(pattern));
}
