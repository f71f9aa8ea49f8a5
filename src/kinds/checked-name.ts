/**
 * Names that are checked where they are used. nginx asks its resolver for
 * `auth.example.443.t.sluice.internal` in the place of `auth.example`, the controller looks up the
 * latter, and answers with those addresses that may be asked on that port. No block of nginx has
 * such a name, and neither an address nor a socket can be one, so nothing goes past this check.
 */
import { type AskedPolicy, literalIn, whyNotHost } from "./asked.ts";
import { variablesIn } from "./variables.ts";

/** The one who chose a name: an Ingress's author, or the operator. */
export type ChosenBy = "ingress" | "operator";

const zone = "sluice.internal";
const letters = { ingress: "t", operator: "o" } as const;

/** Host and port of an absolute URL as its author wrote them, with variables. */
export interface Origin {
  readonly scheme: "http" | "https";
  readonly host: string;
  /** A number, or a variable; undefined: that of the scheme. */
  readonly port: string | undefined;
}

/**
 * The scheme, host and port at the beginning of `url`; undefined where it does not begin with them.
 */
export function originOf(url: string): Origin | undefined {
  const found = /^(https?):\/\/(\[[\da-f:.]+\]|[^/:?&=,[\]]+)(?::(\d{1,5}|\$\w+|\$\{\w+\}))?/i.exec(url);
  if (found === null) return undefined;
  const [, scheme = "", host = "", port] = found;
  return { scheme: scheme.toLowerCase() === "https" ? "https" : "http", host, port };
}

const portOf = ({ scheme, port }: Origin): string => port ?? (scheme === "https" ? "443" : "80");

/**
 * Variables of a host that no client chooses but `$host`, which is the host that routing has
 * decided.
 */
const hostVariables = new Set(["host", "namespace", "ingress_name", "service_name", "server_name"]);
const portVariables = new Set(["service_port", "server_port"]);

/**
 * Why nginx may not ask `origin`; undefined where it may. `own` says which other variables are the
 * operator's own.
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

/** Whether all of it is known and need not be looked up. */
export function isLiteralOrigin({ host, port = "" }: Origin): boolean {
  return !port.includes("$") && literalIn(host) === host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
}

/**
 * Names and nothing else of $host, since nginx takes a Host with a "?" in it, and an address ends
 * there. A map of the template.
 */
export const namedHost = "named_host";

/**
 * `url` with the name that is checked in the place of its host; as it is where that is an address.
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
  /** In lower case: a name, or an address in some spelling. */
  readonly host: string;
  readonly port: number;
  readonly by: ChosenBy;
}

/**
 * The name that `name` asks about; undefined for a name that nginx has not made of `checkedUrl`.
 */
export function checkedName(name: string): CheckedName | undefined {
  const found = /^(.{1,230})\.(\d{1,5})\.([ot])\.sluice\.internal$/.exec(name.toLowerCase());
  if (found === null) return undefined;
  const [, host = "", port, letter] = found;
  return { host, port: Number(port), by: letter === letters.operator ? "operator" : "ingress" };
}
