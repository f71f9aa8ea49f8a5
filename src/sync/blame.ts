/**
 * Whose text stands at a line of nginx.conf. A location made of a shape belongs to every Ingress that has the shape, which
 * the records say; one of static mode says its Ingress itself; what stands in a server outside of locations belongs to all
 * Ingresses of the host; anything else is the operator's.
 */

export interface Blame {
  /** Keys of Ingresses, `namespace/name`. */
  readonly ingresses: ReadonlySet<string>;
}

interface HostRecord {
  readonly locations: readonly { readonly shape: string; readonly namespace?: string; readonly ingress?: string }[];
}

/** `line` counts from 1, as nginx does. */
export function blame(conf: string, line: number, records: ReadonlyMap<string, string>): Blame {
  const above = conf.split("\n").slice(0, line);
  const at = above.findLastIndex((text) => /^\s*location\s/.test(text));
  const server = above.findLastIndex((text) => /^\s*server_name\s/.test(text));
  if (at > server) {
    const shape = /location (@[0-9a-f]{16}) /.exec(above[at]!)?.[1];
    return { ingresses: shape === undefined ? labelsBelow(conf, at) : havingShape(shape, records) };
  }
  const host = server < 0 ? undefined : /server_name\s+"?([^"\s;]+)/.exec(above[server]!)?.[1];
  return { ingresses: host === undefined ? new Set() : ofHost(host, records) };
}

function havingShape(shape: string, records: ReadonlyMap<string, string>): Set<string> {
  const found = new Set<string>();
  for (const [key, text] of records) {
    if (!key.startsWith("host ") || !text.includes(shape)) continue;
    for (const location of (JSON.parse(text) as HostRecord).locations) {
      if (location.shape === shape && location.ingress !== undefined)
        found.add(`${location.namespace}/${location.ingress}`);
    }
  }
  return found;
}

function ofHost(host: string, records: ReadonlyMap<string, string>): Set<string> {
  const text = records.get(`host ${host}`);
  const locations = text === undefined ? [] : (JSON.parse(text) as HostRecord).locations;
  return new Set(
    locations.flatMap(({ namespace, ingress }) => (ingress === undefined ? [] : [`${namespace}/${ingress}`])),
  );
}

/** The labels of a static location are its first lines. */
function labelsBelow(conf: string, at: number): Set<string> {
  const lines = conf.split("\n").slice(at, at + 12);
  const value = (name: string) =>
    lines.map((text) => new RegExp(`set \\$${name} "([^"]*)"`).exec(text)?.[1]).find(Boolean);
  const [namespace, name] = [value("namespace"), value("ingress_name")];
  return new Set(namespace === undefined || name === undefined ? [] : [`${namespace}/${name}`]);
}
