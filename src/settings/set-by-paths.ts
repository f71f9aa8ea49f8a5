/**
 * Moves lines that each path sets anew, such as `proxy_read_timeout`, from the top level of an
 * http-snippet or a server-snippet into its own locations. ingress-nginx has these lines in each
 * path's location, so those around it count for the locations of the snippet alone. Sluice has them
 * once, in the http block: nginx would refuse a second line there, and paths would inherit those of
 * a server.
 */
import { parse, type Statement } from "../kinds/grammar.ts";

/** The directives, each with the annotation and key of the ConfigMap that sets it for paths. */
const keys: ReadonlyMap<string, string> = new Map([
  ["client_max_body_size", "proxy-body-size"],
  ["proxy_buffers", "proxy-buffers-number"],
  ["proxy_redirect", "proxy-redirect-from"],
  ...["connect", "send", "read"].flatMap((one) => [
    [`proxy_${one}_timeout`, `proxy-${one}-timeout`] as const,
    [`grpc_${one}_timeout`, `proxy-${one}-timeout`] as const,
  ]),
  ...[
    "proxy-buffering proxy-buffer-size proxy-busy-buffers-size proxy-max-temp-file-size",
    "proxy-request-buffering proxy-http-version proxy-cookie-domain proxy-cookie-path",
    "proxy-next-upstream proxy-next-upstream-timeout proxy-next-upstream-tries",
  ].flatMap((line) => line.split(" ").map((key) => [key.replaceAll("-", "_"), key] as const)),
]);

/** Returns the text with these lines in its locations and servers. Line numbers do not change. */
export function withoutSetByPaths(text: string): string {
  const statements = statementsOf(text);
  const moved = statements.filter(isSetByPaths);
  if (moved.length === 0) return text;
  let rest = text;
  for (const { name, from, text: own, block = [] } of statements.toReversed()) {
    if (keys.has(name)) rest = rest.slice(0, from) + own.replace(/[^\n]/g, "") + rest.slice(from + own.length);
    const first = name === "location" || name === "server" ? block[0] : undefined;
    if (first === undefined) continue;
    const lacking = moved.filter((one) => block.every((inner) => inner.name !== one.name));
    const added = lacking.map((one) => `${one.text.replace(/\s+/g, " ")} `).join("");
    rest = rest.slice(0, first.from) + added + rest.slice(first.from);
  }
  return rest;
}

/** Returns why each of these lines counts for no path. */
export function setByPaths(text: string, what: "annotation" | "key"): readonly string[] {
  return statementsOf(text)
    .filter(isSetByPaths)
    .map(({ name, line }) => {
      return `line ${line}: ${name} counts for no path, because each has its own value; use the ${what} ${keys.get(name)}`;
    });
}

const isSetByPaths = ({ name }: Statement): boolean => keys.has(name);

function statementsOf(text: string): readonly Statement[] {
  const parsed = parse(text);
  return parsed.ok ? parsed.statements : [];
}
