/** Finds the known word that was probably meant. */

/**
 * Returns the word with the smallest edit distance to `text` (insert, delete, replace, and swap of
 * neighbours count one each), if the distance is at most a third of the length of `text` and each
 * of its parts is alike. Long keys share most of their letters, so the distance alone says little:
 * `session-cookie-persistent` is not `session-cookie-expires`. Otherwise it returns the longest
 * word with which `text` ends after a hyphen, as in `rate-limit-rps`; else undefined.
 */
export function nearest(text: string, words: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.floor(text.length / 3) + 1;
  let ending = "";
  for (const word of words) {
    if (word.length > ending.length && text.endsWith(`-${word}`)) ending = word;
    if (Math.abs(word.length - text.length) >= bestDistance) continue;
    const distance = areOfSameParts(text, word) ? 0 : editDistance(text, word);
    if (distance < bestDistance && hasLikeParts(text, word)) {
      best = word;
      bestDistance = distance;
    }
  }
  return best ?? (ending === "" ? undefined : ending);
}

/** Returns the parts of `proxy-body-size`, `proxy_body_size` and `proxyBodySize`. */
const partsOf = (text: string): string[] => text.split(/[-_]|(?<=[a-z])(?=[A-Z])/);

/** Whether only the order of the parts differs: `ssl-force-redirect`. */
const areOfSameParts = (a: string, b: string): boolean => partsOf(a).sort().join() === partsOf(b).sort().join();

/**
 * Whether the words differ by spelling alone: by the places of hyphens, in each part by a third of
 * its letters, or by one part more that is not the first, which names the topic.
 */
function hasLikeParts(a: string, b: string): boolean {
  if (areOfSameParts(a, b)) return true;
  const [less, more] = [partsOf(a), partsOf(b)].sort((one, other) => one.length - other.length) as unknown as Pair;
  if (editDistance(less.join(""), more.join("")) <= 1) return true;
  if (less.length === more.length) return areLike(less, more);
  return less.length + 1 === more.length && more.some((_, i) => i > 0 && areLike(less, more.toSpliced(i, 1)));
}

type Pair = readonly [readonly string[], readonly string[]];

const areLike = (...[some, others]: Pair): boolean =>
  some.every((part, i) => editDistance(part, others[i]!) <= Math.max(part.length, others[i]!.length) / 3);

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
