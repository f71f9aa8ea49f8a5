/** Finds the known word that was probably meant. */

/**
 * Returns the word with the smallest edit distance to `text` (insert, delete, replace, and swap of
 * neighbours count one each), if the distance is at most a third of the length of `text`. Otherwise
 * it returns the longest word with which `text` ends after a hyphen, as in `rate-limit-rps`; else
 * undefined.
 */
export function nearest(text: string, words: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.floor(text.length / 3) + 1;
  let ending = "";
  for (const word of words) {
    if (word.length > ending.length && text.endsWith(`-${word}`)) ending = word;
    if (Math.abs(word.length - text.length) >= bestDistance) continue;
    const distance = editDistance(text, word);
    if (distance < bestDistance) {
      best = word;
      bestDistance = distance;
    }
  }
  return best ?? (ending === "" ? undefined : ending);
}

/**
 * Counts how many letters have to be inserted, deleted or replaced to make one word the other. An
 * exchange of two neighbours counts one (Damerau-Levenshtein).
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
