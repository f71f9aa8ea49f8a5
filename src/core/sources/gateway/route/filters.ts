/** Reads the filters of a rule or a backend as changes to requests and answers. */
import { shown } from "../../../kinds/kind.ts";
import type { Filters, PathChange, Redirect } from "../../../model/filters.ts";
import type { HTTPRouteFilter, PathModifier } from "../../../model/gateway/objects.ts";
import { sluiceGroup } from "../../../model/gateway/route-settings.ts";
import { own } from "../../../model/own.ts";
import { routeFilters } from "../../../policies/filters.ts";
import { type HeaderMistake, hostMistake } from "../../../policies/header-changes/read.ts";
import { authMistake } from "./auth-values.ts";

const namesBackend = (type: string): boolean => routeFilters.get(type)?.ofBackends !== undefined;
/** Whether a filter is read elsewhere, because it names another object. */
const isApart = (type: string): boolean => type === "ExternalAuth" || isRepeatable(type);
/** Whether a list may have several filters of this type. */
const isRepeatable = (type: string): boolean => type === "ExtensionRef" || namesBackend(type);

export type FiltersRead =
  | { readonly ok: true; readonly filters: Filters | undefined }
  | {
      readonly ok: false;
      readonly reason: "UnsupportedValue" | "IncompatibleFilters";
      /** Below the field of the filters: `[0].type`. */
      readonly part: string;
      readonly why: string;
    };

/**
 * Reads the filters. `prefix` is the matched path, without a slash at its end; undefined if the
 * match is not a PathPrefix.
 */
export function filtersOf(filters: readonly HTTPRouteFilter[], prefix: string | undefined): FiltersRead {
  if (filters.length === 0) return { ok: true, filters: undefined };
  const mistake = together(filters) ?? apart(filters, prefix);
  if (mistake !== undefined) return { ok: false, ...mistake };
  const own = filters.filter(({ type }) => !isApart(type));
  const read: Filters = Object.assign({}, ...own.map((filter) => filterOf(filter, prefix ?? "")));
  return { ok: true, filters: own.length === 0 ? undefined : read };
}

type Mistake = Omit<Extract<FiltersRead, { ok: false }>, "ok">;

function together(filters: readonly HTTPRouteFilter[]): Mistake | undefined {
  const types = filters.map(({ type }) => type);
  const twice = types.findIndex((type, at) => !isRepeatable(type) && types.indexOf(type) !== at);
  if (twice >= 0) {
    return { reason: "IncompatibleFilters", part: `[${twice}].type`, why: `${types[twice]} stands there twice` };
  }
  if (types.includes("URLRewrite") && types.includes("RequestRedirect")) {
    const part = `[${types.indexOf("RequestRedirect")}].type`;
    return { reason: "IncompatibleFilters", part, why: "RequestRedirect and URLRewrite cannot be used together" };
  }
  return undefined;
}

const fieldOf: Readonly<Record<string, keyof HTTPRouteFilter>> = {
  RequestRedirect: "requestRedirect",
  URLRewrite: "urlRewrite",
  ExternalAuth: "externalAuth",
  ExtensionRef: "extensionRef",
  ...Object.fromEntries([...routeFilters.values()].map(({ type, field }) => [type, field])),
};

function isRouteSettings({ group, kind }: { readonly group: string; readonly kind: string }): boolean {
  return group === sluiceGroup && kind === "RouteSettings";
}

const statuses = [301, 302, 303, 307, 308] as const;

