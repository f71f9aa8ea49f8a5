/**
 * Writes Events, with the reasons of ingress-nginx (process contract D): `Sync` on a new Ingress,
 * `CREATE` and `UPDATE` on the controller's ConfigMaps, `RELOAD` on its Pod, and a Warning for each
 * Problem on the object that it names. It is called when objects change and when a turn has ended,
 * and remembers the Events that it wrote. All replicas see the same objects, so only the leader
 * writes about them; each replica writes about its own Pod.
 */
import { bugWords, guarded } from "../../base/guarded.ts";
import { type Ingress, type KubernetesObject, keyOfName, nameOf, objectKey } from "../../core/model/objects.ts";
import { named, type ObjectName, type Problem, sentence } from "../../core/model/problem.ts";
import { emptySnapshot, type Snapshot, tableOf, type WatchedKind } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import type { Listener, SyncReport } from "../../core/sync/ports.ts";
import type { ObjectReference } from "../../kube/index.ts";

export interface Recorder {
  record(about: KubernetesObject | ObjectReference, type: "Normal" | "Warning", reason: string, message: string): void;
}

export interface EventOptions {
  readonly recorder: Recorder;
  readonly snapshot: () => Snapshot;
  readonly isOurs: (ingress: Ingress, snapshot: Snapshot) => boolean;
  /** The ConfigMaps with the settings, the TCP ports and the UDP ports, as `namespace/name`. */
  readonly configMaps: readonly string[];
  readonly ownPod: () => ObjectReference;
  /** If it is false, only `RELOAD` is written. */
  readonly syncEvents: boolean;
  /** Called with an object that gets no Events because Sluice failed on it. */
  readonly failed: (object: ObjectName, bug: Error) => void;
}

const noProblems: Table<readonly Problem[]> = Table.empty();

export class EventWriter implements Listener {
  readonly #options: EventOptions;
  #leads = false;
  /** The objects and Problems about which this replica has written since it began to lead. */
  #seen: Snapshot = emptySnapshot;
  #written = noProblems;
  #problems = noProblems;

  constructor(options: EventOptions) {
    this.#options = options;
  }

