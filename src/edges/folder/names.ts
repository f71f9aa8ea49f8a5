/**
 * The API server's rules for names and paths. Each rule completes the sentence "<field>: …" or
 * returns undefined.
 */
import { isIP } from "node:net";
import { shown, unfilled } from "../../core/kinds/kind.ts";
import type { Rule } from "./check.ts";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = new RegExp(`^${label}(\\.${label})*$`);

function rule(shape: RegExp, longest: number, what: string): Rule {
  return (text) => {
    if (text.length > longest) return `it has ${text.length} characters, and ${longest} is the limit`;
    if (shape.test(text)) return undefined;
    return `${shown(text)} is not ${what}${unfilledHint(text)}`;
  };
}

/** Returns what a tool or a person has to fill in, as a sentence; undefined if nothing is. */
const toFillIn = (text: string): string | undefined => unfilled(text) ?? placeholder(text) ?? variableIn(text);

/** Returns a hint behind a semicolon if the text is a placeholder; else an empty text. */
function unfilledHint(text: string): string {
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
const hasCapitalWord = (text: string): boolean => /(?<![A-Za-z0-9])[A-Z][A-Z0-9]{2,}(?![A-Za-z0-9])/.test(text);

/**
 * Returns the same for a word in capitals with `_`, such as `REPLACE_ME`. Other values have such
 * words as well, but no name of Kubernetes has.
 */
function placeholder(text: string): string | undefined {
  const [word] = /(?<![A-Za-z0-9_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![A-Za-z0-9_])/.exec(text) ?? [];
  return word && `a tool should have filled in ${word} before`;
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
