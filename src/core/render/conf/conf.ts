/** Renders nginx.conf around servers that were rendered before, and computes its generation. */
import { createHash, hash } from "node:crypto";
import { bytesOf } from "../../kinds/measures.ts";
import { commonNames, groupVariables } from "../../kinds/variables.ts";
import type { Certificate, StreamServer } from "../../model/configuration.ts";
import { recordsVersion } from "../../model/records.ts";
import type { Table } from "../../model/table.ts";
import { letsUnderscoresThrough } from "../../settings/header-spellings.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Machine, RequestCounts } from "../../tokens/machine.ts";
import type { HttpPart } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";
import type { InPlace } from "../dynamic/in-place.ts";
import type { Shape } from "../dynamic/shape.ts";
import { certificateFiles, type RenderedFile } from "../rendered-files.ts";
import { requestHeaders, withoutCertificates } from "../settings/forwarded.ts";
import { serverNamesHash } from "../settings/hashes.ts";
import { ownDictionaries } from "../settings/shared-dictionaries.ts";
import { transportSecurity } from "../settings/transport-security.ts";
import { streamView } from "../streams/view.ts";
import type { Template } from "../template.ts";
import { indented } from "./indent.ts";
import { InternalNames } from "./internal-names.ts";
import { hasLua, loadedModules, ownModulesOf, type TextNeeds } from "./modules.ts";
import {
  type AboutServers,
  closedReasonVariable,
  defaultPairFile,
  fixedNames,
  gatewayLabels,
  routeLabels,
  routeVariables,
} from "./server-views.ts";
import { withoutNotes } from "./source-map.ts";
import { tracesOf } from "./traces.ts";
import { ifRead, withoutUnreadVariables } from "./unread-variables.ts";

export interface ConfParts extends AboutServers {
  /** The content of each server block. */
  readonly servers: readonly Token[];
  readonly upstreams: readonly View[];
  /** The parts of the http block that shapes require. */
  readonly needs: ReadonlySet<HttpPart>;
  /** Lines of the http block that shapes require. */
  readonly http: readonly Token[];
  /** All names that servers have as text. */
  readonly names: readonly string[];
  readonly streams: readonly StreamServer[];
  readonly streamSnippets: readonly string[];
  readonly certificates: Table<Certificate>;
  /** Whether a host requests certificates of clients. */
  readonly verifies: boolean;
  /** The values that the Lua needs; undefined in static mode. */
  readonly lua: LuaParts | undefined;
}

export interface LuaParts {
  /** Bytes of shared memory for records. */
  readonly recordsBytes: number;
  /** Whether nginx listens for Gateways. */
  readonly gateway: boolean;
  /** Whether it does so on one of the usual ports. */
  readonly beside: boolean;
  /** The servers whose ports have several listeners; a shared one has hosts of its own, too. */
  readonly listening?: readonly { readonly slot: string; readonly shared: boolean }[];
  /** The servers of listeners that have one apart. */
  readonly homes?: readonly { readonly slot: string; readonly listeners: readonly string[] }[];
  /** The shapes of each server that has a router. */
  readonly slots: readonly { readonly name: string; readonly shapes: readonly Shape[]; readonly inPlace?: InPlace }[];
}

export function confOf(template: Template, parts: ConfParts, files: readonly RenderedFile[]) {
  const { text: noted, isRead } = withoutUnreadVariables(
    textOf(template, parts),
    [...routeLabels, ...gatewayLabels],
    [...gatewayLabels, ...commonNames],
  );
  const { text, map } = withoutNotes(noted);
  const conf = text.replace(String(Token.gaps.variables), () => variablesRead(text, isRead, parts.machine).join(", "));
  const generation = generationOf(conf, files, parts.lua === undefined ? "" : parts.machine.luaVersion);
  return { conf: conf.replace(String(Token.gaps.generation), generation), generation, map };
}

/**
 * Renders the text. Some directives can only come from a snippet or template of the operator. If
 * the rendered text has one, it is rendered again with the directive's module.
 */
