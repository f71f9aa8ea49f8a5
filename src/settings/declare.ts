/**
 * How a ConfigMap key is declared. The declaration is the setting: its type, reading, place in
 * nginx.conf, reference page and tests all come out of it. A setting with a `directive` needs no
 * line in the template: the block it names prints it.
 */

import type { Capability } from "../directives/capabilities.ts";
import type { View } from "../directives/token.ts";
import type { Kind } from "../kinds/kind.ts";

/** The blocks of nginx.conf that print directives of settings. */
export type Context = "main" | "events" | "http" | "stream";

export interface SettingDirective<T> {
  /** Several where one value sets them all: `proxy_read_timeout` and `grpc_read_timeout`. */
  readonly name: string | readonly string[];
  readonly context: Context;
  /**
   * The words after the name, where not as the Kind prints them. A boolean is `on` or `off`; a list
   * prints the directive once for each item; `undefined` prints nothing.
   */
  readonly view?: (value: T) => View | undefined;
}

export interface Setting<T> {
  readonly key: string;
  readonly kind: Kind<T>;
  readonly default: NoInfer<T>;
  readonly doc: string;
  readonly directive?: SettingDirective<T>;
  /** For people: what the value ends up in, where that is more than its `directive`. */
  readonly becomes?: string;
  /** Keys of which one must be on for this one to do anything, or to be printed. */
  readonly onlyWith?: readonly string[];
  /** The ability that nginx needs for the key to do anything, or to be printed. */
  readonly needs?: Capability;
  /**
   * Taken for an unreadable text while there is no last good value, where the default would open
   * what was to be shut.
   */
  readonly closed?: NoInfer<T>;
  /** Where text with variables is evaluated; an undeclared variable makes the text unreadable. */
  readonly variables?: "http" | "stream";
  /** It stands nowhere in nginx.conf itself: it lets authors of other objects write what does. */
  readonly permits?: true;
  /**
   * The value that holds for routes of the Gateway API in its place, because by itself it would
   * change what they answer. Absent: the key holds for them. With `unlessSet` another value than
   * the default holds for them, too.
   */
  readonly forRoutes?: { readonly instead: NoInfer<T>; readonly unlessSet?: true };
  /** Not a key of ingress-nginx. */
  readonly own?: true;
  /** A change is live without a reload of nginx. */
  readonly live?: true;
  /** Why the key changes nothing here, for the Problem that says so. */
  readonly noEffect?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of settings of different types
export type SettingDeclarations = Readonly<Record<string, Setting<any>>>;

export type SettingValues<D extends SettingDeclarations> = {
  readonly [K in keyof D]: D[K] extends Setting<infer T> ? T : never;
};

export function setting<T>(declared: Setting<T>): Setting<T> {
  return declared;
}
