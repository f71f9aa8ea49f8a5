/**
 * The nginx text of external authentication. The location gets `auth_request`; the subrequest has a
 * location beside it, and so has the redirect to the sign-in page. A tenant's literal texts are
 * route variables, so the usual settings share one shape however many URLs there are.
 *
 * The URL always goes through a variable: nginx resolves a literal host at the configuration test,
 * where one dead name makes it refuse everything (trap 8).
 */
import { checkedUrl, namedHost } from "../../kinds/checked-name.ts";
import { isKnownVariable, namesGroups, variablesIn, variableText, withoutGroups } from "../../kinds/variables.ts";
import { clientCertificateHeaders } from "../../settings/client-certificate-headers.ts";
import { otherSpellings } from "../../settings/header-spellings.ts";
import { ownHost } from "../../settings/own-host.ts";
import type { Settings } from "../../settings/registry.ts";
import { hopsHeader, nextHops } from "../../tokens/hops.ts";
import type { AnswerHeader, Header, Place } from "../../tokens/place.ts";
import { shortHash } from "../../tokens/short-hash.ts";
import { Token, type View } from "../../tokens/token.ts";
import { groupedText } from "../variables.ts";
import { isQuestionVariable, isSigninVariable } from "./kinds.ts";
import type { ExternalAuth, Question } from "./question.ts";
import { fromProxies, removed } from "./removed-headers.ts";

/** Returns the view of `templates/external-auth.tmpl`. */
export function externalAuthView(value: ExternalAuth, place: Place, settings: Settings): View {
  if (value.kind === "none" || !place.authenticates) return false;
  if (value.kind === "refuse") return { refused: true };
  const { question } = value;
  const { alwaysSetCookie, cacheKey } = question;
  if (cacheKey !== "") place.needs("authCache");
  if (place.dynamic && alwaysSetCookie) place.bind("auth_cookies_always", "1");
  const passed = passedAsData(question, place);
  if (passed.length > 0) place.bind("auth_passed", passed.join(" "));
  return {
    refused: false,
    question: place.beside("uri", { partial: "auth-request", view: questionView(question, place, settings) }),
    signin:
      question.signin !== "" && place.beside("named", { partial: "auth-signin", view: signinView(question, place) }),
    answers: place.dynamic ? false : answers(question.responseHeaders),
    passes: mayPassAsData(question, place),
    named: namedAnswers(question.responseHeaders, place),
  };
}

/**
 * Copies headers of the answer to the request to the backend. Headers that the answer lacks are
 * removed.
 */
export function answeredHeaders(value: ExternalAuth, place: Place): readonly Header[] {
  if (value.kind !== "ask" || !place.authenticates) return [];
  return passedAsText(value.question, place).map((name) => ({
    name: Token.name(name),
    value: Token.variable(`auth_header_${underscored(name)}`),
    beside: true,
  }));
}

/**
 * Whether the Lua may pass headers of the answer on, by names that are data. It sets them in the
 * request, which FastCGI would send as parameters.
 */
function mayPassAsData({ by, snippet }: Question, { setsHeaders, protocol }: Place): boolean {
  return setsHeaders && by === "ingress" && snippet === undefined && protocol !== "fastcgi";
}

/** Names of headers that nginx itself reads, or that affect how a request is transferred. */
const readByNginx =
  /^(accept|authorization|cookie|date|depth|destination|early-data|if-|overwrite|range|referer|user-agent|via|content-|x-forwarded|x-real-ip|x-request-id|x-sluice|x-original|x-scheme|ssl-client|grpc-)/i;

/** Returns headers that are passed as data. A header that other lines use has its own line. */
function passedAsData(question: Question, place: Place): readonly string[] {
  if (!mayPassAsData(question, place)) return [];
  return passedNames(question).filter((name) => isFree(name, place));
}

function passedAsText(question: Question, place: Place): readonly string[] {
  const isText = !mayPassAsData(question, place);
  return passedNames(question).filter((name) => isText || !isFree(name, place));
}