  /**
   * Begins or ends to write about objects. A new leader writes about all of them, because the one
   * before it may have ended in the middle.
   */
  lead(leads: boolean): void {
    if (leads === this.#leads) return;
    this.#leads = leads;
    [this.#seen, this.#written] = [emptySnapshot, noProblems];
    this.#writeProblems();
    this.look();
  }

  /** Looks for new and changed objects. */
  look(): void {
    if (!this.#leads) return;
    const { snapshot, configMaps, syncEvents } = this.#options;
    const [before, now] = [this.#seen, snapshot()];
    this.#seen = now;
    if (!syncEvents) return;
    for (const [key, ingress] of this.#candidates(before, now))
      this.#guard({ kind: "Ingress", ...nameOf(key) }, () => {
        if (this.#isTakenIn(key, ingress, before, now)) this.#record(ingress, "Sync", "the Ingress was read");
      });
    for (const key of configMaps) {
      const [old, configMap] = [before, now].map((one) => one.configMaps.get(key));
      if (configMap === undefined || configMap === old) continue;
      const reason = old === undefined ? "CREATE" : "UPDATE";
      this.#guard({ kind: "ConfigMap", ...nameOf(key) }, () =>
        this.#record(configMap, reason, `ConfigMap ${key} was read`),
      );
    }
  }

  problems(all: Table<readonly Problem[]>): void {
    this.#problems = all;
    this.#writeProblems();
  }

  #writeProblems(): void {
    if (!this.#leads || !this.#options.syncEvents) return;
    const events = problemEvents(this.#written, this.#problems);
    this.#written = this.#problems;
    for (const { object, reason, message } of events) {
      this.#guard(object, () => {
        const about = objectNamed(object, this.#options.snapshot());
        if (about !== undefined) this.#options.recorder.record(about, "Warning", reason, message);
      });
    }
  }

  synced({ change, reload }: SyncReport): void {
    const { recorder } = this.#options;
    const ownPod = this.#options.ownPod();
    const why = change.kind === "reload" ? `: ${change.why.join(", ")}` : "";
    if (reload?.kind === "reloaded") recorder.record(ownPod, "Normal", "RELOAD", `nginx was reloaded${why}`);
    if (reload?.kind === "refused") recorder.record(ownPod, "Warning", "RELOAD", `nginx refuses it: ${reload.stderr}`);
    if (reload?.kind === "unreachable") {
      recorder.record(ownPod, "Warning", "RELOAD", `nginx could not apply the configuration: ${reload.cause.message}`);
    }
    if (reload?.kind === "failed") {
      recorder.record(ownPod, "Warning", "RELOAD", `a bug in Sluice, nothing is applied: ${bugWords(reload.cause)}`);
    }
  }

  /**
   * Yields Ingresses that may be new or different, or that a changed IngressClass assigns to this
   * controller.
   */
  *#candidates(before: Snapshot, now: Snapshot): Iterable<readonly [key: string, ingress: Ingress]> {
    if (before.ingressClasses !== now.ingressClasses) {
      yield* now.ingresses;
      return;
    }
    for (const { key, after } of now.ingresses.changesSince(before.ingresses))
      if (after !== undefined) yield [key, after];
  }

  #isTakenIn(key: string, ingress: Ingress, before: Snapshot, now: Snapshot): boolean {
    const { isOurs } = this.#options;
    const isSame = before.ingresses.get(key) === ingress;
    return isOurs(ingress, now) && !(isSame && isOurs(ingress, before));
  }

  /**
   * Runs `work` for one object. An object on which Sluice fails gets no Event; the controller and
   * all other objects go on.
   */
  #guard(object: ObjectName, work: () => void): void {
    guarded(work, (bug) => this.#options.failed(object, bug));
  }

  #record(about: KubernetesObject, reason: string, message: string): void {
    this.#options.recorder.record(about, "Normal", reason, message);
  }
}

function objectNamed(object: ObjectName, snapshot: Snapshot): KubernetesObject | undefined {
  const { kind } = object;
  if (!Object.hasOwn(tableOf, kind)) return undefined;
  const key = keyOfName(object);
  const table = snapshot[tableOf[kind as WatchedKind]] as Table<KubernetesObject> | undefined;
  return table?.get(key) ?? snapshot.failures.get(objectKey(kind, key))?.object;
}

/**
 * Writes one Warning on the object when a Problem appears, and none when it disappears, because
 * Events expire by themselves. A Problem that stays causes no further Event, however many turns
 * report it.
 */
export interface ProblemEvent {
  readonly object: Problem["object"];
  readonly reason: string;
  readonly message: string;
}

/** Returns Events for the Problems in `now` that are new. */
export function problemEvents(
  before: Table<readonly Problem[]>,
  now: Table<readonly Problem[]>,
): readonly ProblemEvent[] {
  const changes = now.changesSince(before);
  const reported = new Set(changes.flatMap((change) => change.before ?? []).map(textOf));
  const fresh = new Map(changes.flatMap((change) => change.after ?? []).map((problem) => [textOf(problem), problem]));
  return [...fresh].flatMap(([text, problem]) => (reported.has(text) ? [] : [eventOf(problem)]));
}

const textOf = (problem: Problem) => `${named(problem.object)} ${sentence(problem)}`;

const eventOf = (problem: Problem): ProblemEvent => ({
  object: problem.object,
  reason: reasonOf(problem),
  message: sentence(problem),
});

/**
 * Returns the reason of an Event. An annotation that closes its paths has ingress-nginx's name for
 * it (process contract D), and every other kind of Problem has its own.
 */
export function reasonOf({ kind }: Pick<Problem, "kind">): string {
  if (kind === "annotation-unreadable") return "AnnotationParsingFailed";
  return kind.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
