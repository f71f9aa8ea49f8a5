/**
 * Decides where nginx listens for Gateways: their addresses and ports, and the listeners that
 * cannot have theirs.
 */

import { guarded } from "../../../base/guarded.ts";
import type { ListenerPort } from "../../model/listeners.ts";
import type { StreamPort } from "../../model/streams.ts";
import { Table } from "../../model/table.ts";
import { ageOf } from "../../table/age.ts";
import type { CommonListener } from "../../table/hosts/listener/certificate-owners.ts";
import type { TranslateOptions } from "../../table/options.ts";
import type { Turn } from "../../table/turn.ts";
import { type Assignment, addressesOfIngresses, assignAddresses } from "./addresses.ts";
import type { Fault } from "./conditions.ts";
import { guardedPort, guardsOf } from "./listener/guarded-port.ts";
import { ownPorts, type Placed, servicePorts } from "./ports.ts";
import type { GatewayReading, ListenerReading } from "./reading.ts";
import { OwnServices } from "./services/own-services.ts";
import { ingressPorts, machinePorts } from "./shared-ports.ts";

const nowhere: Assignment = { addresses: [], unsupported: undefined, lacking: undefined };

export class Placement {
  readonly #options: TranslateOptions;
  /** The Services of Gateways that have one. */
  readonly services: OwnServices;
  readonly #placed = new Map<string, Placed>();
  #assignments: ReadonlyMap<string, Assignment> = new Map();
  #unavailable: ReadonlyMap<string, Fault> = new Map();
  #ports = Table.empty<ListenerPort>();
  #common: ReadonlyMap<string, CommonListener> = new Map();
  #streams: readonly StreamPort[] = [];
  /** The ports in the ConfigMap of TCP services. */
  #tcpServices: ReadonlySet<number> = new Set();
  /** Whether `#tcpServices` has changed since the last `place`. */
  #hasOtherServices = false;

  constructor(options: TranslateOptions) {
    this.#options = options;
    this.services = new OwnServices(options.gateway);
  }

  /** The ports of streams. It is the same array while nothing changes. */
  get streams(): readonly StreamPort[] {
    return this.#streams;
  }

  get ports(): Table<ListenerPort> {
    return this.#ports;
  }

  /** The listeners on ports of Ingresses, by id. It is the same map while nothing changes. */
  get common(): ReadonlyMap<string, CommonListener> {
    return this.#common;
  }

  /** Whether one of the listeners is on a port of Ingresses. */
  isCommon(listeners: readonly Pick<ListenerReading, "id">[]): boolean {
    return listeners.some(({ id }) => this.#common.has(id));
  }

  /** The reason why a port is not available, by id of the listener. */
  get unavailable(): ReadonlyMap<string, Fault> {
    return this.#unavailable;
  }

  /** Returns the addresses of a Gateway, given by `namespace/name`. */
  assignment(key: string): Assignment {
    return this.#assignments.get(key) ?? nowhere;
  }

  /** Whether addresses or target ports may have changed although no Gateway has. */
  update(turn: Turn): boolean {
    const isOther = this.services.update(turn);
    this.#readTcpServices(turn);
    return (
      isOther || this.#hasOtherServices || turn.now.snapshot.localAddresses !== turn.before.snapshot.localAddresses
    );
  }

  /** Reads the ports of TCP services, without those that nginx refused. */
  #readTcpServices({ before, now, afresh }: Turn): void {
    const { tcpServicesConfigMap: key = "" } = this.#options;
    const map = now.snapshot.configMaps.get(key);
    const refused = now.quarantine.ports;
    if (!afresh && map === before.snapshot.configMaps.get(key) && refused === before.quarantine.ports) return;
    // The reader of TCP services reports a ConfigMap on which Sluice fails.
    const entries = guarded(
      () => Object.entries(map?.data ?? {}),
      () => [],
    ).filter(([port, text]) => refused.get(`tcp/${port}`)?.version !== text);
    const ports = new Set(entries.map(([port]) => Number(port)));
    const isSame = ports.size === this.#tcpServices.size && [...ports].every((port) => this.#tcpServices.has(port));
    if (isSame) return;
    this.#tcpServices = ports;
    this.#hasOtherServices = true;
  }

  /** Returns the Gateways whose addresses or target ports have changed. */
  assign(readings: ReadonlyMap<string, GatewayReading>, turn: Turn): readonly string[] {
    const before = this.#assignments;
    const { gateway: options } = this.#options;
    const shared = readings.get(options.shared ?? "");
    const others = [...readings.values()].filter((one) => one !== shared);
    const own = this.services.assign(others, turn);
    const rest = others.filter(({ key }) => !own.has(key)).map(({ gateway }) => gateway);
    const pooled = assignAddresses(rest, options, turn.now.snapshot.localAddresses);
    const assigned = new Map([...pooled, ...own]);
    if (shared !== undefined) assigned.set(shared.key, addressesOfIngresses(shared.gateway));
    const changed: string[] = [];
    const same = new Map<string, Assignment>();
    for (const [key, assignment] of assigned) {
      const old = before.get(key);
      const isSame = JSON.stringify(old) === JSON.stringify(assignment);
      same.set(key, isSame ? old! : assignment);
      if (!isSame) changed.push(key);
    }
    this.#assignments = same;
    return changed;
  }

