/**
 * Names that are checked when they are resolved. nginx queries its resolver for
 * `auth.example.443.t.sluice.internal` instead of `auth.example`. The controller resolves the
 * latter and answers with those addresses that are allowed on that port. No block of nginx has such
 * a name, and it is neither an address nor a socket, so every use of it is checked.
 */
import { type AskedPolicy, literalIn, whyNotHost } from "./asked.ts";
import { variablesIn } from "./variables.ts";

/** The person who chose a name: the author of an Ingress, or the operator. */
export type ChosenBy = "ingress" | "operator";

const zone = "sluice.internal";
const letters = { ingress: "t", operator: "o" } as const;

/** Host and port of an absolute URL as its author wrote them, with variables. */
export interface Origin {
  readonly scheme: "http" | "https";
  readonly host: string;
  /** A number or a variable; undefined for the usual port of the scheme. */
  readonly port: string | undefined;
}

/**
 * Returns the scheme, host and port at the beginning of `url`; undefined if it does not begin
 * with them.
 */
export function originOf(url: string): Origin | undefined {
  const found = /^(https?):\/\/(\[[\da-f:.]+\]|[^/:?&=,[\]]+)(?::(\d{1,5}|\$\w+|\$\{\w+\}))?/i.exec(url);
  if (found === null) return undefined;
  const [, scheme = "", host = "", port] = found;
  return { scheme: scheme.toLowerCase() === "https" ? "https" : "http", host, port };
}

const portOf = ({ scheme, port }: Origin): string => port ?? (scheme === "https" ? "443" : "80");

/**
 * Variables that a host may have, because clients cannot choose their values. `$host` is the
 * exception, but routing has already checked it.
 */
const hostVariables = new Set(["host", "namespace", "ingress_name", "service_name", "server_name"]);
const portVariables = new Set(["service_port", "server_port"]);

/**
 * Returns why nginx may not connect to `origin`; undefined if it may. `own` decides which other
 * variables are the operator's own.
 */
export function whyNotOrigin(
  origin: Origin,
  policy: AskedPolicy,
  own: (variable: string) => boolean = () => false,
): string | undefined {
  const { host, port } = origin;
  const chosen = variablesIn(host).find((name) => !hostVariables.has(name) && !own(name));
  if (chosen !== undefined) return `its host holds $${chosen}; of what a client says only $host may stand there`;
  const chosenPort = variablesIn(port ?? "").find((name) => !portVariables.has(name) && !own(name));
  if (chosenPort !== undefined) return `its port is $${chosenPort}, and no client may choose a port`;
  if (host.replace(/\$(?:\{[a-z_]\w*\}|[a-z_]\w*)/gi, "").includes("$"))
    return "its host holds a $ that begins no variable";
  if (host.includes("$")) return undefined;
  return whyNotHost(host, Number(portOf(origin)), policy);
}

/** Whether the origin has no variables. */
export function isLiteralOrigin({ host, port = "" }: Origin): boolean {
  return !port.includes("$") && literalIn(host) === host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
}

/**
 * A variable of the template, which has the value of $host only if that is a plain name: nginx
 * accepts a Host with a "?", and an address would end there.
 */
export const namedHost = "named_host";

/**
 * Returns `url` with the checked name in place of its host. It is unchanged if the host is an
 * address.
 */
export function checkedUrl(url: string, by: ChosenBy): string {
  const origin = originOf(url);
  if (origin === undefined || isLiteralOrigin(origin)) return url;
  const { scheme, host, port } = origin;
  const length = scheme.length + 3 + host.length + (port === undefined ? 0 : port.length + 1);
  const bare = host
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.{1,250}$/, "")
    .replace(/\$(?:host\b|\{host\})/g, `\${${namedHost}}`);
  const number = portOf(origin);
  return `${scheme}://${bare}.${number}.${letters[by]}.${zone}:${number}${url.slice(length)}`;
}

export interface CheckedName {
  /** In lower case: a name, or an address in any spelling. */
  readonly host: string;
  readonly port: number;
  readonly by: ChosenBy;
}

/** Returns the name that `name` stands for; undefined if `checkedUrl` did not make it. */
export function checkedName(name: string): CheckedName | undefined {
  const found = /^(.{1,230})\.(\d{1,5})\.([ot])\.sluice\.internal$/.exec(name.toLowerCase());
  if (found === null) return undefined;
  const [, host = "", port, letter] = found;
  return { host, port: Number(port), by: letter === letters.operator ? "operator" : "ingress" };
}
