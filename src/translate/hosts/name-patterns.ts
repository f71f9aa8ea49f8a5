/**
 * The names that an alias with a pattern takes from a host with a wildcard: nginx tries such
 * aliases first.
 */

/**
 * `host` is the owner of the alias; `wildcard` is a host like `*.example.com`, which takes one
 * label more.
 */
export function mayTake(alias: string, host: string, wildcard: string): boolean {
  const parent = wildcard.slice(1);
  // Regular expressions are tried in the order of their hosts, wildcards among them.
  if (alias.startsWith("~")) return host < wildcard;
  if (alias.startsWith("*")) return parent.endsWith(alias.slice(1));
  // `www.*`, `www.example.*`
  const [, ...rest] = alias.slice(0, -2).split(".");
  return `${parent.slice(1)}.`.startsWith(rest.length === 0 ? "" : `${rest.join(".")}.`);
}
