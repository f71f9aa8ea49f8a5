/**
 * The declaration of a flag. It yields its type, its reading, `--help`, the reference page and the
 * tests. Names and defaults are those of ingress-nginx, so that its Pods start Sluice unchanged.
 */
import { namedIn } from "../base/dashed.ts";
import type { Kind } from "../core/kinds/kind.ts";
import { bool } from "../core/kinds/words.ts";

export interface DeclaredFlag<T> {
  /** Without the dashes; given only if it is not the name of the declaration with dashes. */
  readonly name?: string;
  /** One letter, for a single dash. */
  readonly short?: string;
  readonly kind: Kind<T> & { readonly word?: string };
  /** It may only be absent if there need not be a value. */
  readonly default?: NoInfer<T>;
  readonly doc: string;
  /** The default of `sluice serve`, if it differs. */
  readonly serve?: NoInfer<T>;
  /** A switch: `--name` alone means true, and a value needs `=`. */
  readonly toggle?: true;
  /** If given twice, the values are joined with a comma; otherwise the last one counts. */
  readonly list?: true;
  /** The value in `--help`: SECONDS, FOLDER ... Without it the word of the Kind stands there. */
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

export interface Flag<T> extends DeclaredFlag<T> {
  readonly name: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of flags of different types
type Group = Readonly<Record<string, DeclaredFlag<any>>>;

export type FlagValues<D extends Group> = {
  readonly [K in keyof D]: D[K] extends DeclaredFlag<infer T> ? T : never;
};

export function flag<T>(
  declared: DeclaredFlag<T> & (undefined extends T ? unknown : { readonly default: NoInfer<T> }),
): DeclaredFlag<T> {
  return declared;
}

/** Declares a switch, which is off by default. */
export function toggle(declared: Omit<DeclaredFlag<boolean>, "kind" | "toggle">): DeclaredFlag<boolean> {
  return { kind: bool, toggle: true, default: false, ...declared };
}

/**
 * Gives the flags of a group their names: `httpPort` is `http-port`. `all` is what they have in
 * common.
 */
export function named<D extends Group>(
  group: D,
  all: Pick<DeclaredFlag<unknown>, "cluster" | "own"> = {},
): { readonly [K in keyof D]: D[K] & { readonly name: string } } {
  const whole = Object.entries(group).map(([name, one]) => {
    const { word } = one.kind;
    return [name, { ...all, ...(word !== undefined && { value: word }), ...one }] as const;
  });
  return namedIn(Object.fromEntries(whole), "name") as never;
}

/** A group of flags that only matter in a cluster. */
export const inCluster = <D extends Group>(group: D) => named(group, { cluster: true });

/** A group of flags that ingress-nginx does not have. */
export const ours = <D extends Group>(group: D) => named(group, { own: true });
