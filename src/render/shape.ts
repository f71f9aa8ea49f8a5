/**
 * The text of a Location, apart from its host, path and backend. Equal text is one Shape, however many Ingresses ask for
 * it; its name is the hash of its text and so never changes meaning (design.md 4, trap 1).
 */
import { createHash } from "node:crypto";
import { standInHeaders } from "../annotations/custom-errors.ts";
import type { AnyFeature, Field, Fields } from "../annotations/declare.ts";
import { unannotated } from "../annotations/read.ts";
import { type FeatureValues, featureList } from "../annotations/registry.ts";
import { isElsewhere } from "../annotations/rewrite.ts";
import { defaultUpstream, defaultUpstreamLabel, type Location } from "../model/configuration.ts";
import type { Settings } from "../settings/registry.ts";
import { answerHeadersView } from "./answer-headers.ts";
import type { Machine } from "./machine.ts";
import type {
  AnswerHeader,
  Directive,
  ErrorBackend,
  Header,
  HttpPart,
  InternalLocation,
  Place,
  Protocol,
  ServerPlace,
} from "./place.ts";
import { poolOf, protocolOf, type Scheme } from "./pools.ts";
import { type InEveryLocation, inEveryLocation } from "./settings/everywhere.ts";
import { requestHeaders } from "./settings/forwarded.ts";
import type { Template } from "./template.ts";
import { Token, type View } from "./token.ts";
import { balancedBlock } from "./upstream-views.ts";

export interface Shape {
  /** `@` and 16 hex digits. */
  readonly name: string;
  /** The directives, without the braces around them. */
  readonly text: Token;
  /** What its route variables stand for, by name without `route_`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Locations that stand beside it in every server that has it. */
  readonly beside: readonly BesideLocation[];
  readonly files: readonly RenderedFile[];
  /** What it needs of the http block. */
  readonly needs: ReadonlySet<HttpPart>;
  /** Lines of the http block. */
  readonly http: readonly Token[];
  /** Names of the upstream blocks it sends to. */
  readonly pools: readonly string[];
}

/** A file that the text or a record names; its name is a hash of its content. */
export interface RenderedFile {
  /** Below the run folder. */
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Whether nginx opens it at each request, rather than at a reload. */
  readonly opened: boolean;
}

export interface BesideLocation {
  /** `= /_sluice/…` or `@…`, as it stands after the word location. */
  readonly match: Token;
  readonly text: Token;
}

/** What decides about a Location's text beyond its features. */
export interface ShapeTraits {
  readonly denied: boolean;
  /** Whether its path is none of no-tls-redirect-locations. */
  readonly redirectsToHttps: boolean;
  readonly owned: boolean;
  readonly authenticates: boolean;
  readonly scheme: Scheme;
  /** Whether it is the text for the Service that stands in where the Location's own has no endpoints. */
  readonly standsIn: boolean;
  /** Whether the times of its answers are noted for ewma. */
  readonly timed: boolean;
}

export type LocationText = Omit<Shape, "name" | "variables">;

/** How a tenant's values are written, which differs between the modes. */
export type Writing = Pick<Place, "bind" | "captured" | "errorBackend">;

/** Where a location sends to. */
export interface Target {
  /** Whether the router has said in variables what it found out. */
  readonly dynamic: boolean;
  /** Whether nothing is there to serve it, where text has to say so. */
  readonly unserved: boolean;
  /** Names of the upstream blocks for plain HTTP that it may send to. */
  readonly blocks: readonly string[];
  /** Gives the name of one of them, where there are several. */
  readonly chosen?: Token;
  /** Headers of its answers beside those of its features. */
  readonly answerHeaders?: readonly AnswerHeader[];
  /** The pattern and target of a rewrite; false where there is none, or the router does it. */
  readonly rewrite: View;
}

export class Shapes {
  readonly #template: Template;
  readonly #settings: Settings;
  readonly #root: string;
  readonly #known = new WeakMap<FeatureValues, Map<string, Shape>>();

  readonly #headers: readonly Header[];
  readonly #everywhere: InEveryLocation;

  constructor(template: Template, settings: Settings, { capabilities, paths, around }: Machine) {
    this.#template = template;
    this.#root = paths.root;
    this.#settings = settings;
    this.#headers = requestHeaders(settings, capabilities);
    this.#everywhere = inEveryLocation(settings, capabilities, around);
  }

  /** All that a Location may be served by. */
  allOf(location: Location<FeatureValues>): readonly Shape[] {
    return location.standIn === undefined ? [this.of(location)] : [this.of(location), this.standInOf(location)];
  }

  /** For the Service that stands in where the Location's own has no endpoints. */
  standInOf(location: Location<FeatureValues>): Shape {
    return this.of(location, true);
  }

