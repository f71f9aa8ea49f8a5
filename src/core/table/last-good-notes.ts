/**
 * Makes Problems about the last good forms in force. It is right to serve these for now, but their
 * authors would not correct anything without a message.
 */
import { certificateOf } from "../certificates/certificate.ts";
import { kindAndKey } from "../model/objects.ts";
import { closedForGuards, named, type ObjectName, type Problem } from "../model/problem.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { Table } from "../model/table.ts";
import type { LastGood } from "./last-good.ts";

type LastGoodProblem = Extract<Problem, { readonly kind: "last-good" }>;
type Note = Omit<LastGoodProblem, "since">;

/** Keeps the time at which each form was first seen in force. */
export class LastGoodNotes {
  readonly #since = new Map<string, string>();
  #problems = Table.empty<readonly Problem[]>();

  /** The last result of `of`. */
  get reported(): Table<readonly Problem[]> {
    return this.#problems;
  }

  /**
   * Returns Problems by their subject. `settings` is the name of the controller's ConfigMap, and
   * `others` are the Problems of the translation.
   */
  of(
    lastGood: LastGood,
    snapshot: Snapshot,
    settings: ObjectName,
    now: Date,
    others: Table<readonly Problem[]>,
  ): Table<readonly Problem[]> {
    const notes = new Map([
      ...secretNotes(lastGood, snapshot),
      ...objectNotes(lastGood, others),
      ...settingNotes(lastGood, settings),
    ]);
    for (const key of this.#since.keys()) if (!notes.has(key)) this.#since.delete(key);
    const gone = [...this.#problems.keys()].flatMap((key) => (notes.has(key) ? [] : [[key, undefined] as const]));
    const changed = [...notes].flatMap(([key, note]) => {
      const since = this.#since.get(key) ?? minute(now);
      this.#since.set(key, since);
      const before = this.#problems.get(key)?.[0];
      const problem: LastGoodProblem = { ...note, since };
      return JSON.stringify(before) === JSON.stringify(problem) ? [] : [[key, [problem]] as const];
    });
    if (gone.length + changed.length > 0) this.#problems = this.#problems.with([...gone, ...changed]);
    return this.#problems;
  }
}

function secretNotes({ secrets }: LastGood, snapshot: Snapshot): [string, Note][] {
  return [...secrets].flatMap(([key, good]) => {
    const present = snapshot.secrets.get(key);
    const [read, kept] = [present && certificateOf(present), certificateOf(good)];
    if (read?.ok !== false || !kept.ok) return [];
    const note: Note = {
      object: nameOf("Secret", key),
      kind: "last-good",
      what: `the new content ${read.why}`,
      instead: "the last good certificate is served",
      until: `and it expires on ${kept.certificate.notAfter.toISOString().slice(0, 10)}`,
    };
    return [[`last good Secret ${key}`, note]];
  });
}

function objectNotes({ objects }: LastGood, others: Table<readonly Problem[]>): [string, Note][] {
  return [...objects.keys()].map((called) => {
    const object = nameOf(...kindAndKey(called));
    const isClosed = others.get(named(object))?.some(saysClosed) === true;
    const note: Note = {
      object,
      kind: "last-good",
      what: "the present version is not applied",
      instead: isClosed ? closedForGuards : "the last good one is in force",
      until: "until a version can be applied",
    };
    return [`last good ${called}`, note];
  });
}

const saysClosed = (problem: Problem): boolean =>
  problem.kind === "nginx-refused" ? problem.closes === true : problem.kind === "version-closed";

function settingNotes({ settings }: LastGood, object: ObjectName): [string, Note][] {
  return Object.keys(settings).map((key) => {
    const note: Note = {
      object,
      kind: "last-good",
      what: `key ${key}: the present value is not applied`,
      instead: "the last good one is in force",
      until: "until a value can be applied",
    };
    return [`last good setting ${key}`, note];
  });
}

function nameOf(kind: string, key: string): ObjectName {
  const [namespace = "", name = ""] = key.split("/");
  return { kind, namespace, name };
}

/** Returns, for example, `2026-01-31 12:00 UTC`. */
function minute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