  /**
   * Returns the ids of the listeners that can have their ports now and could not before, or the
   * other way round. Ports that have not changed stay the same objects. `isChanged` returns whether
   * the listeners or addresses of a Gateway may have changed.
   */
  place(readings: ReadonlyMap<string, GatewayReading>, isChanged: (key: string) => boolean): readonly string[] {
    const options = this.#options;
    const shares = options.gateway.sharesPorts && options.gateway.addresses.length === 0;
    const placed = new Map<string, Placed>();
    if (shares) {
      // A Gateway that is not accepted must not take ports from others.
      const accepted = [...readings.values()].filter(({ key }) => this.assignment(key).unsupported === undefined);
      placed.set("*", machinePorts(accepted, options));
    } else {
      for (const [key, reading] of readings) {
        const old = isChanged(key) || this.#hasOtherServices ? undefined : this.#placed.get(key);
        placed.set(key, old ?? this.#portsOf(reading));
      }
    }
    this.#hasOtherServices = false;
    this.#takePorts(placed, readings);
    const before = this.#unavailable;
    const unavailable = new Map([...placed.values()].flatMap((one) => [...one.unavailable]));
    this.#unavailable = unavailable;
    return [...new Set([...unavailable.keys(), ...before.keys()])].filter(
      (id) => JSON.stringify(unavailable.get(id)) !== JSON.stringify(before.get(id)),
    );
  }

  #portsOf(reading: GatewayReading): Placed {
    const assignment = this.assignment(reading.key);
    const { own } = assignment;
    if (reading.key === this.#options.gateway.shared) return ingressPorts(reading, this.#options);
    if (own !== undefined) return servicePorts(reading, own.targets);
    return ownPorts(reading, assignment, this.#options, this.#tcpServices);
  }

  #takePorts(placed: ReadonlyMap<string, Placed>, readings: ReadonlyMap<string, GatewayReading>): void {
    const wanted = new Map([...placed.values()].flatMap(({ ports }) => ports.map((port) => [port.id, port] as const)));
    const guards = guardsOf(readings);
    if (guards.size > 0) for (const [id, port] of wanted) wanted.set(id, guardedPort(port, guards));
    const changes: [string, ListenerPort | undefined][] = [];
    for (const id of this.#ports.keys()) if (!wanted.has(id)) changes.push([id, undefined]);
    for (const [id, port] of wanted) {
      const old = this.#ports.get(id);
      if (old === undefined || !isSame(old, port)) changes.push([id, port]);
    }
    if (changes.length > 0) this.#ports = this.#ports.with(changes);
    const common = commonListeners(this.#ports.values(), readings.values(), this.#options.gateway);
    if (JSON.stringify([...common]) !== JSON.stringify([...this.#common])) this.#common = common;
    // The order is part of nginx's text, and must not depend on the order in which Gateways were
    // read.
    const streams = [...placed.values()].flatMap((one) => one.streams).sort((a, b) => (a.id < b.id ? -1 : 1));
    if (JSON.stringify(streams) !== JSON.stringify(this.#streams)) this.#streams = streams;
    this.#placed.clear();
    for (const [key, one] of placed) this.#placed.set(key, one);
  }
}

function commonListeners(
  ports: Iterable<ListenerPort>,
  readings: Iterable<GatewayReading>,
  { httpPort, httpsPort }: TranslateOptions["gateway"],
): ReadonlyMap<string, CommonListener> {
  const ids = new Set<string>();
  for (const { address, listenPort, listeners } of ports) {
    const isCommon = address === undefined && (listenPort === httpPort || listenPort === httpsPort);
    if (isCommon) for (const { id } of listeners) ids.add(id);
  }
  const common = new Map<string, CommonListener>();
  if (ids.size === 0) return common;
  for (const { gateway, listeners: own, sets } of readings) {
    const owning = [
      { object: gateway, listeners: own },
      ...sets.map(({ set, listeners }) => ({ object: set, listeners })),
    ];
    for (const { object, listeners } of owning) {
      const { created, namespace } = ageOf(object);
      for (const { id, owner, hostname, certificates } of listeners) {
        if (ids.has(id))
          common.set(id, { owner, hostname, namespace, created, hasCertificate: certificates.length > 0 });
      }
    }
  }
  return common;
}

function isSame(one: ListenerPort, other: ListenerPort): boolean {
  const { listeners: ours, ...port } = one;
  const { listeners: theirs, ...otherPort } = other;
  if (one === other) return true;
  if (ours.length !== theirs.length || JSON.stringify(port) !== JSON.stringify(otherPort)) return false;
  return ours.every(
    (listener, at) => listener === theirs[at] || JSON.stringify(listener) === JSON.stringify(theirs[at]),
  );
}