function textOf(template: Template, parts: ConfParts): string {
  const render = (asks: Omit<TextNeeds, "parts">) => indented(String(template.render("nginx", mainView(parts, asks))));
  const first = { lua: parts.lua !== undefined, own: new Set<never>() };
  const text = render(first);
  const asks = { lua: first.lua || hasLua(text), own: ownModulesOf(text) };
  return asks.lua === first.lua && asks.own.size === 0 ? text : render(asks);
}

/** Returns the variables that the router sets because the text reads them. */
function variablesRead(text: string, isRead: (name: string) => boolean, { counts }: Machine): string[] {
  const names = [
    ...[...routeLabels, ...gatewayLabels, ...groupVariables].filter(isRead),
    ...(counts === undefined ? [] : ["route_labels"]),
    ...(onlyOurMapReadsTheId(text) ? ["s_id"] : []),
    ...(/\$s_host\b/.test(text) ? ["s_host"] : []),
  ];
  return names.map((name) => `"${name}"`);
}

/** Variables that the router sets only if the text reads them, and that no record names. */
const setWhereRead = new Set([...groupVariables, ...gatewayLabels, closedReasonVariable]);

/**
 * Whether only Sluice's own map reads `$request_id`. If a log or a snippet reads it, too, it
 * must equal the id that backends get, so nginx makes both.
 */
function onlyOurMapReadsTheId(text: string): boolean {
  return text.match(/\brequest_id\b/g)?.length === 1;
}

/** Returns each path once, because many locations may name the same file. */
export function distinct(files: readonly RenderedFile[]): readonly RenderedFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

/**
 * Returns the files of the default certificate, because nginx needs one on disk for every TLS
 * listener.
 */
export function defaultFiles(certificate: Certificate): RenderedFile[] {
  return certificateFiles(defaultPairFile, certificate);
}

export function hashOf(text: string): string {
  return hash("sha256", text);
}

/**
 * Returns a hash of everything that nginx reads at a reload, because two versions of the Lua
 * modules may have the same nginx.conf.
 */
function generationOf(conf: string, files: readonly RenderedFile[], luaVersion: string): string {
  const sum = createHash("sha256").update(luaVersion).update(conf);
  for (const { path, content, opened } of files)
    if (!opened) sum.update("\0").update(path).update("\0").update(content);
  return sum.digest("hex").slice(0, 32);
}

/**
 * Returns the view of `nginx.tmpl`. `asks` names the modules whose directives the text contains.
 */
function mainView(about: ConfParts, asks: Omit<TextNeeds, "parts">): View {
  const { settings, machine, parts, servers, upstreams, lua, streams, needs, http, fronts } = about;
  const { paths, ports } = machine;
  const { opentelemetry } = parts.http;
  const { ending } = new InternalNames(machine.nameKey);
  const headers = requestHeaders(settings, machine, fronts.any);
  const tracing = { ...opentelemetry, on: opentelemetry.on || needs.has("tracing") };
  return {
    dynamic: lua !== undefined,
    beside: lua?.beside === true,
    ifRead: Token.gaps.ifRead,
    modules: loadedModules(machine, settings, { parts: needs, ...asks }).map(Token.word),
    user: machine.user === undefined ? false : Token.name(machine.user),
    main: parts.main as unknown as View,
    events: parts.events as unknown as View,
    http: { ...parts.http, opentelemetry: tracing } as unknown as View,
    requestHeaders: (about.verifies ? headers : withoutCertificates(headers)).map((header) => {
      return { name: header.name, value: header.value, onlyHttp: header.onlyHttp === true };
    }),
    temp: {
      clientBody: Token.word(`${paths.temp}/client-body`),
      proxy: Token.word(`${paths.temp}/proxy`),
      fastcgi: Token.word(`${paths.temp}/fastcgi`),
      uwsgi: Token.word(`${paths.temp}/uwsgi`),
      scgi: Token.word(`${paths.temp}/scgi`),
    },
    lua:
      lua === undefined
        ? false
        : {
            ...luaView(machine, settings, lua),
            limits: needs.has("limits"),
            traces: tracesOf(variablesOf(lua), setWhereRead),
          },
    authCache: needs.has("authCache") && { path: Token.word(`${paths.temp}/auth-cache`) },
    transportSecurity: transportSecurity(settings),
    httpsPort: Token.count(ports.https),
    stream: streamView(about, streams, about.streamSnippets, about.certificates),
    behind: fronts.any && machine.capabilities.realip,
    names: serverNamesHash(settings, about.names).map((one) => ({ ...one })),
    shared: sharedLines(http),
    upstreams,
    servers,
    // A record may name any of these variables, except those that the router sets only if the
    // text reads them.
    variables: [...variablesOf(lua)].map((name) =>
      lua === undefined || setWhereRead.has(name) ? ifRead(name) : Token.name(name),
    ),
    internal: {
      default: listens(machine, ports.defaultServer),
      control: Token.word(`unix:${paths.controlSocket}`),
      controllerPass: Token.word(paths.controllerPass),
      nginxPass: Token.word(paths.nginxPass),
      generation: Token.gaps.generation,
      status: Token.name(`127.0.0.1:${ports.status}`),
      healthPath: Token.word(machine.healthPath),
      fixed: fixedNames(machine),
      ending: ending !== "" && Token.name(ending),
    },
  };
}

