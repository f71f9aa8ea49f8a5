/**
 * Everything that nginx may refuse, in one table. For each kind of suspect, a row finds changes and
 * versions, and the form that replaces a refused version. A new kind needs a new row.
 */
import { type KubernetesObject, kindAndKey, objectKey } from "../model/objects.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Table } from "../model/table.ts";
import type { LastGood } from "../table/last-good.ts";
import { type Quarantine, type Versioned, versionOf } from "../table/quarantine.ts";

/** ConfigMaps of the controller, by `namespace/name`. */
export interface OwnConfigMaps {
  readonly settings: string | undefined;
  readonly tcp: string | undefined;
  readonly udp: string | undefined;
}

/** Returns the table. Kinds of objects have their Kubernetes names. */
function rowsOf(own: OwnConfigMaps) {
  return {
    Ingress: objectRow("Ingress", ({ ingresses }) => ingresses),
    Gateway: objectRow("Gateway", ({ gateways }) => gateways),
    HTTPRoute: objectRow("HTTPRoute", ({ httpRoutes }) => httpRoutes),
    GRPCRoute: objectRow("GRPCRoute", ({ grpcRoutes }) => grpcRoutes),
    TLSRoute: objectRow("TLSRoute", ({ tlsRoutes }) => tlsRoutes),
    TCPRoute: objectRow("TCPRoute", ({ tcpRoutes }) => tcpRoutes),
    UDPRoute: objectRow("UDPRoute", ({ udpRoutes }) => udpRoutes),
    ListenerSet: objectRow("ListenerSet", ({ listenerSets }) => listenerSets),
    BackendTLSPolicy: objectRow("BackendTLSPolicy", ({ backendTLSPolicies }) => backendTLSPolicies),
    RouteSettings: objectRow("RouteSettings", ({ routeSettings }) => routeSettings),
    setting: settingRow(own.settings),
    port: portRow(own),
  } satisfies Record<string, Row>;
}

export type SuspectKind = keyof ReturnType<typeof rowsOf>;

/** `Ingress shop/web`, `setting proxy-body-size` or `port tcp/5432`. */
export type Suspect = `${SuspectKind} ${string}`;

interface Row {
  /** The name of the Quarantine's map with its refusals. */
  readonly refusals: keyof Quarantine;
  /** Returns keys that differ between two Snapshots and exist in `now`. */
  changed(now: Snapshot, live: Snapshot): readonly string[];
  /** Returns a text that identifies the version under `key`; undefined if there is none. */
  version(snapshot: Snapshot, key: string): string | undefined;
  /** Absent if nothing can replace a refused version. */
  readonly lastGood?: {
    form(snapshot: Snapshot, key: string): unknown;
    /** Returns `lastGood` with this form, which replaces refused versions from now on. */
    with(lastGood: LastGood, key: string, form: unknown): LastGood;
  };
}

export class Suspects {
  readonly #rows: Readonly<Record<SuspectKind, Row>>;

  constructor(own: OwnConfigMaps) {
    this.#rows = rowsOf(own);
  }

  get kinds(): readonly SuspectKind[] {
    return Object.keys(this.#rows) as SuspectKind[];
  }

  row(suspect: Suspect): Row {
    return this.#rows[kindAndKey(suspect)[0] as SuspectKind];
  }

  /** Whether there is a row for this kind. */
  has(called: string): called is Suspect {
    return kindAndKey(called)[0] in this.#rows;
  }

  /** Returns all changes of the kinds whose refusals are in `group`. */
  changed(group: keyof Quarantine, now: Snapshot, live: Snapshot): Suspect[] {
    const kinds = this.kinds.filter((kind) => this.#rows[kind].refusals === group);
    return kinds.flatMap((kind) => this.#rows[kind].changed(now, live).map((key): Suspect => `${kind} ${key}`));
  }

  version(snapshot: Snapshot, suspect: Suspect): string | undefined {
    return this.row(suspect).version(snapshot, kindAndKey(suspect)[1]);
  }

  /** Returns the suspect whose refusal is under `key` of `group`. */
  at(group: keyof Quarantine, key: string): Suspect {
    if (group === "objects") return key as Suspect;
    return group === "settings" ? `setting ${key}` : `port ${key}`;
  }
}

/** Returns the key of the suspect's refusal. */
export function refusalKey({ refusals }: Pick<Row, "refusals">, suspect: Suspect): string {
  return refusals === "objects" ? suspect : kindAndKey(suspect)[1];
}

/** Returns a row for objects of one kind. */
function objectRow(kind: string, tableOf: (snapshot: Snapshot) => Table<KubernetesObject & Versioned>): Row {
  return {
    refusals: "objects",
    changed: (now, live) =>
      tableOf(now)
        .changesSince(tableOf(live))
        .flatMap(({ key, after }) => (after === undefined ? [] : [key])),
    version: (snapshot, key) => {
      const object = tableOf(snapshot).get(key);
      return object && versionOf(object);
    },
    lastGood: {
      form: (snapshot, key) => tableOf(snapshot).get(key),
      with: (lastGood, key, form) => {
        const good = [objectKey(kind, key), form as KubernetesObject] as const;
        return { ...lastGood, objects: lastGood.objects.with([good]) };
      },
    },
  };
}

/** Returns the row for keys of the ConfigMap of settings, in lower case. */
function settingRow(configMap: string | undefined): Row {
  const textOf = (snapshot: Snapshot, key: string) => {
    const data = dataOf(snapshot, configMap);
    const spelling = key in data ? key : Object.keys(data).find((one) => one.toLowerCase() === key);
    return spelling === undefined ? undefined : data[spelling];
  };
  return {
    refusals: "settings",
    changed: (now, live) => changedKeys(now, live, configMap).map((key) => key.toLowerCase()),
    version: textOf,
    lastGood: {
      form: textOf,
      with: (lastGood, key, form) => ({ ...lastGood, settings: { ...lastGood.settings, [key]: form as string } }),
    },
  };
}

/** Returns the row for ports of TCP and UDP services, such as `tcp/5432`. */
function portRow(own: Pick<OwnConfigMaps, "tcp" | "udp">): Row {
  const protocols = ["tcp", "udp"] as const;
  return {
    refusals: "ports",
    changed: (now, live) =>
      protocols.flatMap((protocol) => changedKeys(now, live, own[protocol]).map((port) => `${protocol}/${port}`)),
    version: (snapshot, port) => {
      const [protocol, number = ""] = port.split("/");
      return dataOf(snapshot, protocol === "tcp" ? own.tcp : own.udp)[number];
    },
  };
}

function changedKeys(now: Snapshot, live: Snapshot, configMap: string | undefined): string[] {
  const [data, before] = [dataOf(now, configMap), dataOf(live, configMap)];
  return Object.keys(data).filter((key) => data[key] !== before[key]);
}

function dataOf(snapshot: Snapshot, configMap: string | undefined): Readonly<Record<string, string>> {
  return (configMap === undefined ? undefined : snapshot.configMaps.get(configMap)?.data) ?? {};
}
