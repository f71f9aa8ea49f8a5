/**
 * Gathers the requests of an access log, of a file, and of the routes of a folder or a cluster.
 * Each request is sent once.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileError } from "../../base/file-errors.ts";
import { counted } from "../../tools/words.ts";
import type { Address } from "../replay/address.ts";
import { withoutCredentials } from "../replay/credentials.ts";
import type { RouteRequests } from "../replay/probes.ts";
import { keyOf, type ReplayedRequest } from "../replay/request.ts";
import { type LoggedRequest, lineReader } from "./log-lines.ts";
import { requestsIn } from "./request-lines.ts";
import type { Host } from "./upstream-hosts.ts";

export interface Sources {
  /** Paths of files; `-` is standard input. */
  readonly log?: string;
  readonly requests?: string;
  readonly routes?: RouteRequests;
  /** A log_format, for logs that are not in a known form. */
  readonly logFormat?: string;
  /** Hosts for lines of a log that have none. */
  readonly hosts: readonly Host[];
  readonly hostsOf?: (upstream: string, target: string) => readonly Host[];
  /** Whether credentials in the log are sent. */
  readonly credentials: boolean;
  /** The most requests that are taken. */
  readonly limit: number;
}

export type Gathered =
  | {
      readonly ok: true;
      readonly requests: readonly ReplayedRequest[];
      /** Sentences about what is left out. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

/** A longer line cannot be a request of a client. */
const longestLine = 64 * 1024;

export async function gather(sources: Sources): Promise<Gathered> {
  const all = new Map<string, ReplayedRequest>();
  const notes: string[] = [];
  const add = (request: ReplayedRequest) => {
    if (all.size < sources.limit) all.set(keyOf(request), request);
    return all.size < sources.limit;
  };
  let reading = "";
  try {
    if (sources.requests !== undefined) {
      reading = sources.requests;
      const read = requestsIn(await text(opened(sources.requests)));
      if (!read.ok) return { ok: false, why: `${named(sources.requests)}: ${read.why}` };
      read.requests.every(add);
    }
    sources.routes?.requests.every(add);
    for (const route of sources.routes?.untried ?? [])
      notes.push(`no request is made for the pattern ${route}; name one with --requests`);
    if (sources.log !== undefined) {
      reading = sources.log;
      notes.push(...(await readLog(sources, sources.log, add)));
    }
  } catch (error) {
    return { ok: false, why: `${named(reading)} cannot be read: ${fileError(error)}` };
  }
  if (all.size >= sources.limit) notes.push(`only the first ${sources.limit} requests are sent; --limit allows more`);
  return { ok: true, requests: [...all.values()], notes };
}

const named = (path: string): string => (path === "-" ? "standard input" : path);
const opened = (path: string) => (path === "-" ? process.stdin : createReadStream(path));

async function readLog(sources: Sources, path: string, add: (request: ReplayedRequest) => boolean): Promise<string[]> {
  const read = lineReader(sources.logFormat);
  const input = opened(path);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  let [found, without, others] = [0, 0, 0];
  // The stream reports a file that cannot be opened.
  const failed = new Promise<never>((_, reject) => input.once("error", reject));
  const whole = (async () => {
    for await (const line of lines) {
      const logged = line.length > longestLine ? undefined : read(line);
      if (logged === undefined) {
        if (line !== "") others += 1;
        continue;
      }
      found += 1;
      const requests = requestsFor(logged, sources);
      if (requests.length === 0) without += 1;
      if (!requests.every(add)) break;
    }
  })();
  await Promise.race([whole, failed]);
  if (found === 0)
    return [`${named(path)} has no GET that could be read; --log-format takes the log_format of its lines`];
  const left = `${counted(others, "line")} of the log left out, because only GETs that can be read are sent again`;
  const unnamed = `${without} of ${found} GETs of the log name no host; --host NAME, --routes FOLDER or --kubeconfig gives them one`;
  return [...(others === 0 ? [] : [left]), ...(without === 0 ? [] : [unnamed])];
}

function requestsFor(logged: LoggedRequest, { hosts, hostsOf, credentials }: Sources): readonly ReplayedRequest[] {
  const { host, scheme, upstream, target, headers } = logged;
  const known: readonly Host[] =
    host !== undefined
      ? [{ name: host, scheme: scheme ?? "http" }]
      : upstream === undefined
        ? hosts
        : [...(hostsOf?.(upstream, target) ?? []), ...hosts];
  return known.map((one) => ({
    method: "GET",
    scheme: scheme ?? one.scheme,
    host: one.name,
    target: credentials ? target : withoutCredentials(target),
    headers: new Map(credentials ? Object.entries(headers) : []),
  }));
}

/** Keeps the requests whose scheme both addresses have, and counts the others. */
export function askable(
  requests: readonly ReplayedRequest[],
  old: Address,
  fresh: Address,
): { readonly requests: readonly ReplayedRequest[]; readonly notes: readonly string[] } {
  const notes = (["http", "https"] as const).flatMap((scheme) => {
    const count = requests.filter((one) => one.scheme === scheme).length;
    const lacking = old[scheme] === undefined ? "OLD" : fresh[scheme] === undefined ? "NEW" : undefined;
    if (count === 0 || lacking === undefined) return [];
    return [`${counted(count, "request")} over ${scheme} left out, because ${lacking} names no ${scheme} address`];
  });
  return {
    requests: requests.filter(({ scheme }) => old[scheme] !== undefined && fresh[scheme] !== undefined),
    notes,
  };
}
