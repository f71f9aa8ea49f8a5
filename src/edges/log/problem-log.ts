/**
 * Logs each Problem once when it appears and once when it disappears, however many turns report it.
 */

import { visible } from "../../base/visible.ts";
import { fullSentence, isOfField, keyed, named, type Problem, sentence } from "../../core/model/problem.ts";
import { Table } from "../../core/model/table.ts";
import type { Log } from "./log.ts";

/** Returns a place such as `web.yaml:12`, if the object of a Problem comes from a file. */
export type PlaceOf = (problem: Problem) => string | undefined;

export class ProblemLog {
  readonly #log: Log;
  readonly #placeOf: PlaceOf;
  #last: Table<readonly Problem[]> = Table.empty();

  constructor(log: Log, placeOf: PlaceOf = () => undefined) {
    this.#log = log;
    this.#placeOf = placeOf;
  }

  /** Logs what has changed since the last call. `all` are all present Problems. */
  renew(all: Table<readonly Problem[]>): void {
    const changes = all.changesSince(this.#last);
    this.#last = all;
    const before = bySentence(changes.flatMap((change) => change.before ?? []));
    const after = bySentence(changes.flatMap((change) => change.after ?? []));
    const fresh = [...after].filter(([text]) => !before.has(text));
    for (const [at, [, problem]] of fresh.entries()) {
      const place = at < mostPlaces ? this.#placeOf(problem) : undefined;
      this.#log.warn({ ...(place === undefined ? {} : { at: place }), ...fieldsOf(problem) }, "problem");
    }
    const gone = [...before].filter(([text]) => !after.has(text));
    if (gone.length === 0) return;
    const left = Map.groupBy([...all.values()].flat(), ({ object }) => named(object));
    for (const [, problem] of gone) {
      const object = named(problem.object);
      const others = left.get(object) ?? [];
      const now =
        others.some(({ kind }) => kind === "nginx-refused") && problem.kind !== "nginx-refused"
          ? "nginx refused this version, so nothing else of it is judged until it changes"
          : `${mended(problem)}${remaining(others.length)}`;
      this.#log.info({ object, kind: problem.kind, now }, "problem gone");
    }
  }
}

/**
 * Finding a line number costs more than the rest of a log line, so only the first of many lines get
 * one.
 */
const mostPlaces = 200;

function remaining(others: number): string {
  if (others === 0) return "";
  return others === 1 ? "; one other problem of it remains" : `; ${others} other problems of it remain`;
}

const fieldsOf = (problem: Problem) => ({
  object: named(problem.object),
  kind: problem.kind,
  problem: sentence(problem),
});

function bySentence(problems: readonly Problem[]): Map<string, Problem> {
  return new Map(problems.map((problem) => [fullSentence(problem), problem]));
}

/**
 * The sentences of Problems that are gone. Only the log has them. Returns the sentence for a
 * Problem that is gone, whether its author corrected the mistake or removed the object.
 */
function mended(p: Problem): string {
  return visible(mendedWords(p));
}

function mendedWords(p: Problem): string {
  if (isOfField(p)) return `${p.field} is in order or gone`;
  switch (p.kind) {
    case "annotation-unreadable":
    case "annotation-unknown":
    case "annotation-removed":
    case "annotation-partly":
    case "annotation-useless":
    case "annotation-doubtful":
    case "neighbours-changed":
      return `${keyed(p)} is in order or gone`;
    case "setting-unreadable":
    case "setting-unknown":
    case "setting-useless":
    case "setting-doubtful":
      return `key ${p.key} is in order or gone`;
    case "service-missing":
    case "service-port-missing":
      return `${p.field}: Service ${p.service} is found or not named any more`;
    case "secret-unusable":
    case "secret-kept":
      return `${p.field}: Secret ${p.secret} is usable or not named any more`;
    case "certificate-misfit":
      return `a certificate for ${p.host} is there or not named any more`;
    case "certificate-doubtful":
      return "another certificate is served or this one is in order";
    case "path-taken":
    case "path-contested":
      return `path ${p.path} of host ${p.host} is not claimed twice any more`;
    case "host-refused":
      return `${p.host} is permitted, or the object does not have it any more`;
    case "field-doubtful":
    case "snippet-refused":
    case "guard-foreign":
    case "inspection-failed":
      return `${p.field} is in order or gone`;
    case "manifest-unusable":
      return "the file was read and is in force, or it is gone";
    case "version-closed":
      return "metadata.annotations is in order or gone";
    case "nginx-refused":
      return "nginx accepts it, or its refused version is gone";
    case "bug":
      return "Sluice reads it, or it is gone";
    case "memory-full":
    case "memory-short":
      return "nginx's shared memory is large enough";
    case "last-good":
      return "its present form is in force, or it is gone";
  }
}