  of(location: Location<FeatureValues>, standsIn = false): Shape {
    const traits = { ...traitsOf(location, this.#settings), standsIn };
    const key = JSON.stringify(traits);
    const known = this.#known.get(location.features) ?? new Map<string, Shape>();
    this.#known.set(location.features, known);
    let shape = known.get(key);
    if (shape === undefined) {
      shape = this.#render(location.features, traits);
      known.set(key, shape);
    }
    return shape;
  }

  #render(values: FeatureValues, traits: ShapeTraits): Shape {
    const variables: Record<string, string> = {};
    const bind: Place["bind"] = (name, raw) => {
      variables[name] = raw;
      return Token.variable(`route_${name}`);
    };
    const captured = () => Token.variable("forwarded_prefix");
    const target = { dynamic: true, unserved: false, rewrite: false, blocks: [balancedBlock] };
    const found = this.text(values, traits, { bind, captured, errorBackend }, target);
    const texts = [found.text, ...found.beside.map((one) => one.text), ...found.http];
    return { name: `@${hashOf(texts)}`, variables, ...found };
  }

  /** The directives of a location. `writing` says how a tenant's values are written, `target` where requests go. */
  text(values: FeatureValues, traits: ShapeTraits, writing: Writing, target: Target): LocationText {
    const { dynamic, unserved, rewrite, chosen } = target;
    const beside: BesideLocation[] = [];
    const files: RenderedFile[] = [];
    const needs = new Set<HttpPart>();
    const http = new Map<string, Token>();
    const apart: string[] = [];
    const place: Place = {
      ...filesOf(this.#root, files),
      ...writing,
      protocol: protocolOf(traits.scheme),
      dynamic,
      owned: traits.owned,
      authenticates: traits.authenticates,
      needs: (part) => needs.add(part),
      inHttp: (text) => http.set(String(text), text),
      pooledApart: (by) => apart.push(by),
      beside: (kind, location) => this.#beside(kind, location, beside),
    };
    const given = { builtIn: this.#headers, answerHeaders: target.answerHeaders ?? [] };
    const view = locationView(values, traits, place, this.#settings, given, this.#everywhere);
    const apartBy = apart.length === 0 ? "" : digestOf(apart.join("\0"));
    const { pass, blocks } = poolOf(traits.scheme, target.blocks, apartBy, chosen);
    const elsewhere = isElsewhere(values.rewrite.target);
    const text = this.#template.render("location", { ...view, dynamic, unserved, rewrite, elsewhere, pass });
    return { text, beside, files, needs, http: [...http.values()], pools: blocks };
  }

  #beside(kind: "uri" | "named", { partial, view }: InternalLocation, all: BesideLocation[]): Token {
    const written = this.#template.render(partial, view);
    const text = this.#everywhere.inspected ? Token.conf`modsecurity off;\n${written}` : written;
    const hash = hashOf([text]);
    const [match, target] =
      kind === "uri"
        ? [Token.conf`= ${Token.name(`/_sluice/${hash}`)}`, Token.name(`/_sluice/${hash}`)]
        : [Token.name(`@${hash}`), Token.name(`@${hash}`)];
    if (!all.some((one) => String(one.match) === String(match))) all.push({ match, text });
    return target;
  }
}

/** Gathers what is asked for as a file. */
export function filesOf(root: string, files: RenderedFile[]): ServerPlace {
  return {
    file: (use, content) => {
      const path = `${use === "opened" ? "data/opened" : "tls"}/${createHash("sha256").update(content).digest("hex").slice(0, 32)}`;
      if (!files.some((file) => file.path === path)) files.push({ path, content, opened: use === "opened" });
      return `${root}/${path}`;
    },
  };
}

export function traitsOf(location: Location<FeatureValues>, settings: Settings): ShapeTraits {
  const { path, denied, timed, ingress, features, upstream } = location;
  const within = (prefixes: readonly string[]) => prefixes.some((prefix) => path.startsWith(prefix));
  const owned = ingress.name !== "";
  return {
    denied,
    redirectsToHttps: !within(settings.noTlsRedirectLocations),
    owned,
    authenticates: owned && !within(settings.noAuthLocations),
    scheme: upstream === defaultUpstream ? "HTTP" : features.backendProtocol.scheme,
    timed,
    standsIn: false,
  };
}

/** The router says in variables whom to ask. */
function errorBackend(own: boolean): ErrorBackend {
  return {
    pass: poolOf("HTTP", [balancedBlock], "").pass,
    sets: [
      ["route_upstream", own ? Token.variable("route_error_upstream") : Token.name(defaultUpstream)],
      ["proxy_upstream_name", own ? Token.variable("route_error_name") : Token.name(defaultUpstreamLabel)],
      ["route_sticky", Token.text("")],
    ],
  };
}

/** What the location partial sees: its traits, each feature's view under the feature's name, directives and headers. */
function locationView(
  values: FeatureValues,
  traits: ShapeTraits,
  place: Place,
  settings: Settings,
  given: { readonly builtIn: readonly Header[]; readonly answerHeaders: readonly AnswerHeader[] },
  everywhere: InEveryLocation,
): Readonly<Record<string, View>> {
  const { denied, redirectsToHttps } = traits;
  const view: Record<string, View> = { denied, redirectsToHttps };
  const directives: Directive[] = [];
  const headers: Header[] = traits.standsIn
    ? standInHeaders.map(([name, value]) => ({ name: Token.name(name), value }))
    : [];
  const answer: AnswerHeader[] = [...given.answerHeaders];
  let restated = everywhere.restatesRequestHeaders;
  let forgets = everywhere.restatesResponseHeaders;
  for (const [name, feature] of featureList) {
    const value = values[name] as never;
    const able = feature.needs === undefined || everywhere.can[feature.needs];
    directives.push(...directivesOf(name, feature, value, place, settings));
    headers.push(...(feature.requestHeaders?.(value, place, settings) ?? []));
    if (feature.view !== undefined) view[name] = able && feature.view(value, place, settings);
    answer.push(...(feature.answerHeaders?.(value, place, settings) ?? []));
    if (feature.forgetsRequestHeaders?.(value) === true) restated = true;
    if (feature.forgetsAnswerHeaders?.(value) === true) forgets = true;
  }
  return {
    ...view,
    directives: directives.map((one) => ({ ...one })),
    requestHeaders: place.protocol !== "fastcgi" && {
      directive: Token.name(place.protocol === "grpc" ? "grpc_set_header" : "proxy_set_header"),
      headers: headersView(headers, given.builtIn, restated),
    },
    answerHeaders: answerHeadersView(answer, forgets, settings, place.protocol),
    settings: everywhere.view,
  };
}

/** A location with a request header of its own inherits none, so all are restated there; its own of a name wins. */
function headersView(own: readonly Header[], builtIn: readonly Header[], restated: boolean): View {
  if (own.length === 0 && !restated) return [];
  const nameOf = ({ name }: Header) => String(name).toLowerCase();
  const byName = new Map(own.map((header) => [nameOf(header), header]));
  const replaced = new Set([...byName.values()].filter(({ beside }) => beside !== true).map(nameOf));
  const others = builtIn.filter((header) => !replaced.has(nameOf(header)));
  return [...others, ...byName.values()].map(({ name, value }) => ({ name, value }));
}

/** The lines of a feature whose value differs from what the http block says; the rest is inherited. */
function directivesOf(
  name: keyof FeatureValues,
  feature: AnyFeature,
  value: never,
  { protocol }: Place,
  settings: Settings,
): Directive[] {
  const directives: Directive[] = [];
  for (const [field, { directive, fallback, kind }] of Object.entries(feature.fields as Fields)) {
    const named = directive && directiveName(directive, protocol);
    if (named === undefined) continue;
    const view = kind.view((value as Record<string, unknown>)[field]);
    if (print(view) === print(kind.view(fallback(settings)))) continue;
    directives.push({ name: Token.name(named), value: tokenOf(view) });
  }
  const lines = feature.directives?.(value, settings, protocol) ?? [];
  const inherited = lines.length === 0 ? [] : feature.directives!(unannotated(settings)[name], settings, protocol);
  const known = new Set(inherited.map(printLine));
  return [...directives, ...lines.filter((line) => !known.has(printLine(line)))];
}

/** Directives of the proxy module mean nothing for other backends; those of nginx's core hold for all. */
function directiveName({ name, grpc }: NonNullable<Field<unknown>["directive"]>, protocol: Protocol) {
  if (protocol === "http" || !name.startsWith("proxy_")) return name;
  return protocol === "grpc" ? grpc : undefined;
}

function printLine({ name, value }: Directive): string {
  return `${name} ${value}`;
}

/** A value as the argument of a directive: booleans are `on` and `off`, lists are words. */
export function tokenOf(view: View): Token {
  if (view instanceof Token) return view;
  if (typeof view === "boolean") return view ? Token.conf`on` : Token.conf`off`;
  if (Array.isArray(view)) return Token.words(view.map(tokenOf));
  throw new TypeError("a record is no argument of a directive");
}

function print(view: View): string {
  return String(tokenOf(view));
}

function hashOf(tokens: readonly Token[]): string {
  return digestOf(tokens.map((token) => `${token}\0`).join(""));
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