function apart(filters: readonly HTTPRouteFilter[], prefix: string | undefined): Mistake | undefined {
  for (const [at, filter] of filters.entries()) {
    const no = (part: string, why: string): Mistake => ({ reason: "UnsupportedValue", part: `[${at}]${part}`, why });
    const field = own(fieldOf, filter.type);
    if (field === undefined) return no(".type", `${shown(filter.type)} is not a filter that Sluice knows`);
    if (filter[field] === undefined) return no("", `has no ${field}, and its type is ${filter.type}`);
    const other = Object.values(fieldOf).find((one) => one !== field && filter[one] !== undefined);
    if (other !== undefined) return no(`.${other}`, `must not stand beside type ${filter.type}`);
    const { extensionRef: extension } = filter;
    if (extension !== undefined && !isRouteSettings(extension)) {
      const named = `${extension.group} ${extension.kind}`;
      return no(".extensionRef", `${shown(named)} is not ${sluiceGroup} RouteSettings, which is what Sluice knows`);
    }
    const { requestRedirect: redirect, urlRewrite: rewrite } = filter;
    const code = redirect?.statusCode ?? 302;
    if (!statuses.some((one) => one === code)) {
      return no(".requestRedirect.statusCode", `${code} is not one of ${statuses.join(", ")}`);
    }
    const scheme = redirect?.scheme ?? "https";
    if (scheme !== "http" && scheme !== "https") {
      return no(".requestRedirect.scheme", `${shown(scheme)} is not http or https`);
    }
    const mistake = pathMistake((redirect ?? rewrite)?.path, prefix);
    if (mistake !== undefined) return no(`.${field}.path`, mistake);
    const bad = filter.externalAuth === undefined ? textMistake(filter) : authMistake(filter.externalAuth);
    if (bad !== undefined) return no(`.${field}${bad.part}`, bad.why);
  }
  return undefined;
}

/**
 * Returns the mistake in a filter's text that would change the framing of a request or an answer.
 */
function textMistake(filter: HTTPRouteFilter): HeaderMistake | undefined {
  const { requestRedirect, urlRewrite } = filter;
  const hostname = (requestRedirect ?? urlRewrite)?.hostname;
  const why = hostname === undefined ? undefined : hostMistake(hostname);
  if (why !== undefined) return { part: ".hostname", why };
  return routeFilters.get(filter.type)?.mistake?.(filter);
}

function pathMistake(path: PathModifier | undefined, prefix: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const { type, replaceFullPath, replacePrefixMatch } = path;
  if (type === "ReplaceFullPath") return replaceFullPath === undefined ? "has no replaceFullPath" : undefined;
  if (type !== "ReplacePrefixMatch") return `type ${shown(type)} is not ReplaceFullPath or ReplacePrefixMatch`;
  if (replacePrefixMatch === undefined) return "has no replacePrefixMatch";
  return prefix === undefined ? "ReplacePrefixMatch needs matches of type PathPrefix" : undefined;
}

function filterOf(filter: HTTPRouteFilter, prefix: string): Filters {
  const { type, requestRedirect, urlRewrite } = filter;
  if (type === "RequestRedirect") {
    const { scheme, hostname, path, port, statusCode = 302 } = requestRedirect!;
    const redirect: Redirect = {
      scheme: scheme as Redirect["scheme"],
      hostname: hostname?.toLowerCase(),
      path: pathChange(path, prefix, escaped),
      port,
      status: statusCode as Redirect["status"],
    };
    return { redirect };
  }
  if (type === "URLRewrite") {
    return { rewrite: { hostname: urlRewrite!.hostname, path: pathChange(urlRewrite!.path, prefix, decoded) } };
  }
  return routeFilters.get(type)!.read!(filter);
}

function pathChange(
  path: PathModifier | undefined,
  prefix: string,
  read: (text: string) => string,
): PathChange | undefined {
  if (path === undefined) return undefined;
  const { type, replaceFullPath = "", replacePrefixMatch = "" } = path;
  if (type === "ReplaceFullPath") return { type: "full", path: withSlash(read(replaceFullPath)) };
  return { type: "prefix", prefix, path: replacePrefixMatch === "" ? "" : withSlash(read(replacePrefixMatch)) };
}

/** Returns the path of a redirect as it stands in the header Location. */
function escaped(path: string): string {
  return path.toWellFormed().replace(/[^!-~]+/g, encodeURIComponent);
}

/**
 * Returns the decoded path of a rewrite, as nginx has paths, because nginx escapes it towards the
 * backend.
 */
function decoded(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    const text = Buffer.from(escapes.replaceAll("%", ""), "hex").toString();
    // U+FFFD stands for bytes that are not UTF-8.
    return /[\p{Cc}\uFFFD]/u.test(text) ? escapes : text;
  });
}

/**
 * Adds a slash to the beginning of a path, which would otherwise become a part of the host in a
 * redirect.
 */
function withSlash(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}
