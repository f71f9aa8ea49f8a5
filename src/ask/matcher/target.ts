/**
 * Computes where redirects of a route lead, and the path that its backends get, as answer.lua and
 * rest.lua do.
 */
import type { PathChange, Redirect, UrlRewrite } from "../../core/model/filters.ts";
import type { ListenerPort } from "../../core/model/listeners.ts";
import type { Settings } from "../../core/settings/registry.ts";
import { schemeOf } from "./redirects.ts";
import type { AskedRequest, ReadRequest } from "./request.ts";
import { escapedPath, spelledRest } from "./spelling.ts";

const usual: Readonly<Record<string, number>> = { http: 80, https: 443 };

export function redirectTarget(
  redirect: Redirect,
  {
    asked,
    request,
    port,
    settings,
  }: {
    readonly asked: AskedRequest;
    readonly request: ReadRequest;
    readonly port: ListenerPort;
    readonly settings: Pick<Settings, "useForwardedHeaders">;
  },
): string {
  // A proxy in front may have received the request over another scheme.
  const own = schemeOf(asked, settings);
  const scheme = redirect.scheme ?? own;
  const ports: Readonly<Record<string, number>> = (own === asked.scheme ? port.usualPorts : undefined) ?? usual;
  const isKnown = redirect.scheme !== undefined || own !== asked.scheme;
  const to = redirect.port ?? (isKnown ? ports[scheme] : undefined) ?? port.port;
  const host = redirect.hostname ?? request.host;
  const authority = to === usual[scheme] ? host : `${host}:${to}`;
  const path =
    redirect.path === undefined ? request.requestUri : `${changed(redirect.path, request.uri)}${request.query}`;
  return `${scheme}://${authority}${path}`;
}

/**
 * Returns undefined if the path stays. With `spells`, the backend gets the rest as the client wrote
 * it.
 */
export function rewritten({ path }: UrlRewrite, request: ReadRequest, spells: boolean): string | undefined {
  if (path === undefined) return undefined;
  const spelled = spells && path.type === "prefix" ? spelledRest(path, request) : undefined;
  return spelled ?? escapedPath(changed(path, request.uri));
}

/**
 * Returns the new path. Exactly one slash stands between the replacement and the rest of the path.
 */
function changed(change: PathChange, uri: string): string {
  if (change.type === "full") return change.path;
  const following = uri.slice(change.prefix.length);
  if (following === "") return change.path === "" ? "/" : change.path;
  if (change.path.endsWith("/") && following.startsWith("/")) return change.path + following.slice(1);
  return change.path.endsWith("/") || following.startsWith("/")
    ? change.path + following
    : `${change.path}/${following}`;
}
