/** The headers of annotations as text. */
import type { AnswerHeader, Place } from "../../tokens/place.ts";
import { shortHash } from "../../tokens/short-hash.ts";
import { Token, type View } from "../../tokens/token.ts";
import { type CorsFields, originsIn } from "./read.ts";
import { annotatedPattern } from "./record.ts";

/** Binds the list of origins in dynamic mode, and prints its pattern in static mode. */
export function view(value: CorsFields, place: Place): View {
  const origins = originsIn(value);
  if (origins.length === 0) return false;
  place.inHttp(Token.conf`map $request_method:$route_cors $cors_preflight { default ""; "~^OPTIONS:." 1; }`);
  const all = origins.includes("*");
  const pattern = annotatedPattern(origins);
  if (!place.live) return all ? { live: false, all } : { live: false, all, pattern: Token.pattern(pattern) };
  place.bind("cors_origins", all ? "*" : pattern);
  return { live: true };
}

export function answerHeaders(value: CorsFields, place: Place): readonly AnswerHeader[] {
  if (originsIn(value).length === 0) return [];
  const corsHeader = (name: string, text: Token) => header(name, text, place);
  return [
    corsHeader("Allow-Origin", Token.variable("route_cors")),
    ...credentialsHeader(value.credentials, place),
    corsHeader("Allow-Methods", place.bind("cors_methods", value.methods)),
    corsHeader("Allow-Headers", place.bind("cors_headers", value.headers)),
    ...(value.exposed === "" ? [] : [corsHeader("Expose-Headers", place.bind("cors_exposed", value.exposed))]),
    corsHeader("Max-Age", place.bind("cors_max_age", String(value.maxAge))),
    preflightLength(place),
  ];
}

/**
 * Returns the headers that a redirect to a sign-in page has, too. A page that asks in the
 * background learns only so that the login has expired.
 */
export const signinHeaders = ({ cors }: { readonly cors: CorsFields }, place: Place): readonly AnswerHeader[] =>
  answerHeaders(cors, place);

/**
 * Returns the header about credentials. If the value is data, the text always has the header,
 * whether credentials are allowed or not.
 */
function credentialsHeader(may: boolean, place: Place): AnswerHeader[] {
  if (!place.live) return may ? [header("Allow-Credentials", Token.text("true"), place)] : [];
  if (!may) place.bind("cors_no_credentials", "1");
  place.inHttp(Token.conf`map $route_cors_no_credentials $cors_credentials { default ""; "" $route_cors; }`);
  return [header("Allow-Credentials", Token.text("true"), place, Token.variable("cors_credentials"))];
}

/**
 * Returns the length of the answer to a preflight. nginx sends a 204 without a length, but users of
 * ingress-nginx have always had one.
 */
function preflightLength(place: Place): AnswerHeader {
  place.inHttp(Token.conf`map $cors_preflight $cors_preflight_length { default ""; 1 0; }`);
  return {
    ...{ name: Token.name("Content-Length"), value: Token.variable("cors_preflight_length"), always: true },
    ...{ replaces: false, line: Token.text("Content-Length: 0"), when: Token.variable("cors_preflight") },
  };
}

/**
 * Returns a header with our value if the origin matches, or if `when` is not empty, else with
 * the backend's. A map computes the variable when the answer arrives.
 */
function header(name: string, value: Token, place: Place, when: Token = Token.variable("route_cors")): AnswerHeader {
  const theirs = Token.variable(`upstream_http_access_control_${name.toLowerCase().replaceAll("-", "_")}`);
  const hash = shortHash(`${name}\0${value}\0${when}`, 12);
  const variable = Token.variable(`cors_${hash}`);
  place.inHttp(Token.conf`map ${when} ${variable} { default ${value}; "" ${theirs}; }`);
  const full = Token.name(`Access-Control-${name}`);
  const line = Token.conf`"${full}: ${variable}"`;
  return { name: full, value: variable, always: true, replaces: true, line, when: Token.variable("route_cors") };
}
