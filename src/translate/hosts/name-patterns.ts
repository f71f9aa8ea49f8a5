/**
 * Which names an alias that is a pattern takes from a host that is a wildcard: nginx asks aliases
 * of this form before such hosts.
 */

/**
 * `host` is whose alias it is; `wildcard` is `*.example.com`, a host, which takes one label more.
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
