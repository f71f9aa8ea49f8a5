/** The sentences about values that do not fit a schema: one for each word of a schema. */
import { didYouMean } from "../../base/did-you-mean.ts";
import { shown, unfilled } from "../kinds/kind.ts";
import { nearest } from "../kinds/nearest.ts";
import { own } from "../model/own.ts";

/** Says what a value is, without the value. */
export function found(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return "a number";
  if (typeof value === "string") return "text";
  return Array.isArray(value) ? "a list" : "a mapping";
}

const wanted: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
};

export function ofWrongType(value: unknown, types: readonly string[]): string {
  const isPlain = typeof value === "number" || typeof value === "boolean";
  const advice = isPlain && types.includes("string") ? "; write it in quotes" : "";
  return `${found(value)} is given where ${types.map((type) => wanted[type]).join(" or ")} is required${advice}`;
}

/** Says why a value is not one of these whole numbers. */
export function ofNumber(value: unknown, min?: number, max?: number): string {
  if (typeof value === "string" && /^\d+$/.test(value))
    return `"${value}" is text because of its quotes; write the number without them`;
  const what = typeof value === "number" ? String(value) : found(value);
  if (min === undefined && max === undefined) return `${what} is given where a whole number is required`;
  if (max === undefined) return `${what} is not a whole number from ${min} on`;
  return `${what} is not a whole number ${min === undefined ? "up" : `from ${min}`} to ${max}`;
}

export const ofEnum = (value: unknown, words: readonly unknown[]): string =>
  `${typeof value === "string" ? shown(value) : String(value)} is not one of ${words.filter((one) => one !== null && one !== "").join(", ")}`;

export const ofLength = (length: number, most: number): string =>
  `it has ${length} characters, and ${most} is the limit`;

export const ofShortness = (length: number, least: number): string =>
  length === 0 ? "it is empty" : `it has ${length} characters, and ${least} are the least`;

export const ofFewItems = (count: number, least: number): string =>
  count === 0 ? "the list is empty" : `the list has ${count} items, and ${least} are the least`;

export const ofManyItems = (count: number, most: number): string =>
  `the list has ${count} items, and ${most} are the most`;

export const ofManyFields = (count: number, most: number): string => `it has ${count} keys, and ${most} are the most`;

/** What the patterns of the definitions stand for. A test finds each of them here. */
const meanings: Readonly<Record<string, string>> = {
  "^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$": "a name of a-z, 0-9, - and .",
  "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$": "a name of a-z, 0-9, - and .",
  "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$": "a name of a-z, 0-9 and -",
  "^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$": "a DNS name",
  "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$": "the name of a kind",
  "^(([^:/?#]+):)(//([^/?#]*))([^?#]*)(\\?([^#]*))?(#(.*))?": "a URI such as spiffe://cluster/shop",
  "^(System|([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]))$":
    "System",
  "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/[A-Za-z0-9\\/\\-._~%!$&'()*+,;=:]+$":
    "a controller's name such as sluice.dev/gateway-controller",
  "^Hostname|IPAddress|NamedAddress|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/[A-Za-z0-9\\/\\-._~%!$&'()*+,;=:]+$":
    "IPAddress, Hostname or NamedAddress",
  "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$": "the value of a label (letters, digits, -, _ and .)",
  "^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$": "a path",
  "^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/[A-Za-z0-9]+$":
    "the name of a protocol such as HTTP or HTTPS",
  "^[A-Za-z0-9!#$%&'*+\\-.^_\\x60|~]+$": "the name of a header",
  "^[!-~]+([\\t ]?[!-~]+)*$": "the value of a header",
  "^([0-9]{1,5}(h|m|s|ms)){1,4}$": "a duration such as 500ms, 10s or 1h30m",
  "(^\\*$)|(^(http(s)?):\\/\\/(((\\*\\.)?([a-zA-Z0-9\\-]+\\.)*[a-zA-Z0-9-]+|\\*)(:([0-9]{1,5}))?)$)":
    "an origin such as https://shop.example",
};

export function ofPattern(value: string, pattern: string): string {
  const meaning = own(meanings, pattern);
  if (meaning === undefined) return `${shown(value)} does not match ${pattern}`;
  return `${shown(value)} is not ${meaning}${/name/.test(meaning) ? unfilledHint(value) : ""}`;
}

/** Says of a key that occurs in a list of distinct items before. */
export const ofDouble = (name: string, key: string): string => `the ${name} ${key} is given twice`;

const noField = "there is no such field";

/**
 * Says why there is no field of this name beside the `known` ones. `holders` are those of them that
 * have a field of this name.
 */
export function ofUnknownField(name: string, known: readonly string[], holders: readonly string[]): string {
  if (name.includes("/")) return `${noField}; an annotation belongs below metadata.annotations`;
  if (name === "annotations" || name === "labels") return `${noField}; ${name} belong below metadata`;
  if (name === "sops" && known.includes("metadata"))
    return "sops has encrypted the object; decrypt the file before it is read";
  if (holders.length === 1) return `${noField}; ${name} belongs below ${holders[0]}`;
  return `${noField}${didYouMean(nearest(name, known))}`;
}

/** Returns what a tool or a person has to fill in, as a sentence; undefined if nothing is. */
export const toFillIn = (text: string): string | undefined => unfilled(text) ?? placeholder(text) ?? variableIn(text);

/** Returns a hint behind a semicolon if the text is a placeholder; else an empty text. */
export function unfilledHint(text: string): string {
  const hint = toFillIn(text);
  if (hint !== undefined) return `; ${hint}`;
  return hasCapitalWord(text) ? "; fill it in if it is a placeholder" : "";
}

/** Returns the same for a variable, such as `${app}`. In other values it may be one of nginx. */
function variableIn(text: string): string | undefined {
  const [variable] = /\$\{[^{}]*\}|\$\w+/.exec(text) ?? [];
  return variable && `a tool should have filled in ${variable} before, such as envsubst`;
}

/** Whether a part of the text, as in `APP-tls` or `web.DOMAIN.COM`, has capital letters alone. */
export const hasCapitalWord = (text: string): boolean => /(?<![A-Za-z0-9])[A-Z][A-Z0-9]{2,}(?![A-Za-z0-9])/.test(text);

/**
 * Returns the same for a word in capitals with `_`, such as `REPLACE_ME`. Other values have such
 * words as well, but no name of Kubernetes has.
 */
function placeholder(text: string): string | undefined {
  const [word] = /(?<![A-Za-z0-9_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![A-Za-z0-9_])/.exec(text) ?? [];
  return word && `a tool should have filled in ${word} before`;
}
