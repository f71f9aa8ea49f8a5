/** Writes the Gateway, and ListenerSets for listeners beyond the number that a Gateway may have. */
import { gatewayGroup, type ParentReference } from "../../core/model/gateway/objects.ts";
import type { Plan, PlannedListener } from "./listeners.ts";
import { chunksOf } from "./split.ts";
import type { Note, Written, WrittenObject } from "./written.ts";

/** The parts of `namespace/name`. */
export interface GatewayName {
  readonly namespace: string;
  readonly name: string;
}

/** The most listeners that one Gateway or ListenerSet may have. */
const mostListeners = 64;

export interface WrittenGateway {
  readonly objects: readonly Written[];
  /** The listeners, each with the kind of the object that has it. */
  readonly held: readonly (PlannedListener & { readonly by: "Gateway" | "ListenerSet" })[];
  /** Returns the parent that has the listener with this name. */
  readonly parentOf: (listener: string) => ParentReference;
  readonly notes: readonly Note[];
}

export function writtenGateway(gateway: GatewayName, className: string, { listeners }: Plan): WrittenGateway {
  const groups = chunksOf(listeners, mostListeners);
  const { namespace, name } = gateway;
  const [own = [], ...sets] = groups;
  const spec = {
    gatewayClassName: className,
    ...(sets.length === 0 ? {} : { allowedListeners: { namespaces: { from: "Same" } } }),
    listeners: own.map(({ listener }) => listener),
  };
  const metadata = { name, namespace };
  const first: WrittenObject = { apiVersion: `${gatewayGroup}/v1`, kind: "Gateway", metadata, spec };
  const more = sets.map((set, at) => setOf(gateway, `${name}-${at + 2}`, set));
  const holder = new Map(groups.flatMap((group, at) => group.map(({ listener }) => [listener.name, at] as const)));
  const notes: Note[] = [];
  if (sets.length > 0) {
    const text = `a Gateway may have ${mostListeners} listeners, and ${listeners.length} are needed; ${sets.length === 1 ? "a ListenerSet has" : `${sets.length} ListenerSets have`} the others`;
    notes.push({ about: `Gateway ${namespace}/${name}`, text });
  }
  return {
    objects: [{ object: first, comments: commentsOf(own) }, ...more],
    held: groups.flatMap((group, at) =>
      group.map((one) => ({ ...one, by: at === 0 ? "Gateway" : "ListenerSet" }) as const),
    ),
    parentOf: (listener) => {
      const at = holder.get(listener) ?? 0;
      const set = at === 0 ? {} : { group: gatewayGroup, kind: "ListenerSet" };
      return { ...set, name: at === 0 ? name : `${name}-${at + 1}`, namespace, sectionName: listener };
    },
    notes,
  };
}

function setOf({ namespace, name }: GatewayName, own: string, set: readonly PlannedListener[]): Written {
  const parentRef = { group: gatewayGroup, kind: "Gateway", name };
  return {
    object: {
      apiVersion: `${gatewayGroup}/v1`,
      kind: "ListenerSet",
      metadata: { name: own, namespace },
      spec: { parentRef, listeners: set.map(({ listener }) => listener) },
    },
    comments: commentsOf(set),
  };
}

function commentsOf(listeners: readonly PlannedListener[]) {
  return listeners.map(({ comment }, at) => ({ at: ["spec", "listeners", at], text: comment }));
}
