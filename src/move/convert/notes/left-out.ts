/** Returns one sentence for each part of the Ingresses that no written object has. */
import { catchAll, type StreamServer } from "../../../core/model/configuration.ts";
import { isOfField, isRefusal, type Problem, sentence } from "../../../core/model/problem.ts";
import { severityOf } from "../../../core/model/problem-kinds.ts";
import type { Kept } from "../kept.ts";
import type { Note } from "../written.ts";

const asServed = "it is converted as it is served, and not as it is written";

export interface LeftOut {
  /** Keys of the Ingresses that are ours. */
  readonly accepted: ReadonlySet<string>;
  readonly kept: Kept;
  /** Keyed by `namespace/name` of the Ingress. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  /** Returns the annotations of an Ingress that are not converted. */
  annotations(key: string): readonly string[];
}

export function leftOutNotes({ accepted, kept, problems, annotations }: LeftOut): readonly Note[] {
  const ofIngresses = [...accepted].sort().flatMap((key): readonly Note[] => {
    const about = `Ingress ${key}`;
    const own = problems.get(key) ?? [];
    const refusal = own.find(isRefusal);
    const taken = own.filter(({ kind }) => kind === "path-taken");
    const others = refusal === undefined ? own.filter(isUnserved) : [];
    if (kept.ingresses.has(key)) return [];
    return [
      ...annotations(key).map((text) => ({ about, text: `${text}; no route gets it` })),
      ...(refusal === undefined ? [] : [{ about, text: `it is not served, and not converted: ${sentence(refusal)}` }]),
      ...taken.map((problem) => ({ about, text: `${sentence(problem)}; the path is left out` })),
      ...others.map((problem) => ({ about, text: `${asServed}: ${sentence(problem)}` })),
    ];
  });
  const ofHosts = [...kept.why].map(([host, why]): Note => {
    const about = host === catchAll ? "requests without a host of an Ingress" : `host ${host}`;
    return { about, text: `it ${why}; it stays with its Ingresses` };
  });
  return [...ofHosts, ...ofIngresses];
}

/** Returns notes on ports of the ConfigMaps for TCP and UDP, which belong to no Ingress. */
export function streamNotes(streams: readonly StreamServer[]): readonly Note[] {
  return (["tcp", "udp"] as const).flatMap((kind): Note[] => {
    const ports = streams.flatMap((one) => (one.kind === kind ? [one.port] : []));
    if (ports.length === 0) return [];
    const text = `it has ${ports.length === 1 ? "port" : "ports"} ${ports.join(", ")}, which stay as they are: no Ingress has them`;
    const route = `a ${kind.toUpperCase()}Route does the same on a listener of the protocol ${kind.toUpperCase()}`;
    return [{ about: `the ConfigMap of --${kind}-services-configmap`, text: `${text}; ${route}` }];
  });
}

/**
 * Whether a part of the Ingress is not served, and the other notes do not name it. A certificate
 * that is not served is a difference, so the proof reports it.
 */
function isUnserved(problem: Problem): boolean {
  if (severityOf(problem) !== "error") return false;
  if (problem.kind === "annotation-unreadable") return problem.done === "deny";
  return isOfField(problem) || problem.kind === "host-refused";
}
