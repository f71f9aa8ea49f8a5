/**
 * What is worth an Event, with the reasons that ingress-nginx uses (process contract D): `Sync` on an Ingress that was taken in, `CREATE` and
 * `UPDATE` on the controller's ConfigMaps, `RELOAD` on its Pod, and a Warning for each Problem on the object that it names.
 * It hears of everything twice, when objects change and when a turn has ended, and remembers what it has said.
 */
import type { ObjectReference } from "../kubernetes/index.ts";
import { type Ingress, type KubernetesObject, keyOf } from "../model/objects.ts";
import { emptySnapshot, type Snapshot, tableOf, type WatchedKind } from "../model/snapshot.ts";
import { Table } from "../model/table.ts";
import type { Problem } from "../problem.ts";
import type { Listener, SyncReport } from "../sync/ports.ts";
import { problemEvents } from "./problem-events.ts";

export interface Recorder {
  record(about: KubernetesObject | ObjectReference, type: "Normal" | "Warning", reason: string, message: string): void;
}

export interface EventOptions {
  readonly recorder: Recorder;
  readonly snapshot: () => Snapshot;
  readonly isOurs: (ingress: Ingress, snapshot: Snapshot) => boolean;
  /** The settings, the TCP and the UDP ports, as `namespace/name`. */
  readonly configMaps: readonly string[];
  readonly ownPod: () => ObjectReference;
  /** False: only `RELOAD` is said. */
  readonly syncEvents: boolean;
}

export class EventWriter implements Listener {
  readonly #options: EventOptions;
  #seen: Snapshot = emptySnapshot;
  #problems: Table<readonly Problem[]> = Table.empty();

  constructor(options: EventOptions) {
    this.#options = options;
  }

  /** Looks for objects that have come or changed. */
  look(): void {
    const { snapshot, configMaps, syncEvents } = this.#options;
    const [before, now] = [this.#seen, snapshot()];
    this.#seen = now;
    if (!syncEvents) return;
    for (const ingress of this.#takenIn(before, now)) this.#say(ingress, "Sync", "the Ingress was taken in");
    for (const key of configMaps) {
      const [old, configMap] = [before, now].map((one) => one.configMaps.get(key));
      if (configMap === undefined || configMap === old) continue;
      this.#say(configMap, old === undefined ? "CREATE" : "UPDATE", `ConfigMap ${key} was read`);
    }
  }

  problems(all: Table<readonly Problem[]>): void {
    const events = problemEvents(this.#problems, all);
    this.#problems = all;
    if (!this.#options.syncEvents) return;
    for (const { object, reason, message } of events) {
      const about = objectNamed(object, this.#options.snapshot());
      if (about !== undefined) this.#options.recorder.record(about, "Warning", reason, message);
    }
  }

  synced({ change, reload }: SyncReport): void {
    const { recorder } = this.#options;
    const ownPod = this.#options.ownPod();
    const why = change.kind === "reload" ? `: ${change.why.join(", ")}` : "";
    if (reload?.kind === "reloaded") recorder.record(ownPod, "Normal", "RELOAD", `nginx was reloaded${why}`);
    if (reload?.kind === "refused") recorder.record(ownPod, "Warning", "RELOAD", `nginx refuses it: ${reload.stderr}`);
    if (reload?.kind === "unreachable") {
      recorder.record(ownPod, "Warning", "RELOAD", `nginx could not take it: ${reload.cause.message}`);
    }
  }

  /** Ingresses of ours that are new, different, or ours only now that a class has come. */
  *#takenIn(before: Snapshot, now: Snapshot): Iterable<Ingress> {
    const { isOurs } = this.#options;
    const changed = new Set<string>();
    for (const { after } of now.ingresses.changesSince(before.ingresses)) {
      if (after === undefined) continue;
      changed.add(keyOf(after));
      if (isOurs(after, now)) yield after;
    }
    if (before.ingressClasses === now.ingressClasses) return;
    for (const [key, ingress] of now.ingresses) {
      if (!changed.has(key) && isOurs(ingress, now) && !isOurs(ingress, before)) yield ingress;
    }
  }

  #say(about: KubernetesObject, reason: string, message: string): void {
    this.#options.recorder.record(about, "Normal", reason, message);
  }
}

function objectNamed({ kind, namespace, name }: Problem["object"], snapshot: Snapshot): KubernetesObject | undefined {
  if (!(kind in tableOf)) return undefined;
  const table = snapshot[tableOf[kind as WatchedKind]] as Table<KubernetesObject> | undefined;
  return table?.get(namespace === undefined ? name : `${namespace}/${name}`);
}
