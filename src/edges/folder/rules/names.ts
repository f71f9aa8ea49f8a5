/**
 * The API server's rules for names and paths. Each rule completes the sentence "<field>: …" or
 * returns undefined.
 */
import { isIP } from "node:net";
import { shown } from "../../../core/kinds/kind.ts";
import type { Mapping } from "../../../core/model/mapping.ts";
import { both, type Check, fine, isAbsent, lacking, type Rule, text, wrong } from "../../../core/schema/findings.ts";
import {
  hasCapitalWord,
  ofEnum,
  ofFewItems,
  ofNumber,
  toFillIn,
  unfilledHint,
} from "../../../core/schema/sentences.ts";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = new RegExp(`^${label}(\\.${label})*$`);

function rule(shape: RegExp, longest: number, what: string): Rule {
  return (text) => {
    if (text.length > longest) return `it has ${text.length} characters, and ${longest} is the limit`;
    if (shape.test(text)) return undefined;
    return `${shown(text)} is not ${what}${unfilledHint(text)}`;
  };
}

/**
 * An RFC 1123 label. Services have such names since Kubernetes 1.36; earlier their names had to
 * begin with a letter.
 */
export const dnsLabel = rule(new RegExp(`^${label}$`), 63, "a name of a-z, 0-9 and -");
export const dnsSubdomain = rule(subdomain, 253, "a name of a-z, 0-9, - and .");

/**
 * The host of a tls entry: a DNS name, or one whose first label is `*`. Digits and dots alone pass,
 * as they do in the API.
 */
export const tlsHost: Rule = (text) => {
  const bare = text.startsWith("*.") ? text.slice(2) : text;
  if (bare.includes("*")) return `${shown(text)} has a * that is not its whole first label`;
  const lower = text.toLowerCase();
  if (text !== lower && dnsSubdomain(bare.toLowerCase()) === undefined) {
    return `${shown(text)} has capital letters; write ${shown(lower)}${hasCapitalWord(text) ? ", or fill it in if it is a placeholder" : ""}`;
  }
  if (dnsSubdomain(bare) === undefined && text.length <= 253) return undefined;
  return `${shown(text)} is not a DNS name${hintAbout(text)}`;
};

/** Returns the usual reasons why a text is not a host although it was meant as one. */
function hintAbout(text: string): string {
  const hint = toFillIn(text);
  if (hint !== undefined) return `; ${hint}`;
  const [, bare] = /^https?:\/\/([^/:]+)/.exec(text) ?? /^([^/:]+)[:/]/.exec(text) ?? [];
  return bare === undefined || dnsSubdomain(bare) !== undefined ? "" : `; write the name alone: ${shown(bare)}`;
}

/** The host of a rule: like the host of a tls entry, but not an address. */
export const host: Rule = (text) =>
  isIP(text) !== 0 ? `${shown(text)} is an address, and only a DNS name may stand here` : tlsHost(text);

/** IANA service name: the name of a port in an Ingress or as a targetPort. */
export const portName: Rule = (text) =>
  /^(?=.*[a-z])[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text) && text.length <= 15 && !text.includes("--")
    ? undefined
    : `${shown(text)} is not the name of a port (at most 15 of a-z, 0-9 and single -, one of them a letter)${unfilledHint(text)}`;

/** Keys of labels and annotations: a name, optionally with a DNS name and a slash before it. */
export const qualifiedName: Rule = (text) => {
  const slash = text.lastIndexOf("/");
  const [prefix, name] = slash < 0 ? [undefined, text] : [text.slice(0, slash), text.slice(slash + 1)];
  const good = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name) && name.length <= 63;
  return good && (prefix === undefined || dnsSubdomain(prefix.toLowerCase()) === undefined)
    ? undefined
    : `${shown(text)} is not a key such as example.com/name`;
};

export const labelValue = rule(
  /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
  63,
  "the value of a label (letters, digits, -, _ and .)",
);

/** Keys of the data of Secrets and ConfigMaps. */
export const dataKey: Rule = (text) =>
  /^[-._a-zA-Z0-9]+$/.test(text) && text.length <= 253 && text !== "." && !text.startsWith("..")
    ? undefined
    : `${shown(text)} is not a key of letters, digits, -, _ and .`;

/** Sequences that the API keeps out of plain paths, because servers disagree about them. */
const anywhere = ["//", "/./", "/../", "%2f", "%2F"];
const atTheEnd = ["/..", "/."];

/** Returns the first such sequence in the path. */
export function ambiguousPart(path: string): string | undefined {
  return anywhere.find((one) => path.includes(one)) ?? atTheEnd.find((one) => path.endsWith(one));
}

/** Checks the keys of a mapping. */
export function keys(rule: Rule): Check {
  return (value) => {
    let findings = fine;
    for (const key in value as object) {
      const why = rule(key);
      if (why !== undefined) findings = both(findings, wrong([key], why));
    }
    return findings;
  };
}

/** Requires a field that the definition itself does not require. */
export function need(field: string): Check {
  return (value) => (isAbsent((value as Mapping)[field]) ? lacking(field) : fine);
}

/** Requires one of these texts. */
export function word(...words: readonly string[]): Check {
  return text((value) => (words.includes(value) ? undefined : ofEnum(value, words)));
}

/** Requires a whole number in a range. */
export function whole(min: number, max: number): Check {
  return (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? fine
      : wrong([], ofNumber(value, min, max));
}

/** Requires a list with items. */
export const filled: Check = (value) =>
  (value as readonly unknown[]).length === 0 ? wrong([], ofFewItems(0, 1)) : fine;