function isFree(name: string, place: Place): boolean {
  return !readByNginx.test(name) && !name.includes("_") && !place.usesHeader(name);
}

function passedNames({ responseHeaders }: Question): readonly string[] {
  return responseHeaders.filter((name) => name.toLowerCase() !== hopsHeader);
}

function answers(names: readonly string[]): View[] {
  return [...new Set(names.map(underscored))].map((name) => ({
    variable: Token.name(`auth_header_${name}`),
    header: Token.name(name.replaceAll("_", "-")),
    from: Token.variable(`upstream_http_${name}`),
  }));
}

/** Returns the view of `templates/auth-request.tmpl`. */
function questionView(question: Question, place: Place, settings: Settings): View {
  const { host, method, cacheKey, cacheDurations, only200, snippet } = question;
  // No pattern has matched the path of the subrequest itself.
  const url = withoutGroups(question.url);
  const serverName = bound("auth_host", host, question, place);
  return {
    dynamic: place.dynamic,
    logged: settings.enableAuthAccessLog,
    escapes: variablesIn(`${url}${cacheKey}`).includes("escaped_request_uri"),
    answers: answers(place.dynamic ? passedAsText(question, place) : question.responseHeaders),
    only200,
    cache: cacheKey !== "" && {
      key: keyOf(question, place),
      durations: cacheDurations.map((item) => Token.words(item.split(" ").map(Token.name))),
    },
    method: method !== undefined && (place.dynamic ? place.bind("auth_method", method) : Token.name(method)),
    serverName,
    headers: headersOf(question, serverName, place, settings),
    ...askedOf(question, place),
    snippet: snippet ?? false,
  };
}

/**
 * Returns the URL of the auth service, and the resolver of its name. An address needs no resolver,
 * but gets the same line, so that addresses and names share a shape. If a permitted snippet has
 * a resolver, the name is used as it is.
 */
function askedOf(question: Question, place: Place): { readonly url: Token; readonly resolver: View } {
  const { by, pool, snippet } = question;
  const url = withPath(aboutServed(withoutGroups(question.url)));
  const isOwn = /\bresolver\s/.test(String(snippet ?? ""));
  const target = pool !== undefined ? throughPool(url, question, place) : isOwn ? url : checkedUrl(url, by);
  return { url: bound("auth_url", target, question, place), resolver: !isOwn && place.resolver };
}

/**
 * Returns the Connection header of the subrequest. nginx before 1.29.7 sends `close` by itself, and
 * later versions do not. A snippet that names the header decides.
 */
