/**
 * Checks references from objects of the Gateway API to other objects, by the rules of its
 * definitions (v1.6.3).
 */
import { shown } from "../../../core/kinds/kind.ts";
import { type Check, isRefused, listOf, port, type Rule, record, text, whole, wrong } from "../check.ts";
import { dnsLabel, dnsSubdomain } from "../names.ts";

export const filled: Rule = (value) => (value === "" ? "it is empty" : undefined);

export function atMost(most: number): Rule {
  return (value) => (value.length > most ? `it has ${value.length} characters, and ${most} is the limit` : undefined);
}

const kindName: Rule = (value) =>
  /^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$/.test(value) && value.length <= 63
    ? undefined
    : `${shown(value)} is not the name of a kind`;

/** The name of a group; an empty text is the core group. */
const groupName: Rule = (value) => (value === "" ? undefined : dnsSubdomain(value));

export const headerName: Rule = (value) =>
  /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,256}$/.test(value) ? undefined : `${shown(value)} is not the name of a header`;

/**
 * The name of an object. The definitions allow more, but the names of objects are plain DNS names.
 */
const objectName = text(filled, atMost(253));

export const named = { group: text(groupName), kind: text(kindName), name: objectName };
export const placed = { ...named, namespace: text(dnsLabel) };
export const sectionName = text(dnsSubdomain);

/** Checks a list with at most this many items. */
export function few(check: Check, most: number, least = 0): Check {
  const list = listOf(check, least);
  return (value) => {
    const findings = list(value);
    const count = Array.isArray(value) ? value.length : 0;
    return count > most
      ? [...findings, ...wrong([], `the list has ${count} items, and ${most} are the most`)]
      : findings;
  };
}

/** Checks a list whose items must differ in the result of `keyOf`. */
export function distinct(
  keyOf: (item: Record<string, unknown>) => string | undefined,
  why: (key: string) => string,
): Check {
  return (value) => {
    const seen = new Set<string>();
    return (value as readonly Record<string, unknown>[]).flatMap((item, at) => {
      const key = keyOf(item);
      if (key === undefined) return [];
      if (seen.has(key)) return wrong([at], why(key));
      seen.add(key);
      return [];
    });
  };
}

/** Checks a list of at most so many different texts. */
export function distinctTexts(check: Check, most: number): Check {
  return both(
    few(check, most),
    distinct(String, (one) => `${shown(one)} is given twice`),
  );
}

/**
 * Checks items that refer to the same object by `keyOf`. Either all of them name a part of the
 * object, by the same fields, or none of them does.
 */
export function alike(
  keyOf: (item: Record<string, unknown>) => string,
  fields: readonly string[],
  what: string,
): Check {
  return (value) => {
    const first = new Map<string, Record<string, unknown>>();
    return (value as readonly Record<string, unknown>[]).flatMap((item, at) => {
      const one = first.get(keyOf(item)) ?? item;
      first.set(keyOf(item), one);
      const field = fields.find((name) => isBlank(one[name]) !== isBlank(item[name]));
      return field === undefined
        ? []
        : wrong([at], `another one names the same ${what}, and only one of them has ${field}`);
    });
  };
}

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === "" || value === 0;

/** Runs the checks in order. Later ones run only if earlier ones have found no mistake. */
export function both(first: Check, ...others: readonly Check[]): Check {
  return (value) => {
    const findings = first(value);
    if (isRefused(findings)) return findings;
    return [...findings, ...others.flatMap((check) => check(value))];
  };
}

const hasPort: Check = (value) => {
  const { group = "", kind = "Service", port: given } = value as Record<string, unknown>;
  const isService = group === "" && kind === "Service";
  return isService && (given ?? undefined) === undefined ? wrong([], "port is missing, which a Service needs") : [];
};

export const backendFields = { ...placed, port, weight: whole(0, 1_000_000) };
export const backendReference = record({ ...placed, port }, ["name"], hasPort);
export { hasPort };

/** A DNS name whose first label may be `*`. It may not be an address. */
export const hostname: Rule = (value) => {
  const bare = value.startsWith("*.") ? value.slice(2) : value;
  if (bare.includes("*")) return `${shown(value)} has a * that is not its whole first label`;
  const lower = value.toLowerCase();
  if (value !== lower && dnsSubdomain(bare.toLowerCase()) === undefined)
    return `${shown(value)} has capital letters; write ${shown(lower)}`;
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(value)) return `${shown(value)} is an address, and only a DNS name may stand here`;
  return value.length <= 253 && dnsSubdomain(bare) === undefined ? undefined : `${shown(value)} is not a DNS name`;
};
