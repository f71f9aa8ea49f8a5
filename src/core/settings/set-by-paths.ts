/**
 * Moves lines that each path sets anew, such as `proxy_read_timeout`, from the top level of an
 * http-snippet or a server-snippet into its own locations. ingress-nginx has these lines in each
 * path's location, so those around it count for the locations of the snippet alone. Sluice has them
 * once, in the http block: nginx would refuse a second line there, and paths would inherit those of
 * a server.
 */
import { parse, type Statement } from "../kinds/grammar.ts";
import { longestText } from "../kinds/kind.ts";
import { withInsertions } from "./insertions.ts";

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

/** The most characters that are added: an author may write thousands of lines and locations. */
const mostAdded = longestText;

/**
 * Returns the text with these lines in its locations and servers. Line numbers do not change. A
 * text that would grow too much stays as it is.
 */
export function withoutSetByPaths(text: string): string {
  const statements = statementsOf(text);
  const moved = statements.filter(isSetByPaths);
  if (moved.length === 0) return text;
  const lines = moved.map((one) => ({ name: one.name, line: written(one) }));
  const places = statements.filter(({ name, block = [] }) => /^(location|server)$/.test(name) && block.length > 0);
  const length = lines.reduce((sum, { line }) => sum + line.length, 0);
  if (length * places.length > mostAdded) return text;
  return withInsertions(text, [
    ...moved.map(({ from, text: own }) => ({ at: from, text: own.replace(/[^\n]/g, ""), replaces: own.length })),
    ...places.map(({ block = [] }) => {
      const said = new Set(block.map(({ name }) => name));
      const lacking = lines.filter(({ name }) => !said.has(name));
      return { at: block[0]!.from, text: lacking.map(({ line }) => line).join("") };
    }),
  ]);
}

/**
 * Writes the line from its words. Its own text may have a comment, which would swallow what follows
 * it, even a brace.
 */
function written({ name, args }: Statement): string {
  return `${[name, ...args.map((arg) => (/^[\w.:/$-]+$/.test(arg) ? arg : quotedWord(arg)))].join(" ")}; `;
}

const controls: Readonly<Record<string, string>> = { "\t": "\\t", "\r": "\\r", "\n": "\\n" };

function quotedWord(arg: string): string {
  const escaped = arg.replace(/[\\"]/g, "\\$&").replace(/[\t\r\n]/g, (one) => controls[one]!);
  return `"${escaped}"`;
}

/** Returns why each of these lines counts for no path. */
export function setByPaths(text: string, what: "annotation" | "key"): readonly string[] {
  return statementsOf(text)
    .filter(isSetByPaths)
    .map(({ name, line }) => {
      return `line ${line}: ${name} counts for no path, because each has its own value; use the ${what} ${keys.get(name)}`;
    });
}

const isSetByPaths = ({ name, block }: Statement): boolean => block === undefined && keys.has(name);

function statementsOf(text: string): readonly Statement[] {
  const parsed = parse(text);
  return parsed.ok ? parsed.statements : [];
}