function connectionHeader({ pool, snippet }: Question): readonly (readonly [string, Token])[] {
  if (pool !== undefined) return [["Connection", Token.text("")]];
  const saysItself = /\bproxy_set_header\s+["']?connection\b/i.test(snippet?.toString() ?? "");
  return saysItself ? [] : [["Connection", Token.text("close")]];
}

function headersOf(question: Question, host: Token, place: Place, settings: Settings): View[] {
  const { method, requestRedirect, headers } = question;
  const full = settings.useForwardedHeaders && settings.computeFullForwardedFor;
  const nothing = Token.text("");
  const built: readonly (readonly [string, Token])[] = [
    ["Host", host],
    ["Content-Length", nothing],
    ...connectionHeader(question),
    ["Proxy", nothing],
    ["X-Sluice-Client-Address", nothing],
    ...removed(settings, question).map((name) => [name, nothing] as const),
    ["X-Forwarded-For", Token.variable(full ? "full_x_forwarded_for" : "remote_addr")],
    ["X-Real-IP", Token.variable("remote_addr")],
    ["X-Request-ID", Token.variable("req_id")],
    ...clientCertificateHeaders.map(({ name, variable }) => [name, Token.variable(variable)] as const),
    ["X-Sluice-Hops", nextHops],
    ["X-Sent-From", Token.text("nginx-ingress-controller")],
    ["X-Original-URL", Token.conf`$scheme://${Token.variable(ownHost(settings))}$asked_form`],
    ["X-Original-Method", Token.variable("request_method")],
    // A header of the client is never passed on in place of ours, whether or not we send one
    // (RS-32.30).
    ["X-Original-URI", method === undefined ? nothing : Token.variable(askedForm)],
    ["X-Scheme", method === undefined ? nothing : Token.variable("pass_access_scheme")],
    [
      "X-Auth-Request-Redirect",
      requestRedirect === ""
        ? Token.variable(askedForm)
        : bound("auth_redirect", aboutServed(requestRedirect), question, place),
    ],
  ];
  const own = headers
    .filter(({ name }) => name.toLowerCase() !== hopsHeader)
    .map(
      ({ name, value }, at) =>
        [name, sent(`auth_sent_${at + 1}`, aboutServed(withoutGroups(value)), question, place)] as const,
    );
  const all = [...built, ...own];
  const names = [...all.map(([name]) => name), ...fromProxies(settings)];
  const others = otherSpellings(names, settings).map((name) => [name, nothing] as const);
  return [...all, ...others].map(([name, value]) => ({ name: Token.name(name), value }));
}

/** The path and query that are served (templates/proxy.tmpl). */
const askedForm = "asked_form";

/**
 * Returns the text with the path that is served in place of the client's, which differs after an
 * internal redirect. Otherwise the auth service would judge another path than the backend gets.
 */
function aboutServed(text: string): string {
  return text.replace(/\$(?:\{request_uri\}|request_uri\b)/g, `\${${askedForm}}`);
}

/** Returns a header that the author has configured. Its value is data if it is literal. */
function sent(name: string, value: string, question: Question, place: Place): Token {
  const isData = place.live && !place.ofGateway && question.by === "ingress" && !value.includes("$");
  return isData ? place.bind(name, value) : (variableText.view(value) as Token);
}

/** Returns the cookies of the auth service, which Lua passes on. */
export function passedCookies(value: ExternalAuth, { authenticates, dynamic }: Place): readonly AnswerHeader[] {
  if (value.kind !== "ask" || !authenticates || dynamic) return [];
  const always = value.question.alwaysSetCookie;
  return [{ name: Token.name("Set-Cookie"), value: Token.variable("auth_cookies"), always, replaces: false }];
}

/** Returns the view of `templates/auth-signin.tmpl`. */
function signinView(question: Question, place: Place): View {
  const { alwaysSetCookie } = question;
  const replacing = place.signinHeaders().filter(({ replaces }) => replaces);
  const lines = place.setAround ? replacing.flatMap(({ line }) => (line === undefined ? [] : [line])) : [];
  return {
    ...{ dynamic: place.dynamic, escapes: true, alwaysSetCookie, target: signinTarget(question, place) },
    headers: place.setAround ? [] : replacing.map(({ name, value }) => ({ name, value })),
    setCors: lines.length > 0 && { lines },
  };
}

const cameFrom = "$pass_access_scheme://$own_host$escaped_request_uri";

/** Returns the sign-in page, with the address to return to unless its URL has it (RS-16.4). */
function signinTarget(question: Question, place: Place): Token {
  const { signin, redirectParam } = question;
  const query = new URLSearchParams(/\?(.*)$/s.exec(signin)?.[1] ?? "");
  if ((query.get(redirectParam) ?? "") !== "") return bound("auth_signin", signin, question, place);
  const page = `${signin}${query.size === 0 ? "?" : "&"}${redirectParam}=`;
  if (place.dynamic && isLiteral(question, page))
    return Token.conf`${place.bind("auth_signin", page)}${Token.conf`$pass_access_scheme://$own_host$escaped_request_uri`}`;
  const allowed = allowedFor(question, isSigninVariable, place);
  return groupedText(place, `${page}${cameFrom}`, (name) => name === "own_host" || allowed(name));
}

/**
 * Returns the key of a cached answer: the Ingress, its host and path, the auth service, and the
 * author's own text. A line break ends each part, because no header can hold one.
 */
function keyOf(question: Question, place: Place): Token {
  const { url, cacheKey } = question;
  const service = place.dynamic && isLiteral(question, url) ? "${route_auth_url}" : shortHash(url);
  const text = `$namespace/$ingress_name\n$route_kept\n${service}\n${aboutServed(cacheKey)}`;
  return Token.lines(
    text,
    (name) =>
      ["route_auth_url", "route_kept", askedForm].includes(name) ||
      isKnownVariable(name, "http") ||
      place.declares(name),
  );
}

/**
 * Makes a tenant's literal text the value of a route variable; any other text is written as it is.
 */
function bound(name: string, text: string, question: Question, place: Place): Token {
  if (isLiteral(question, text)) return place.bind(name, text);
  const allowed = allowedFor(question, isQuestionVariable, place);
  const own = [namedHost, askedForm];
  return groupedText(place, text, (variable) => own.includes(variable) || allowed(variable));
}

function isLiteral({ by }: Question, text: string): boolean {
  return by === "ingress" && variablesIn(text).length === 0 && !namesGroups(text);
}

function allowedFor({ by }: Question, ofTenant: (name: string) => boolean, place: Place): (name: string) => boolean {
  if (by === "operator") return (name) => /^[a-z_]/i.test(name);
  return (name) => ofTenant(name) || place.declares(name);
}

/** Returns the URL, with an upstream block in place of its host if connections are kept. */
function throughPool(url: string, { pool }: Question, place: Place): string {
  if (pool === undefined) return url;
  const server = Token.name(`${pool.address}:${pool.port}`);
  const [kept, requests, timeout] = [pool.connections, pool.requests, pool.timeout].map(Token.count);
  const inside = Token.conf`server ${server}; keepalive ${kept!}; keepalive_requests ${requests!}; keepalive_timeout ${timeout!}s;`;
  const scheme = /^https/i.test(url) ? "https" : "http";
  const origin = /^https?:\/\/[^/]+/i.exec(url)?.[0] ?? "";
  const name = `auth_${shortHash(`${origin} ${inside}${pool.apart ? ` ${place.poolsOf}` : ""}`)}`;
  place.inHttp(Token.conf`upstream ${Token.name(name)} { ${inside} }`);
  return `${scheme}://${name}${url.slice(origin.length)}`;
}

/** Adds a path to a URL without one, because nginx would send that of its own location. */
function withPath(url: string): string {
  const [, origin = url, rest = ""] = /^(https?:\/\/[^/?]+)(.*)$/is.exec(url) ?? [];
  return rest.startsWith("/") ? url : `${origin}/${rest}`;
}

function underscored(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/**
 * Variables with parts of the auth service's answer, under the names that ingress-nginx gives them.
 * Authors read them in snippets: `$auth_cookie` to pass on a cookie that a login service has split,
 * and `$authHeader0` for the first of `auth-response-headers`. nginx refuses a name that nothing
 * declares, and Lua finds nothing under it.
 */
interface AnswerVariable {
  readonly name: string;
  /** The variable of nginx that holds the value in the auth request. */
  readonly from: string;
}

function answerVariables(responseHeaders: readonly string[]): readonly AnswerVariable[] {
  const ofHeaders = responseHeaders.map((header, at) => ({
    name: `authHeader${at}`,
    from: `upstream_http_${header.trim().toLowerCase().replaceAll("-", "_")}`,
  }));
  return [{ name: "auth_cookie", from: "upstream_http_set_cookie" }, ...ofHeaders];
}

/** Returns those that a snippet of the location names, for `templates/external-auth.tmpl`. */
function namedAnswers(responseHeaders: readonly string[], place: Place): View[] {
  return answerVariables(responseHeaders)
    .filter(({ name }) => place.names(name))
    .map(({ name, from }) => ({ variable: Token.name(name), from: Token.variable(from) }));
}
