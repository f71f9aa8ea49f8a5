/**
 * How a ConfigMap key is declared. The declaration is the setting: its type, reading, place in nginx.conf, reference page
 * and tests all come out of it. A setting with a `directive` needs no line in the template: the block it names prints it.
 */
import type { Kind } from "../kinds/kind.ts";
import type { View } from "../render/token.ts";

/** The blocks of nginx.conf that print directives of settings. */
export type Context = "main" | "events" | "http" | "stream";

export interface SettingDirective<T> {
  readonly name: string;
  readonly context: Context;
  /** How the value is printed, where not as its Kind prints it; false prints nothing. */
  readonly view?: (value: T) => View;
  /** Keys (in the registry's spelling) that must be true for the directive to be printed. */
  readonly when?: readonly string[];
}

export interface Setting<T> {
  readonly key: string;
  readonly kind: Kind<T>;
  readonly default: T;
  readonly doc: string;
  readonly directive?: SettingDirective<T>;
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