/**
 * Returns the variables that all texts need, and those that only some shapes read, such as values
 * of custom headers.
 */
function variablesOf(lua: LuaParts | undefined): ReadonlySet<string> {
  const shapes = lua?.slots.flatMap((slot) => slot.shapes) ?? [];
  const bound = shapes.flatMap(({ variables }) => Object.keys(variables)).sort();
  return new Set([...routeVariables(lua), ...bound.map((name) => `route_${name}`)]);
}

/** Returns each line once, in an order that does not depend on the order of requests for it. */
function sharedLines(lines: readonly Token[]): Token[] {
  const byText = new Map(lines.map((line) => [String(line), line]));
  return [...byText.keys()].sort().map((text) => byText.get(text)!);
}

/**
 * Returns the values for the Lua. Strings in Lua have the same quotes and escapes as nginx's words.
 */
function luaView(
  { paths, counts }: Machine,
  settings: Settings,
  { recordsBytes, gateway, slots, listening = [], homes = [] }: LuaParts,
) {
  return {
    gateway,
    connectTimeout: Token.count(settings.proxyConnectTimeout),
    keptBody: Token.count(bytesOf(settings.keptBodySize)),
    underscores: letsUnderscoresThrough(settings),
    listening: listening.map(({ slot, shared }) => ({ slot: Token.word(slot), shared: Token.name(String(shared)) })),
    homes: homes.map(({ slot, listeners }) => ({ slot: Token.word(slot), listeners: listeners.map(Token.word) })),
    dictionaries: ownDictionaries(settings),
    // Operators mount their own Lua files where ingress-nginx finds them.
    packagePath: Token.word(`${paths.lua}/?.lua;;/etc/nginx/lua/?.lua`),
    records: Token.name(`sluice_records_${recordsVersion}`),
    recordsSize: Token.name(`${Math.ceil(recordsBytes / 1024)}k`),
    journal: Token.word(paths.journal),
    variables: Token.gaps.variables,
    counts: counts !== undefined && countsView(counts),
    slots: slots.map(({ name, shapes, inPlace }) => ({
      name: Token.word(name),
      shapes: shapes.map((shape) => Token.word(shape.name)),
      inPlace: inPlace !== undefined && {
        name: Token.word(inPlace.name),
        takesBodies: Token.name(String(inPlace.takesBodies)),
      },
    })),
  };
}

function countsView({ perHost, undefinedHosts, statusClasses, buckets }: RequestCounts): View {
  const flag = (on: boolean) => Token.name(String(on));
  const numbers = (some: readonly number[]) => some.map((one) => Token.name(String(one)));
  const { time, part, length, size } = buckets;
  return {
    perHost: flag(perHost),
    undefinedHosts: flag(undefinedHosts),
    statusClasses: flag(statusClasses),
    time: numbers(time),
    part: numbers(part),
    length: numbers(length),
    size: numbers(size),
  };
}

function listens({ ipv6 }: Machine, port: number): Token[] {
  return [String(port), ...(ipv6 ? [`[::]:${port}`] : [])].map(Token.name);
}
