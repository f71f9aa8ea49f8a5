/** Where nginx listens for Gateways: their addresses and ports, and which listeners cannot have theirs. */
import type { ListenerPort } from "../../model/listeners.ts";
import type { StreamPort } from "../../model/streams.ts";
import { Table } from "../../model/table.ts";
import type { TranslateOptions } from "../options.ts";
import type { Turn } from "../turn.ts";
import { type Assignment, assignAddresses } from "./addresses.ts";
import type { Fault } from "./conditions.ts";
import { guardedPort, guardsOf } from "./listener/guarded-port.ts";
import { ownPorts, type Placed, servicePorts, sharedPorts } from "./ports.ts";
import type { GatewayReading } from "./reading.ts";
import { OwnServices } from "./services/own-services.ts";

const nowhere: Assignment = { addresses: [], unsupported: undefined, lacking: undefined };

export class Placement {
  readonly #options: TranslateOptions;
  /** The Services of Gateways that have one. */
  readonly services: OwnServices;
  readonly #placed = new Map<string, Placed>();
  #assignments: ReadonlyMap<string, Assignment> = new Map();
  #unavailable: ReadonlyMap<string, Fault> = new Map();
  #ports = Table.empty<ListenerPort>();
  #streams: readonly StreamPort[] = [];

  constructor(options: TranslateOptions) {
    this.#options = options;
    this.services = new OwnServices(options.gateway);
  }

  /** Those of streams; the same array while nothing is different. */
  get streams(): readonly StreamPort[] {
    return this.#streams;
  }

  get ports(): Table<ListenerPort> {
    return this.#ports;
  }

  /** By id of the listener: why its port cannot be had. */
  get unavailable(): ReadonlyMap<string, Fault> {
    return this.#unavailable;
  }

  /** The addresses of a Gateway by `namespace/name`. */
  assignment(key: string): Assignment {
    return this.#assignments.get(key) ?? nowhere;
  }

  /** Whether addresses or target ports may be others, though no Gateway is. */
  takeIn(turn: Turn): boolean {
    const isOther = this.services.takeIn(turn);
    return isOther || turn.now.snapshot.localAddresses !== turn.before.snapshot.localAddresses;
  }

  /** Gives the Gateways whose addresses or target ports are others now. */
  assign(readings: ReadonlyMap<string, GatewayReading>, turn: Turn): readonly string[] {
    const before = this.#assignments;
    const own = this.services.assign(readings.values(), turn);
    const rest = [...readings.values()].filter(({ key }) => !own.has(key)).map(({ gateway }) => gateway);
    const pooled = assignAddresses(rest, this.#options.gateway, turn.now.snapshot.localAddresses);
    const assigned = new Map([...pooled, ...own]);
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
   * Gives the ids of the listeners that can have their ports now and could not before, or the other way round. Ports that are the
   * same as before keep their objects. `isChanged` says of a Gateway whether its listeners or addresses may be others.
   */
  place(readings: ReadonlyMap<string, GatewayReading>, isChanged: (key: string) => boolean): readonly string[] {
    const options = this.#options;
    const shares = options.gateway.sharesPorts && options.gateway.addresses.length === 0;
    const placed = new Map<string, Placed>();
    if (shares) placed.set("*", sharedPorts([...readings.values()], options));
    else {
      for (const [key, reading] of readings) {
        const old = isChanged(key) ? undefined : this.#placed.get(key);
        placed.set(key, old ?? this.#portsOf(reading));
      }
    }
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
    return own === undefined ? ownPorts(reading, assignment, this.#options) : servicePorts(reading, own.targets);
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
    // Their order is part of nginx's text, and must not depend on which Gateway was read first.
    const streams = [...placed.values()].flatMap((one) => one.streams).sort((a, b) => (a.id < b.id ? -1 : 1));
    if (JSON.stringify(streams) !== JSON.stringify(this.#streams)) this.#streams = streams;
    this.#placed.clear();
    for (const [key, one] of placed) this.#placed.set(key, one);
  }
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
