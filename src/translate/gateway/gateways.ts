/**
 * The Gateways that are ours, read again when they or what they refer to has changed. Routes ask here for their listeners;
 * the ports of all of them are what nginx is to listen on.
 */

import { bugProblem, guarded } from "../../guarded.ts";
import { Dependencies } from "../../model/dependencies.ts";
import type { Gateway } from "../../model/gateway/objects.ts";
import type { DesiredStatus } from "../../model/gateway/status.ts";
import type { ListenerPort } from "../../model/listeners.ts";
import { nameOf, objectKey } from "../../model/objects.ts";
import { Table } from "../../model/table.ts";
import type { Problem } from "../../problem.ts";
import type { Certificates } from "../hosts/certificates.ts";
import type { LastGood } from "../last-good.ts";
import type { TranslateOptions } from "../options.ts";
import type { Problems } from "../problems.ts";
import { type Turn, usersOfChanged } from "../turn.ts";
import { type Assignment, assignAddresses, assignmentProblems } from "./addresses.ts";
import { type ClassReading, readClasses } from "./classes.ts";
import type { Fault } from "./conditions.ts";
import { type GatewayState, gatewayStatus } from "./gateway-status.ts";
import type { Grants } from "./grants.ts";
import { readListeners } from "./listeners.ts";
import { parametersProblem } from "./parameters.ts";
import { ownPorts, type Placed, sharedPorts } from "./ports.ts";
import { type GatewayReading, isUsable } from "./reading.ts";
import { StandIns } from "./stand-ins.ts";
import { unservedFields } from "./unserved.ts";

const nowhere: Assignment = { addresses: [], unsupported: undefined, lacking: undefined };
const none: ReadonlyMap<string, Fault> = new Map();

export class Gateways {
  readonly #options: TranslateOptions;
  readonly #problems: Problems;
  readonly #grants: Grants;
  readonly #certificates: Certificates;
  readonly #references = new Dependencies();
  readonly #readings = new Map<string, GatewayReading>();
  readonly #attachable = new Map<string, string>();
  #classes: ReadonlyMap<string, ClassReading> = new Map();
  #assignments: ReadonlyMap<string, Assignment> = new Map();
  #unavailable: ReadonlyMap<string, Fault> = none;
  #ports = Table.empty<ListenerPort>();
  readonly #placed = new Map<string, Placed>();
  #changedStatus = new Set<string>();
  /** Gateways on which Sluice failed. */
  readonly #bugs = new Map<string, Problem>();
  readonly #standIns = new StandIns<Gateway>("Gateway");

  constructor(options: TranslateOptions, problems: Problems, grants: Grants, certificates: Certificates) {
    this.#options = options;
    this.#problems = problems;
    this.#grants = grants;
    this.#certificates = certificates;
  }

  get ports(): Table<ListenerPort> {
    return this.#ports;
  }

  /** Undefined where it is not ours. */
  reading(key: string): GatewayReading | undefined {
    return this.#readings.get(key);
  }

  /** Whether routes are served on the listener. */
  isServed(id: string, gateway: GatewayReading): boolean {
    const one = gateway.listeners.find((listener) => listener.id === id);
    return one !== undefined && isUsable(one) && !this.#unavailable.has(id);
  }

