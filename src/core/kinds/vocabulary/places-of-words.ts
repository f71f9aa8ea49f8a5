/**
 * Says where a word belongs that a user wrote in the wrong place: a flag as an annotation, a key of
 * the ConfigMap as a flag. Such a word is spelt correctly, so a search for similar names alone
 * would mislead its author. A test writes `all-words.json`, the words of all declarations.
 */
import { allDirectives } from "../../tokens/nginx-directives.ts";
import { editDistance, nearest } from "../nearest.ts";
import allWords from "./all-words.json" with { type: "json" };

/** A place in which users write names. */
export type WordPlace = keyof typeof allWords;

const longest = 200;

const namesOf = (place: WordPlace): ReadonlyMap<string, string> =>
  new Map(allWords[place].map((name) => [lettersOf(name), name]));

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
 * Returns the meaning of the word in other places, as the rest of a sentence; undefined if it
 * has none. `here` is the place in which it does not exist.
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
 * Returns the letters that count when names are compared: no prefix, no dashes, no capitals. Only
 * the last key of a path of the chart counts. A very long text cannot be a name and stays as it is.
 */
function lettersOf(word: string): string {
  if (word.length > longest) return word;
  const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf(".")) + 1);
  return name.replace(/[-_]/g, "").toLowerCase();
}

/** Returns the counterpart of a word of nginx, or what else it is, as the rest of a sentence. */
export function elsewhereOf(word: string, here: WordPlace): string | undefined {
  return meanings.get(lettersOf(word)) ?? placeOfWord(word, here);
}

/**
 * The probable meaning of an unknown word: another name of this place, or the rest of a sentence.
 */
export interface Meaning {
  readonly nearest?: string;
  readonly elsewhere?: string;
}

/**
 * Returns the probable meaning of an unknown word. It tries, in this order: another spelling of a
 * name, other places, another switch of the same thing, a name that hardly differs, a directive of
 * nginx, and a similar name. `names`
 * are those of the place in which the word stands.
 */
export function meaningOf(word: string, here: WordPlace, names: readonly string[]): Meaning {
  const same =
    speltOtherwise(word, names) ??
    names.find((name) => switches.test(name) && name.slice(name.indexOf("-") + 1) === word);
  if (same !== undefined) return { nearest: same };
  const elsewhere = elsewhereOf(word, here);
  if (elsewhere !== undefined) return { elsewhere };
  const switched = switchedOtherwise(word, names);
  if (switched !== undefined) return { nearest: switched };
  const similar = nearest(word, names);
  const directive = here === "flag" ? undefined : directives.get(lettersOf(word));
  if (directive !== undefined && (similar === undefined || !hardlyDiffers(word, similar)))
    return { elsewhere: `${directive} is a directive of nginx, which only a snippet can hold` };
  return similar === undefined ? {} : { nearest: similar };
}

const switches = /^(enable|max|use)-/;

/** Returns the name that switches the same thing with another word: `enable-gzip` is `use-gzip`. */
function switchedOtherwise(word: string, names: readonly string[]): string | undefined {
  const bare = word.replace(switches, "");
  return bare === word ? undefined : names.find((name) => name.replace(switches, "") === bare);
}

const hardlyDiffers = (word: string, name: string): boolean =>
  name.endsWith(`-${word}`) || editDistance(word, name) < 3;

/**
 * Directives by the letters of their names that count in comparisons. The chart's hints need this
 * table and the next one, too.
 */
export const directives: ReadonlyMap<string, string> = new Map(allDirectives.map((name) => [lettersOf(name), name]));

/** Names of nginx's directives, and parts of ours, that have one clear counterpart here. */
export const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "access-log": "access-log-path names the file, and disable-access-log ends the log",
    "body-size": "proxy-body-size is the largest body",
    "client-max-body-size": "proxy-body-size is the largest body",
    "connect-timeout": "proxy-connect-timeout limits the time until the backend accepts",
    "error-log": "error-log-path names the file, and error-log-level the least level",
    "keepalive-timeout": "keep-alive is the time for clients, and upstream-keepalive-timeout that for backends",
    "pod-disruption-budget": "controller.minAvailable and maxUnavailable are its limits, and two replicas have one",
    "proxy-buffers": "proxy-buffers-number and proxy-buffer-size are the buffers",
    "proxy-timeout": "proxy-connect-timeout, proxy-read-timeout and proxy-send-timeout are the limits",
    "read-timeout": "proxy-read-timeout limits the pauses of the backend's answer",
    "real-ip-header": "forwarded-for-header names the header with the client's address",
    "send-timeout": "proxy-send-timeout limits the pauses while the backend takes the request",
    "set-real-ip-from": "proxy-real-ip-cidr lists the proxies whose headers are believed",
    timeout: "proxy-connect-timeout, proxy-read-timeout and proxy-send-timeout are the limits",
    wallarm: "only Wallarm's build of ingress-nginx has it, and its module is not in the image",
    "worker-rlimit-nofile": "max-worker-open-files is the limit",
  }).map(([name, meaning]) => [lettersOf(name), meaning]),
);
