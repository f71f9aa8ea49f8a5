/** The directives that settings print by themselves, block by block, in the registry's order. */
import type { Context, Setting } from "../settings/declare.ts";
import { settings as declarations, type Settings } from "../settings/registry.ts";
import type { Capabilities } from "./capabilities.ts";
import type { Directive } from "./place.ts";
import { tokenOf } from "./shape.ts";
import { Token, type View } from "./token.ts";

const declared = Object.entries(declarations) as unknown as readonly [keyof Settings, Setting<unknown>][];
const nameOfKey = new Map(declared.map(([name, { key }]) => [key, name]));

export function settingDirectives(context: Context, settings: Settings, capabilities: Capabilities): Directive[] {
  return declared.flatMap(([name, { directive, kind, onlyWith, needs }]) => {
    if (directive?.context !== context || (needs !== undefined && !capabilities[needs])) return [];
    if (onlyWith !== undefined && !onlyWith.some((key) => isOn(settings[nameOfKey.get(key)!]))) return [];
    const view = directive.view === undefined ? kind.view(settings[name]) : directive.view(settings[name]);
    if (view === undefined) return [];
    const names = typeof directive.name === "string" ? [directive.name] : directive.name;
    return names.flatMap((one) => argumentsOf(view).map((value) => ({ name: Token.name(one), value })));
  });
}

/** A list prints its directive once for each item. */
function argumentsOf(view: View): Token[] {
  return Array.isArray(view) ? view.map(tokenOf) : [tokenOf(view)];
}

function isOn(value: unknown): boolean {
  return value !== false && value !== "" && value !== undefined;
}
