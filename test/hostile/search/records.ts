/**
 * Finds records of shared memory that do not have the form that the Lua expects: text of users may
 * be in them only as values or as paths.
 */

import { recordFields } from "../../../src/core/model/records.ts";

const keys = /^(host|sni|upstream|pair) [^\p{Cc}]*$|^patterns$|^stream \w+$/u;
/** Endpoints of a stream: an IP address, a port and a weight each. */
const endpoints = /^\[(\["[\d.:a-f]+",\d+,\d+\],?)*\]$/;

/** All names in records that are not paths. */
const names = new Set<string>(Object.values(recordFields).flat());

export function strangeRecords(records: ReadonlyMap<string, string>): readonly string[] {
  return [...records].flatMap(([key, text]) => {
    if (!keys.test(key)) return [`the key of a record: ${JSON.stringify(key)}`];
    if (key.startsWith("stream ")) return endpoints.test(text) ? [] : [`the record ${key} is ${text}`];
    if (!/^(host|upstream) /.test(key)) return [];
    const found = strangers(JSON.parse(text));
    return found.map((name) => `the record ${key} has a field ${JSON.stringify(name)}`);
  });
}

function strangers(value: unknown, open = false): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => strangers(one));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = open || names.has(name) || name.startsWith("/");
    return [...(known ? [] : [name]), ...strangers(inner, /^(variables|balance|canaries)$/.test(name))];
  });
}
