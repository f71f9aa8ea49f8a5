/**
 * The declaration of a flag. It yields its type, its reading, `--help`, the reference page and the
 * tests. Names and defaults are those of ingress-nginx, so that its Pods start Sluice unchanged.
 */
import type { Kind } from "../core/kinds/kind.ts";

export interface Flag<T> {
  /** Without the dashes. */
  readonly name: string;
  /** One letter, for a single dash. */
  readonly short?: string;
  readonly kind: Kind<T>;
  readonly default: NoInfer<T>;
  readonly doc: string;
  /** The default of `sluice serve`, if it differs. */
  readonly serve?: NoInfer<T>;
  /** A switch: `--name` alone means true, and a value needs `=`. */
  readonly toggle?: true;
  /** If given twice, the values are joined with a comma; otherwise the last one counts. */
  readonly list?: true;
  /** The value in `--help`: SECONDS, PORT ... */
  readonly value?: string;
  /** The flag only matters in a cluster: `sluice serve` reports that and goes on. */
  readonly cluster?: true;
  /** Not a flag of ingress-nginx. */
  readonly own?: true;
  /**
   * The reason why the flag has no effect here, for the sentence that the program logs at its
   * start.
   */
  readonly noEffect?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of flags of different types
export type FlagDeclarations = Readonly<Record<string, Flag<any>>>;

export type FlagValues<D extends FlagDeclarations> = {
  readonly [K in keyof D]: D[K] extends Flag<infer T> ? T : never;
};

export function flag<T>(declared: Flag<T>): Flag<T> {
  return declared;
}
