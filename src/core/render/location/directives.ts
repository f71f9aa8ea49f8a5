/**
 * Renders the lines of a feature in a location. Values of the http block are inherited, so they are
 * not repeated.
 */
import type { AnyFeature, Field, Fields } from "../../policies/declare.ts";
import { unannotated } from "../../policies/read.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Directive, Place, Protocol } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";

export type NamedFeature = readonly [name: keyof FeatureValues, feature: AnyFeature];

/**
 * Returns first the lines of fields with a directive of their own, then those that depend on
 * several fields.
 */
export function directivesOf(
  [name, feature]: NamedFeature,
  values: FeatureValues,
  place: Pick<Place, "protocol" | "live" | "ofGateway" | "bind">,
  settings: Settings,
): Directive[] {
  const { protocol } = place;
  const value = values[name] as never;
  const lines = feature.directives?.(value, settings, protocol) ?? [];
  const inherited = lines.length === 0 ? [] : feature.directives!(unannotated(settings)[name], settings, protocol);
  const known = new Set(inherited.map(printLine));
  const isOwn = lines.map((line) => !known.has(printLine(line)));
  const written =
    place.live && isOwn.includes(true) ? feature.directives!(value, settings, protocol, place.bind) : lines;
  return [...ownDirectives(feature.fields, value, place, settings), ...written.filter((_, at) => isOwn[at])];
}

function ownDirectives(
  fields: Fields,
  value: Readonly<Record<string, unknown>>,
  place: Pick<Place, "protocol" | "live" | "ofGateway" | "bind">,
  settings: Settings,
): Directive[] {
  const { protocol, live: isLive, bind } = place;
  return Object.entries(fields).flatMap(([field, { directive, fallback, kind }]) => {
    const name = directive && nameFor(protocol, directive);
    if (directive === undefined || name === undefined) return [];
    const live = isLive ? directive.live : undefined;
    const view = kind.view(value[field]);
    if (live === "balancer" || print(view) === print(kind.view(fallback(settings)))) return [];
    const bound = typeof live === "function" ? live(value[field], place) : live && bind(live.variable, print(view));
    return [{ name: Token.name(name), value: bound ?? argumentOf(view) }];
  });
}

/**
 * Returns the directive's name for a protocol. Directives of the proxy module have no effect on
 * other backends, and those of nginx's core hold for all.
 */
function nameFor(protocol: Protocol, { name, grpc }: NonNullable<Field<unknown>["directive"]>): string | undefined {
  if (protocol === "http" || !name.startsWith("proxy_")) return name;
  return protocol === "grpc" ? grpc : undefined;
}

/** Returns a value as the argument of a directive: booleans are `on` and `off`, lists are words. */
function argumentOf(view: View): Token {
  if (view instanceof Token) return view;
  if (typeof view === "boolean") return view ? Token.conf`on` : Token.conf`off`;
  if (Array.isArray(view)) return Token.words(view.map(argumentOf));
  throw new TypeError("a record is not an argument of a directive");
}

function print(view: View): string {
  return String(argumentOf(view));
}

function printLine({ name, value }: Directive): string {
  return `${name} ${value}`;
}
