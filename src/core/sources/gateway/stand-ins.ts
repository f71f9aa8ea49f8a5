/**
 * Decides which form of an object of the Gateway API is in force: its present one, or the last good
 * one if nginx refused that. References of the form are resolved in each turn, so a last good
 * form has no permission that was removed.
 */
import { type KubernetesObject, kindAndKey, nameOf, objectKey } from "../../model/objects.ts";
import type { Problem } from "../../model/problem.ts";
import type { LastGood } from "../../table/last-good.ts";
import { versionOf } from "../../table/quarantine.ts";
import type { Turn } from "../../table/turn.ts";

export interface FormInForce<T> {
  /** Undefined if no form is in force. */
  readonly form: T | undefined;
  /** The reason why the form in force is not the present one. */
  readonly refused: Problem | undefined;
  /** Whether the search for the cause is still running, so that nothing is reported yet. */
  readonly isSuspected: boolean;
}

export class StandIns<T extends KubernetesObject> {
  readonly #kind: string;
  readonly #kept = new Map<string, T | undefined>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** Returns the keys of objects of this kind whose form in force may have changed. */
  changed({ before, now }: Pick<Turn, "before" | "now">): Set<string> {
    this.#kept.clear();
    const called = now.lastGood.objects.changesSince(before.lastGood.objects).map(({ key }) => key);
    const [refusals, old] = [now.quarantine.objects, before.quarantine.objects];
    if (refusals !== old) {
      for (const key of [...refusals.keys(), ...old.keys()]) if (refusals.get(key) !== old.get(key)) called.push(key);
    }
    return new Set(called.map(kindAndKey).flatMap(([kind, key]) => (kind === this.#kind ? [key] : [])));
  }

  /** Returns the form in force, and stores the forms that are kept of the object. */
  inForce(key: string, object: T | undefined, { now }: Pick<Turn, "now">): FormInForce<T> {
    const called = objectKey(this.#kind, key);
    const refusal = object && now.quarantine.objects.get(called);
    if (object === undefined || refusal === undefined || refusal.version !== versionOf(object)) {
      this.#kept.set(called, undefined);
      return { form: object, refused: undefined, isSuspected: false };
    }
    const kept = now.lastGood.objects.get(called) as T | undefined;
    const good = kept !== undefined && kept.metadata.uid === object.metadata.uid ? kept : undefined;
    this.#kept.set(called, good);
    const refused: Problem = { object: { kind: this.#kind, ...nameOf(key) }, kind: "nginx-refused", why: refusal.why };
    return { form: good, refused, isSuspected: refusal.suspected === true };
  }

  /** Returns `objects` with the forms that are kept of this kind. */
  withStandIns(objects: LastGood["objects"]): LastGood["objects"] {
    const changes = [...this.#kept].filter(([called, form]) => objects.get(called) !== form);
    return changes.length === 0 ? objects : objects.with(changes);
  }
}