  /** Gives the Gateways to which routes may be attached otherwise than before. `granting` are namespaces with other grants. */
  renew(turn: Turn, granting: ReadonlySet<string>): Set<string> {
    const outdated = this.#outdated(turn, granting);
    this.#changedStatus = new Set(outdated);
    if (
      outdated.size === 0 &&
      turn.now.snapshot.localAddresses === turn.before.snapshot.localAddresses &&
      !turn.afresh
    ) {
      return new Set();
    }
    for (const key of outdated) {
      guarded(
        () => this.#read(key, turn),
        (bug) => this.#setAside(key, bug),
      );
    }
    this.#assign(turn);
    this.#place(outdated);
    const changed = new Set<string>();
    for (const key of this.#changedStatus) {
      this.#tellProblems(key);
      if (this.#isAttachedOtherwise(key, turn.now.snapshot.gateways.has(key))) changed.add(key);
    }
    return changed;
  }

  /** The statuses that may be others now. `counted` are the listeners whose routes have changed. */
  statuses(counted: Iterable<string>, attached: (id: string) => number): [string, DesiredStatus | undefined][] {
    const keys = new Set(this.#changedStatus);
    for (const id of counted) keys.add(id.slice(0, id.lastIndexOf("/")));
    return [...keys].map((key) => {
      const state = this.#stateOf(key);
      return [objectKey("Gateway", key), state && gatewayStatus(state, attached)];
    });
  }

  /** `objects` with the last good Gateways that stand in for refused ones. */
  keepIn(objects: LastGood["objects"]): LastGood["objects"] {
    return this.#standIns.keepIn(objects);
  }

  /** Those of the GatewayClasses, by name. */
  get classes(): ReadonlyMap<string, ClassReading> {
    return this.#classes;
  }

  #outdated(turn: Turn, granting: ReadonlySet<string>): Set<string> {
    const { before, now, afresh } = turn;
    const { gateways, gatewayClasses, configMaps } = now.snapshot;
    const changed = new Set(gateways.changesSince(before.snapshot.gateways).map(({ key }) => key));
    for (const key of this.#standIns.changed(turn)) changed.add(key);
    for (const kind of ["Secret", "ConfigMap"] as const) {
      for (const key of usersOfChanged(this.#references, kind, turn, `${kind} `)) changed.add(key);
    }
    for (const namespace of granting)
      for (const key of this.#references.usersOf(`grants ${namespace}`)) changed.add(key);
    const mayDiffer = gatewayClasses !== before.snapshot.gatewayClasses || configMaps !== before.snapshot.configMaps;
    if (!afresh && !mayDiffer) return changed;
    const old = this.#classes;
    this.#classes = readClasses(now.snapshot, this.#options);
    for (const name of new Set([...old.keys(), ...this.#classes.keys()])) {
      this.#problems.tell(`GatewayClass ${name}`, this.#classes.get(name)?.problems ?? []);
    }
    const isOther = (name: string) => old.get(name)?.isServed !== this.#classes.get(name)?.isServed;
    for (const [key, { spec }] of gateways) if (isOther(spec?.gatewayClassName ?? "")) changed.add(key);
    return changed;
  }

  /** Sluice failed on it: nothing of it is served. */
  #setAside(key: string, bug?: Error): void {
    this.#readings.delete(key);
    this.#references.set(key, []);
    this.#certificates.use(`listeners of ${key}`, []);
    if (bug === undefined) this.#bugs.delete(key);
    else this.#bugs.set(key, bugProblem({ kind: "Gateway", ...nameOf(key) }, bug));
  }

  #read(key: string, turn: Turn): void {
    const { now } = turn;
    const present = now.snapshot.gateways.get(key);
    const isOurs = present !== undefined && this.#classes.get(present.spec?.gatewayClassName ?? "")?.isServed === true;
    const { form, refused, isSuspected } = this.#standIns.inForce(key, isOurs ? present : undefined, turn);
    if (present === undefined || !isOurs) {
      this.#setAside(key);
      return;
    }
    this.#bugs.delete(key);
    const gateway = form ?? { ...present, spec: { ...present.spec, listeners: [] } };
    const world = {
      grants: this.#grants,
      secret: (name: string) => this.#certificates.secret(name),
      brokenSecret: (name: string) => this.#certificates.broken(name),
    };
    const { listeners, secrets, namespaces, problems } = readListeners(gateway, world);
    const { name, namespace = "default" } = gateway.metadata;
    const object = { kind: "Gateway", namespace, name };
    const reference = gateway.spec?.infrastructure?.parametersRef;
    const parameters =
      reference &&
      parametersProblem({
        reference: { ...reference, namespace },
        object,
        field: "spec.infrastructure.parametersRef",
        done: "the Gateway is served with the usual parameters",
        configMap: (named) => now.snapshot.configMaps.get(named),
      });
    const unserved = [...problems, ...unservedFields(gateway, object)];
    const reading = { key, gateway, present, listeners, parameters, unserved };
    this.#readings.set(key, refused === undefined || isSuspected ? reading : { ...reading, refused });
    this.#references.set(key, [
      ...secrets.map((secret) => `Secret ${secret}`),
      ...namespaces.map((one) => `grants ${one}`),
      ...(reference === undefined ? [] : [`ConfigMap ${namespace}/${reference.name}`]),
    ]);
    this.#certificates.use(`listeners of ${key}`, [...new Set(listeners.flatMap((one) => one.certificates))]);
  }

  #assign({ now }: Turn): void {
    const before = this.#assignments;
    const gateways = [...this.#readings.values()].map(({ gateway }) => gateway);
    const assigned = assignAddresses(gateways, this.#options.gateway, now.snapshot.localAddresses);
    const same = new Map<string, Assignment>();
    for (const [key, assignment] of assigned) {
      const old = before.get(key);
      const isSame = JSON.stringify(old) === JSON.stringify(assignment);
      same.set(key, isSame ? old! : assignment);
      if (!isSame) this.#changedStatus.add(key);
    }
    this.#assignments = same;
  }

  /** Ports that are the same as before keep their objects. */
  #place(outdated: ReadonlySet<string>): void {
    const options = this.#options;
    const shares = options.gateway.sharesPorts && options.gateway.addresses.length === 0;
    const placed = new Map<string, Placed>();
    if (shares) placed.set("*", sharedPorts([...this.#readings.values()], options));
    else {
      for (const [key, reading] of this.#readings) {
        const isSame = !outdated.has(key) && !this.#changedStatus.has(key);
        const old = isSame ? this.#placed.get(key) : undefined;
        placed.set(key, old ?? ownPorts(reading, this.#assignments.get(key) ?? nowhere, options));
      }
    }
    this.#takePorts(placed);
    const unavailable = new Map([...placed.values()].flatMap((one) => [...one.unavailable]));
    for (const id of new Set([...unavailable.keys(), ...this.#unavailable.keys()])) {
      const isOther = JSON.stringify(unavailable.get(id)) !== JSON.stringify(this.#unavailable.get(id));
      if (isOther) this.#changedStatus.add(id.slice(0, id.lastIndexOf("/")));
    }
    this.#unavailable = unavailable;
  }

  #takePorts(placed: ReadonlyMap<string, Placed>): void {
    const wanted = new Map([...placed.values()].flatMap(({ ports }) => ports.map((port) => [port.id, port] as const)));
    const changes: [string, ListenerPort | undefined][] = [];
    for (const id of this.#ports.keys()) if (!wanted.has(id)) changes.push([id, undefined]);
    for (const [id, port] of wanted) {
      const old = this.#ports.get(id);
      if (old !== port && JSON.stringify(old) !== JSON.stringify(port)) changes.push([id, port]);
    }
    if (changes.length > 0) this.#ports = this.#ports.with(changes);
    this.#placed.clear();
    for (const [key, one] of placed) this.#placed.set(key, one);
  }

  #stateOf(key: string): GatewayState | undefined {
    const reading = this.#readings.get(key);
    if (reading === undefined) return undefined;
    return { reading, assignment: this.#assignments.get(key) ?? nowhere, unavailable: this.#unavailable };
  }

  #tellProblems(key: string): void {
    const state = this.#stateOf(key);
    const bug = this.#bugs.get(key);
    this.#problems.tell(`Gateway ${key}`, state === undefined ? (bug === undefined ? [] : [bug]) : problemsOf(state));
  }

  /** What routes look at, and nothing of certificates and addresses. */
  #isAttachedOtherwise(key: string, isThere: boolean): boolean {
    const reading = this.#readings.get(key);
    const seen = reading?.listeners.map(({ id, listener, hostname, kinds }) => {
      return [id, listener.port, listener.allowedRoutes?.namespaces, hostname, kinds, this.isServed(id, reading)];
    });
    const text = seen !== undefined ? JSON.stringify(seen) : isThere ? "of others" : undefined;
    if (this.#attachable.get(key) === text) return false;
    if (text === undefined) this.#attachable.delete(key);
    else this.#attachable.set(key, text);
    return true;
  }
}

function problemsOf({ reading, assignment, unavailable }: GatewayState): readonly Problem[] {
  const ofListeners = reading.listeners.flatMap(({ id, conflict, refused, unresolved }) =>
    [conflict, refused, unavailable.get(id), ...unresolved].flatMap((fault) => fault?.problem ?? []),
  );
  const parameters = reading.parameters === undefined ? [] : [reading.parameters];
  const refused = reading.refused === undefined ? [] : [reading.refused];
  return [...refused, ...ofListeners, ...assignmentProblems(assignment), ...parameters, ...reading.unserved];
}
