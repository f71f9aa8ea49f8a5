/**
 * Ends a message about an unknown word. The message itself quotes the unknown word, which may hold
 * anything. The known one stands bare, ready to be copied.
 */

/**
 * Returns ` (did you mean WORD?)`, with its space, for a known word that was probably meant. If no
 * known word is near, it returns nothing to add.
 */
export function didYouMean(word: string | undefined): string {
  return word === undefined ? "" : ` (did you mean ${word}?)`;
}
