/** The directives that settings print by themselves, block by block, in the registry's order. */
import type { Context, SettingDirective } from "../settings/declare.ts";
import { settings as declarations, type Settings } from "../settings/registry.ts";
import type { Directive } from "./place.ts";
import { tokenOf } from "./shape.ts";
import { Token, type View } from "./token.ts";

export function settingDirectives(context: Context, settings: Settings): Directive[] {
  return Object.entries(declarations).flatMap(([name, { directive, kind }]) => {
    const declared = directive as SettingDirective<unknown> | undefined;
    if (declared === undefined || declared.context !== context) return [];
    if (declared.when?.some((flag) => settings[flag as keyof Settings] !== true)) return [];
    const value = settings[name as keyof Settings];
    const view: View = (declared.view ?? (kind.view as (value: unknown) => View))(value);
    return view === false && declared.view !== undefined
      ? []
      : [{ name: Token.name(declared.name), value: tokenOf(view) }];
  });
}
