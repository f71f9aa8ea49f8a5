/**
 * Lists answers that changed with a newer version of nginx, whatever its configuration is; the
 * recordings are those of an older one. nginx 1.29.7 keeps connections to backends alive by
 * default, and answers 400 to a CONNECT that names a path.
 */
const since = [1, 29, 7] as const;
const lines: Readonly<Record<string, readonly RegExp[]>> = {
  "access/server-snippet-location-elsewhere": [/^3\. /, /seen\.headers\.connection: expected "close", got nothing/],
  "routing/requests-in-odd-forms": [
    /^\d+\. CONNECT /,
    /status: expected 405, got 400/,
    /body: expected .*405 Not Allowed.* got .*400 Bad Request/s,
  ],
};

/** Returns the differences of a case that this version of nginx does not explain. */
export function withoutNewer(name: string, version: string, differences: readonly string[]): readonly string[] {
  const known = lines[name];
  if (known === undefined || !isNewer(version)) return differences;
  return differences.filter((line) => !known.some((pattern) => pattern.test(line)));
}

function isNewer(version: string): boolean {
  const numbers = version.split(".").map(Number);
  const at = since.findIndex((number, place) => number !== numbers[place]);
  return at < 0 || (numbers[at] ?? 0) > since[at]!;
}
