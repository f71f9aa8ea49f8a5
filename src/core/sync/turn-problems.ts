/**
 * Collects the Problems of a turn, including those that translate cannot find: they depend on the
 * time, on stand-ins for refused versions, or on this nginx and its memory.
 */

import type { Clock } from "../../base/timing/clock.ts";
import { nameOf } from "../model/objects.ts";
import type { ObjectName, Problem } from "../model/problem.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Table } from "../model/table.ts";
import type { OwnConfigMaps } from "../quarantine/suspects.ts";
import type { Rendered } from "../render/rendering.ts";
import type { Settings } from "../settings/registry.ts";
import { CertificateDoubts } from "../table/hosts/certificate-doubts.ts";
import { LastGoodNotes } from "../table/last-good-notes.ts";
import type { Translation } from "../table/translator.ts";

export interface TurnProblemsParts {
  readonly clock: Pick<Clock, "wall">;
  /** Problems of settings with the nginx at hand. */
  readonly problemsOf: (settings: Settings) => readonly Problem[];
  readonly configMaps: OwnConfigMaps;
}

export interface TurnFindings {
  readonly translation: Translation;
  readonly rendered: Pick<Rendered, "bugs">;
  readonly snapshot: Snapshot;
  /** Problems of shared memory. */
  readonly memory: readonly Problem[];
}

export class TurnProblems {
  readonly #parts: TurnProblemsParts;
  readonly #doubts = new CertificateDoubts();
  readonly #lastGoodNotes = new LastGoodNotes();

  constructor(parts: TurnProblemsParts) {
    this.#parts = parts;
  }

  /** The Problems of last good forms that the last turn reported. */
  get lastGood(): readonly Problem[] {
    return [...this.#lastGoodNotes.reported.values()].flat();
  }

  of({ translation, rendered, snapshot, memory }: TurnFindings): Table<readonly Problem[]> {
    const { problems, configuration, lastGood } = translation;
    const { clock, problemsOf, configMaps } = this.#parts;
    const now = new Date(clock.wall());
    const doubts = this.#doubts.of(configuration.certificates, now);
    const kept = this.#lastGoodNotes.of(lastGood, snapshot, settingsName(configMaps), now, problems);
    const ofNginx = [...problemsOf(configuration.settings), ...memory];
    // A bug of a host is listed beside the other Problems of that host.
    const bugs = [...rendered.bugs].map(([host, all]) => [`rendering ${host}`, all] as const);
    return problems.with([...doubts, ...kept, ...(ofNginx.length === 0 ? [] : [["nginx", ofNginx] as const]), ...bugs]);
  }
}

function settingsName({ settings = "" }: OwnConfigMaps): ObjectName {
  return { kind: "ConfigMap", ...nameOf(settings) };
}
