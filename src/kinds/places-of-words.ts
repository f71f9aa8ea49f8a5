/**
 * Says where a word belongs that a user wrote in the wrong place: a flag as an annotation, a key of
 * the ConfigMap as a flag. The newcomer's mistake is to look for a spelling error in it.
 */
import { allWords } from "./all-words.ts";

/** A place in which users write names. */
export type WordPlace = keyof typeof allWords;

const longest = 200;

const namesOf = (place: WordPlace): ReadonlyMap<string, string> =>
  new Map(allWords[place].split(/\s+/).map((name) => [lettersOf(name), name]));

const known: Readonly<Record<WordPlace, ReadonlyMap<string, string>>> = {
  setting: namesOf("setting"),
  annotation: namesOf("annotation"),
  flag: namesOf("flag"),
  value: namesOf("value"),
};

const descriptions: Readonly<Record<WordPlace, (name: string, isSame: boolean) => string>> = {
  setting: (name, isSame) => `a key of the controller's ConfigMap${isSame ? "" : `, ${name}`}`,
  annotation: (name, isSame) => `an annotation of an Ingress${isSame ? "" : `, ${name}`}`,
  flag: (name) => `a flag of the controller, --${name}`,
  value: (name) => `a value of the chart, ${name}`,
};

/**
 * Returns what else the word is, as the rest of a sentence; undefined where it is known nowhere
 * else. `here` is the place in which it does not exist.
 */
export function placeOfWord(word: string, here: WordPlace): string | undefined {
  const letters = lettersOf(word);
  const described = (place: WordPlace): string[] => {
    const name = place === here ? undefined : known[place].get(letters);
    return name === undefined ? [] : [descriptions[place](name, name === word)];
  };
  // Values such as proxySetHeaders only set the key of the ConfigMap.
  const first = (["setting", "annotation", "flag"] as const).flatMap(described);
  const found = first.length === 0 ? described("value") : first;
  return found.length === 0 ? undefined : `it is ${found.join(", and ")}`;
}

/** Returns the name that is the word in another spelling: `useGzip` is `use-gzip`. */
export function speltOtherwise(word: string, names: Iterable<string>): string | undefined {
  const letters = lettersOf(word);
  for (const name of names) if (lettersOf(name) === letters) return name;
  return undefined;
}

/**
 * Returns the letters that count when names are compared: no prefix, no dashes, no capitals. Of a
 * path of the chart only the last key counts. A name is never long, and what users write may be.
 */
function lettersOf(word: string): string {
  if (word.length > longest) return word;
  const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf(".")) + 1);
  return name.replaceAll("-", "").toLowerCase();
}
