/**
 * Decides whether an alias that is a pattern may take names from a host with a wildcard, because
 * nginx tries such aliases first.
 */

/**
 * Whether the alias may take names below the wildcard. `host` has the alias; `wildcard` is a host
 * such as `*.example.com`, which stands for one more label.
 */
export function mayTake(alias: string, host: string, wildcard: string): boolean {
  const parent = wildcard.slice(1);
  // Regular expressions are tried in the order of their hosts, wildcards among them.
  if (alias.startsWith("~")) return host < wildcard;
  if (alias.startsWith("*")) return parent.endsWith(alias.slice(1));
  // The alias is, for example, `www.*` or `www.example.*`.
  const [, ...rest] = alias.slice(0, -2).split(".");
  return `${parent.slice(1)}.`.startsWith(rest.length === 0 ? "" : `${rest.join(".")}.`);
}
