/**
 * The first half of a turn: a Snapshot is translated, the state is saved to disk, and the result is
 * rendered. nginx is not changed yet.
 */
import { guardedLater } from "../../base/guarded.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { QuarantineKeeper } from "../quarantine/quarantine.ts";
import type { Circumstances, Rendered } from "../render/rendering.ts";
import type { Quarantine } from "../table/quarantine.ts";
import type { Translation } from "../table/translator.ts";
import type { Renders, State, Translates } from "./ports.ts";
import { written } from "./written.ts";

export interface MakingParts {
  readonly translator: Translates;
  readonly renderer: Renders;
  readonly clock: Clock;
  readonly state: State;
}

export interface Made {
  readonly translation: Translation;
  readonly rendered: Rendered;
  /** The quarantine with which the result was made. */
  readonly quarantine: Quarantine;
  /** The reason why the state could not be saved. */
  readonly unsaved: Error | undefined;
  readonly translateMs: number;
  readonly renderMs: number;
}

export class Making {
  readonly #parts: MakingParts;
  readonly #keeper: QuarantineKeeper;
  #configuration: Translation["configuration"] | undefined;

  constructor(parts: MakingParts, keeper: QuarantineKeeper) {
    this.#parts = parts;
    this.#keeper = keeper;
  }

  /** The last translated Configuration; undefined before the first. */
  get configuration(): Translation["configuration"] | undefined {
    return this.#configuration;
  }

  /**
   * Returns an Error for a bug of Sluice outside of the reading of one object. Then nothing has
   * changed, and nginx goes on serving.
   */
  make(snapshot: Snapshot, circumstances: Circumstances): Promise<Made | Error> {
    return guardedLater<Made | Error>(
      () => this.#make(snapshot, circumstances),
      (bug) => bug,
    );
  }

  async #make(snapshot: Snapshot, circumstances: Circumstances): Promise<Made> {
    const { renderer, clock, state } = this.#parts;
    const begun = clock.now();
    const translation = this.#translate(snapshot);
    const { quarantine } = this.#keeper.kept;
    const unsaved = await written(state.save(this.#keeper.kept));
    const translated = clock.now();
    const rendered = renderer.render(translation.configuration, circumstances);
    const renderMs = clock.now() - translated;
    return { translation, rendered, quarantine, unsaved, translateMs: translated - begun, renderMs };
  }

  #translate(snapshot: Snapshot): Translation {
    this.#keeper.review(snapshot);
    const translation = this.#parts.translator.turn({ snapshot, ...this.#keeper.kept });
    this.#keeper.keep(translation.lastGood);
    this.#configuration = translation.configuration;
    return translation;
  }
}
