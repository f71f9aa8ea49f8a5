/**
 * Prints nginx.conf for `/dbg conf`, with the comment lines that ingress-nginx writes around each
 * host. Its kubectl plugin (`conf --host`) and its users find a host by them; nginx ignores them. A
 * host that is data has no text of its own. Its record stands at the end as comments, and names its
 * shapes in the text.
 */
import { catchAll } from "../core/model/configuration.ts";

const indent = "    ";

/**
 * Returns the text with these comments. `records` are those of shared memory; only the hosts' are
 * shown.
 */
export function markedConf(conf: string, records: ReadonlyMap<string, string>): string {
  const marked = new Set<string>();
  const lines = conf.split("\n");
  const ends = new Map<number, string>();
  const text = lines.flatMap((line, at) => {
    const host = line === `${indent}server {` ? nameIn(lines, at) : undefined;
    const isNew = host !== undefined && !marked.has(host);
    if (isNew) {
      marked.add(host);
      ends.set(lines.indexOf(`${indent}}`, at), host);
    }
    const ended = ends.get(at);
    return [
      ...(isNew ? [`${indent}${startOf(host)}`] : []),
      line,
      ...(ended === undefined ? [] : [`${indent}${endOf(ended)}`]),
    ];
  });
  const data = [...records].flatMap(([key, record]) => {
    const host = key.startsWith("host ") ? key.slice("host ".length) : undefined;
    return host === undefined || marked.has(host) ? [] : dataOf(host, record);
  });
  return `${[...text, ...data].join("\n")}${data.length === 0 ? "" : "\n"}`;
}

const startOf = (host: string): string => `## start server ${host}`;
const endOf = (host: string): string => `## end server ${host}`;

/**
 * Returns the first name of the server block that begins at this line; `_` for the server of all
 * other names.
 */
function nameIn(lines: readonly string[], at: number): string | undefined {
  const line = lines.slice(at, lines.indexOf(`${indent}}`, at)).find((one) => /^ +server_name /.test(one));
  return /^ +server_name (?:"([^"\\]+)"|(_))/
    .exec(line ?? "")
    ?.slice(1)
    .find((name) => name !== undefined);
}

/**
 * Returns the record of a host as comments. JSON keeps each text on one line, so no text can end
 * its comment.
 */
function dataOf(host: string, record: string): string[] {
  const json = JSON.stringify(JSON.parse(record), null, 2);
  const shown = json.split("\n").map((line) => `#   ${line}`);
  return [
    startOf(host),
    `# Data in shared memory, by which the server ${catchAll} above finds its locations:`,
    ...shown,
    endOf(host),
  ];
}
