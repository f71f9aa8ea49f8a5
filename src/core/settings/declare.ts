/**
 * Declares the keys of the ConfigMap. A declaration yields its type, its reading, its place in
 * nginx.conf, the reference page and the tests. Its key is its name with dashes. A setting with a
 * `directive` needs no line in the template: the block that it names prints it.
 */

import { namedIn } from "../../base/dashed.ts";
import { emptyAs } from "../kinds/combine.ts";
import type { Kind } from "../kinds/kind.ts";
import { bool } from "../kinds/words.ts";
import type { Capability } from "../tokens/capabilities.ts";
import type { View } from "../tokens/token.ts";

/** The blocks of nginx.conf that print directives of settings. */
export type Context = "main" | "events" | "http" | "stream";

export interface SettingDirective<T> {
  /**
   * The name, or a list if one value sets several directives: `proxy_read_timeout` and
   * `grpc_read_timeout`.
   */
  readonly name: string | readonly string[];
  readonly context: Context;
  /**
   * The words after the name, if they differ from those of the Kind. A boolean is `on` or `off`; a
   * list prints the directive once for each item; `undefined` prints nothing.
   */
  readonly view?: (value: T) => View | undefined;
}

export interface Declared<T> {
  readonly kind: Kind<T>;
  /** It may only be absent if there need not be a value. */
  readonly default?: NoInfer<T>;
  readonly doc: string;
  readonly directive?: SettingDirective<T>;
  /** The effect of the value in words for people, if that is more than its `directive`. */
  readonly becomes?: string;
  /** At least one of these keys must be on; otherwise this key has no effect and is not printed. */
  readonly onlyWith?: readonly string[];
  /** The required capability of nginx; without it the key has no effect and is not printed. */
  readonly needs?: Capability;
  /**
   * Replaces an unreadable text while there is no last good value, if the default would open what
   * should be closed.
   */
  readonly closed?: NoInfer<T>;
  /**
   * The part of nginx that evaluates variables in the text. An undeclared variable makes the text
   * unreadable.
   */
  readonly variables?: "http" | "stream";
  /**
   * Whether the key allows authors of other objects to write text into nginx.conf, if the key
   * itself does not appear.
   */
  readonly permits?: true;
  /**
   * The value for routes of the Gateway API, if the key would otherwise change their answers. If
   * it is absent, the key holds for them. With `unlessSet`, a value other than the default holds
   * for them as well.
   */
  readonly forRoutes?: { readonly instead: NoInfer<T>; readonly unlessSet?: true };
  /** Whether the key is Sluice's own, and not one of ingress-nginx. */
  readonly own?: true;
  /** Whether a change is live without a reload of nginx. */
  readonly live?: true;
  /** The reason why the key has no effect here, for its Problem. */
  readonly noEffect?: string;
}

export interface Setting<T> extends Declared<T> {
  readonly key: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of settings of different types
type Group = Readonly<Record<string, Declared<any>>>;

export type SettingValues<D extends Group> = {
  readonly [K in keyof D]: D[K] extends Declared<infer T> ? T : never;
};

export function setting<T>(
  declared: Declared<T> & (undefined extends T ? unknown : { readonly default: NoInfer<T> }),
): Declared<T> {
  return declared;
}

const onOrOff = emptyAs(bool, "false");

/** Declares a switch, which is off by default. An empty text means false. */
export function toggle(declared: Omit<Declared<boolean>, "kind">): Declared<boolean> {
  return { kind: onOrOff, default: false, ...declared };
}

/**
 * Gives the settings of a group their keys: `useGzip` is `use-gzip`. `common` is what all of them
 * declare that do not declare something else.
 */
export function keyed<D extends Group>(
  group: D,
  common: Pick<Declared<unknown>, "needs" | "becomes" | "onlyWith" | "own"> = {},
): { readonly [K in keyof D]: D[K] & { readonly key: string } } {
  const declared = Object.entries(group).map(([name, one]) => [name, { ...common, ...one }]);
  return namedIn(Object.fromEntries(declared) as D, "key");
}

/** Declares a key that has no effect, for the given reason. */
export function without<T>(kind: Kind<T>, noEffect: string, doc: string, usual?: NoInfer<T>): Declared<T> {
  return { kind, noEffect, doc, ...(usual === undefined ? {} : { default: usual }) };
}
