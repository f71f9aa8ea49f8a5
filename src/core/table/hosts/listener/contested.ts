/**
 * Keeps the Problems about paths that Claims of listeners and of their namesakes have in common, by
 * object.
 */
import { objectKey } from "../../../model/objects.ts";
import type { ObjectName, Problem } from "../../../model/problem.ts";

export class Contested {
  readonly #byHost = new Map<string, readonly Problem[]>();
  /** Problems by kind and name, then by host. */
  readonly #byObject = new Map<string, Map<string, readonly Problem[]>>();
  /** Names of objects whose Problems have changed, by kind. */
  readonly #changed = new Map<string, Set<string>>();

  /** Begins a turn. */
  begin(): void {
    this.#changed.clear();
  }

  /** Replaces the Problems of one host. */
  note(host: string, problems: readonly Problem[]): void {
    const before = this.#byHost.get(host) ?? [];
    if (JSON.stringify(before) === JSON.stringify(problems)) return;
    for (const { object } of before) this.#put(host, object, []);
    for (const [object, some] of Map.groupBy(problems, (problem) => problem.object)) this.#put(host, object, some);
    if (problems.length === 0) this.#byHost.delete(host);
    else this.#byHost.set(host, problems);
  }

  /** Returns the names of the objects of a kind whose Problems have changed in this turn. */
  changed(kind: string): Iterable<string> {
    return this.#changed.get(kind) ?? [];
  }

  of(kind: string, key: string): readonly Problem[] {
    return [...(this.#byObject.get(objectKey(kind, key))?.values() ?? [])].flat();
  }

  #put(host: string, { kind, namespace, name }: ObjectName, problems: readonly Problem[]): void {
    const key = `${namespace}/${name}`;
    this.#changed.set(kind, (this.#changed.get(kind) ?? new Set()).add(key));
    const byHost = this.#byObject.get(objectKey(kind, key)) ?? new Map<string, readonly Problem[]>();
    if (problems.length === 0) byHost.delete(host);
    else byHost.set(host, problems);
    if (byHost.size === 0) this.#byObject.delete(objectKey(kind, key));
    else this.#byObject.set(objectKey(kind, key), byHost);
  }
}
