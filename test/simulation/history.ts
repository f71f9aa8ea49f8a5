/**
 * What happens in a simulation: steps of users and faults, each with the moment at which it comes.
 * A step has a number of its own, from which it draws everything else. So a history can be
 * shortened without a change of the other steps.
 */
import { Chance } from "../support/chance.ts";
import { faults } from "./faults.ts";
import { users } from "./users.ts";

export interface Step {
  /** Milliseconds since the start. */
  readonly at: number;
  readonly is: "user" | "fault";
  readonly name: string;
  readonly pick: number;
}

export interface History {
  readonly seed: number;
  readonly replicas: number;
  /** Whether nginx has a container of its own, and outlives the controller. */
  readonly hasOwnNginx: boolean;
  readonly steps: readonly Step[];
}

/** Something that a history may have. A new one needs only a line in its list. */
export interface Kind<W> {
  readonly name: string;
  /** How often it is drawn, beside the others. */
  readonly weight: number;
  /** Returns false if it has no effect in this world. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most have nothing to return
  readonly run: (world: W, chance: Chance) => void | undefined | false;
}

export function historyOf(seed: number): History {
  const chance = new Chance(seed);
  const replicas = chance.oneOf([1, 1, 1, 2, 2, 3]);
  const hasOwnNginx = chance.oneOf([true, false]);
  // Rules are judged strictly only while no fault has an aftermath.
  const faultShare = chance.oneOf([0, 0.05, 0.15, 0.4]);
  const steps: Step[] = [];
  let at = 2_000 + chance.below(6_000);
  for (let left = 8 + chance.below(24); left > 0; left--) {
    const is = chance.share() < faultShare ? "fault" : "user";
    const { name } = drawn<Kind<never>>(is === "user" ? users : faults, chance);
    steps.push({ at, is, name, pick: chance.below(2 ** 31) });
    at += chance.share() < 0.7 ? chance.below(400) : chance.below(4_000);
  }
  return { seed, replicas, hasOwnNginx, steps };
}

function drawn<K extends { readonly weight: number }>(kinds: readonly K[], chance: Chance): K {
  let rest = chance.share() * kinds.reduce((sum, { weight }) => sum + weight, 0);
  for (const kind of kinds) {
    rest -= kind.weight;
    if (rest < 0) return kind;
  }
  return kinds[0]!;
}
