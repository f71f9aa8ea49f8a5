/** Records of shared memory that do not look like what the Lua expects: text of users stands in them as values, or as paths. */

const keys = /^(host|sni|upstream|pair) [^\p{Cc}]*$|^patterns$/u;

/** Every name in a record that is no path; a new field of a record belongs here. */
const names = new Set(
  (
    "tls locations root exact prefix slash regex certificate shape upstream limit namespace ingress service port path variables canaries standIn closed " +
    "sticky as to label endpoints balance kept parent"
  ).split(" "),
);

export function strangeRecords(records: ReadonlyMap<string, string>): readonly string[] {
  return [...records].flatMap(([key, text]) => {
    if (!keys.test(key)) return [`the key of a record: ${JSON.stringify(key)}`];
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
