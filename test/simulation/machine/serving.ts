/**
 * What the workers of one generation answer: the text that they run, and the records of their
 * memory. It mirrors route.lua: the newest records decide. If they lead to a shape that the text
 * lacks, the request is decided once more, with the newest form of each host that the text can
 * serve (forms.lua).
 */
import type { Served } from "../../../src/ask/matcher/host.ts";
import { catchAll, type Location, type Server } from "../../../src/core/model/configuration.ts";
import { partsOf } from "../../../src/core/model/listeners.ts";
import { hostKey, replacedKey, sniKey, upstreamKey } from "../../../src/core/model/records.ts";
import { Table } from "../../../src/core/model/table.ts";
import type { FeatureValues } from "../../../src/core/policies/registry.ts";
import type { Meanings } from "./meanings.ts";
import type { Generation } from "./nginx.ts";

/** A way to decide requests. */
export interface Serving {
  readonly served: Served;
  /** Whether the text has the shapes that the Location needs. */
  readonly serves: (location: Location<FeatureValues>) => boolean;
  /** Whether the host has an earlier form than its newest one. */
  readonly isFormer: (host: string) => boolean;
}

export interface Worker {
  /** The first one that serves a request counts; none if there are no records yet. */
  readonly ways: readonly Serving[];
  /** Returns the fingerprint of the certificate for a name. */
  readonly certificate: (name: string) => string | undefined;
}

interface FormLocation {
  readonly shape?: string;
  readonly standIn?: { readonly shape?: string };
  readonly backends?: readonly { readonly shape?: string }[];
}

interface Form {
  readonly locations?: readonly FormLocation[];
  readonly text?: number;
  readonly as?: string;
  readonly to?: string;
}

export function workerOf(generation: Generation, meanings: Meanings): Worker {
  const { records } = generation.memory;
  const certificate = (name: string) => {
    const id = records.get(sniKey(name)) ?? "default";
    return meanings.pair(`pair ${id}`, records.get(`pair ${id}`) ?? "");
  };
  if (!records.has("instance") || meanings.text(generation.text.generation) === undefined)
    return { ways: [], certificate };
  const ways = [servingBy(generation, meanings, false), servingBy(generation, meanings, true)];
  return { ways: ways.filter((way) => way !== undefined), certificate };
}

function servingBy({ text, memory }: Generation, meanings: Meanings, isFormer: boolean): Serving | undefined {
  const { records } = memory;
  const made = meanings.text(text.generation)!;
  const slots = new Set([...text.shapes].map((place) => place.slice(0, place.lastIndexOf("@"))));
  const lacking = new Set<Location<FeatureValues>>();
  const former = new Set<string>();
  const servers = new Map<string, Server<FeatureValues>>();
  for (const [key, newest] of records) {
    if (!key.startsWith("host ")) continue;
    const name = key.slice("host ".length);
    const slot = partsOf(name).listener === undefined && slots.has(name) ? name : "";
    const has = (one: Form) =>
      (slot !== "" || one.text === undefined) && shapesOf(one).every((shape) => text.shapes.has(`${slot}${shape}`));
    const form = isFormer ? formOf(key, newest, records, has) : newest;
    if (form !== newest) former.add(partsOf(name).name);
    const server = form === undefined ? undefined : meanings.server(key, form, text);
    if (form === undefined || server === undefined) continue;
    const mine = withTextOf(server, made);
    servers.set(name, mine);
    const read = JSON.parse(form) as Form;
    mine.locations.forEach((location, at) => {
      const own = read.locations?.[at];
      if (own !== undefined && !has({ ...read, locations: [own] })) lacking.add(location);
    });
  }
  const upstreams = [...records].flatMap(([key, record]) => {
    const upstream = key.startsWith(upstreamKey("")) ? meanings.upstream(key, record) : undefined;
    return upstream === undefined ? [] : [[upstream.id, upstream] as const];
  });
  if (!servers.has(catchAll)) return undefined;
  return {
    served: {
      ...made,
      servers: Table.from(servers),
      upstreams: Table.from(upstreams),
      listenerPorts: meanings.ports(records) ?? made.listenerPorts,
    },
    serves: (location) => !lacking.has(location),
    isFormer: (host) => former.has(host),
  };
}

/** Returns the text of the form that a server with these shapes serves; undefined if none. */
function formOf(
  key: string,
  newest: string,
  records: ReadonlyMap<string, string>,
  has: (form: Form) => boolean,
): string | undefined {
  const read = JSON.parse(newest) as Form;
  const target = read.as === undefined ? read : (JSON.parse(records.get(hostKey(read.as)) ?? "{}") as Form);
  if (has(target)) return newest;
  const before = records.get(replacedKey(key));
  if (before === undefined) return newest;
  const forms = JSON.parse(before) as readonly (Form | false)[];
  const found = forms.find((form) => form === false || has(form));
  const form = found === undefined ? forms.at(-1) : found;
  return form === false || form === undefined ? undefined : JSON.stringify(form);
}

const shapesOf = ({ locations = [] }: Form): readonly string[] =>
  locations.flatMap(({ shape, standIn, backends = [] }) =>
    [backends.length === 0 ? shape : undefined, standIn?.shape, ...backends.map((one) => one.shape)].filter(
      (one) => one !== undefined,
    ),
  );

/** Client certificates are asked for by the text alone, whatever the records say. */
function withTextOf(server: Server<FeatureValues>, { servers }: Served): Server<FeatureValues> {
  if (server.listener !== undefined) return server;
  const clientCertificate = servers.get(server.name)?.features.clientCertificate ?? ({ kind: "none" } as const);
  if (clientCertificate === server.features.clientCertificate) return server;
  return { ...server, features: { ...server.features, clientCertificate } };
}
