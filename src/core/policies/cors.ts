/**
 * Cross-origin requests (RS-21): answers tell browsers which origins may read them, and nginx
 * answers preflights itself. If the request's origin is not in the list, the backend's own
 * headers pass, and the backend answers the preflight.
 */

import { type Kind, longestText, no, ok, shown, stripped } from "../kinds/kind.ts";
import { integer } from "../kinds/numbers.ts";
import { textOf, trimmed } from "../kinds/text.ts";
import { bool } from "../kinds/words.ts";
import type { AnswerHeader, Place } from "../tokens/place.ts";
import { shortHash } from "../tokens/short-hash.ts";
import { Token } from "../tokens/token.ts";
import { feature, field } from "./declare.ts";

/**
 * Whether a list, after its blanks were removed, consists of parts of origins, with or without
 * commas between them.
 */
const isPlausible = (list: string): boolean =>
  list === "*" || /^[A-Za-z0-9.,-]*$/.test(list.replace(/[a-z]:\/\/|:\d+|\*\./g, ""));
const origin = /^(?:\*|null|[a-z]+:\/\/(?:\*\.)?[A-Za-z0-9.-]+(?::\d+)?)$/;

function whyNot(text: string, items: readonly string[]): string {
  const wrong = items.length > 1 ? items.find((item) => !isPlausible(item.replaceAll(" ", ""))) : undefined;
  return wrong === undefined
    ? `${shown(text)} is not a list of origins`
    : `${shown(wrong)} is not an origin like https://example.com`;
}

/** Items that are not origins are left out. A list without any origin matches none. */
const origins: Kind<readonly string[]> = {
  label: "*, or a list of origins like https://example.com or https://*.example.com:8443",
  longest: longestText,
  read: (text) => {
    const items = text.split(",").map((item) => stripped(item, " "));
    if (!isPlausible(text.replaceAll(" ", ""))) return no(whyNot(text, items));
    const good = items.filter((item) => origin.test(item));
    const left = items.filter((item) => item !== "" && !origin.test(item));
    if (left.length === 0) return ok(good);
    const [some, more] = [left.slice(0, 10).map(shown).join(", "), left.length > 10 ? " and others" : ""];
    return { ok: true, value: good, besides: `${some}${more}: not an origin like https://example.com` };
  },
  write: (list) => list.join(", "),
  view: (list) => list.map(Token.text),
  good: ["*", "https://a.example, null", "app://localhost", "https://*.a.example:8443", "nonsense"],
  bad: ["https://a.example/path", "https://a.example;", "HTTPS://a.example", "https://*", "$http_origin", "a\nb"],
};

/**
 * Reads a comma-separated list. It may end with a comma, but it may not begin with one or hold two
 * in a row.
 */
function listed(kind: Kind<string>): Kind<string> {
  return {
    ...kind,
    read: (text) => (/^,|,,/.test(text.replaceAll(" ", "")) ? no(`${shown(text)} has an empty item`) : kind.read(text)),
    bad: [...kind.bad, ",a", "a, ,b"],
  };
}

const methods = {
  ...listed(trimmed(textOf({ label: "letters, commas and blanks", characters: "A-Za-z, " }))),
  good: ["GET, LINK", " get,"],
};
const names = trimmed(textOf({ label: "letters, digits and - _ , and blanks", characters: "A-Za-z0-9_, \\-" }));
const exposed = listed(
  trimmed(textOf({ label: "letters, digits and - _ * , and blanks", characters: "A-Za-z0-9_*, \\-" })),
);

const waits = ({ enabled }: { readonly enabled: boolean }) => (enabled ? undefined : "enable-cors is not true");

export const cors = feature({
  name: "cors",
  scope: "location",
  fields: {
    enabled: field({
      key: "enable-cors",
      example: "true",
      kind: bool,
      fallback: () => false,
      risk: "Low",
      doc: "Adds the headers that let pages of other origins use the answers, and answers preflight requests.",
    }),
    origins: field<readonly string[]>({
      key: "cors-allow-origin",
      example: "https://shop.example.com, https://*.example.org",
      kind: origins,
      fallback: () => ["*"],
      risk: "Medium",
      doc: "Origins that may read the answers; `*.` stands for one label, `*` for all origins.",
    }),
    methods: field({
      key: "cors-allow-methods",
      example: "GET, POST, OPTIONS",
      kind: methods,
      fallback: () => "GET, PUT, POST, DELETE, PATCH, OPTIONS",
      risk: "Medium",
      doc: "Methods that such pages may use.",
    }),
    headers: field({
      key: "cors-allow-headers",
      example: "Authorization, Content-Type",
      kind: names,
      fallback: () =>
        "DNT,Keep-Alive,User-Agent,X-Requested-With,If-Modified-Since,Cache-Control,Content-Type,Range,Authorization",
      risk: "Medium",
      doc: "Request headers that such pages may send.",
    }),
    exposed: field({
      key: "cors-expose-headers",
      example: "X-Request-ID",
      kind: exposed,
      fallback: () => "",
      risk: "Medium",
      doc: "Headers of answers that such pages may read.",
    }),
    credentials: field({
      key: "cors-allow-credentials",
      example: "true",
      kind: bool,
      fallback: () => true,
      risk: "Low",
      doc: "Whether such pages may send cookies and passwords.",
    }),
    maxAge: field({
      key: "cors-max-age",
      example: "600",
      kind: integer(),
      fallback: () => 1_728_000,
      risk: "Low",
      doc: "Seconds that a browser may remember the answer to a preflight.",
    }),
  },
  onlyWith: {
    enabled: ({ enabled, origins }) =>
      enabled && origins.length === 0 ? "cors-allow-origin names no origin" : undefined,
    origins: waits,
    methods: waits,
    headers: waits,
    exposed: waits,
    credentials: waits,
    maxAge: waits,
  },
  variables: [
    ...["cors", "cors_origins", "cors_methods", "cors_headers", "cors_exposed", "cors_max_age"],
    "cors_no_credentials",
  ],
  view: ({ enabled, origins }, place) => {
    if (!enabled || origins.length === 0) return false;
    place.inHttp(Token.conf`map $request_method:$route_cors $cors_preflight { default ""; "~^OPTIONS:." 1; }`);
    const all = origins.includes("*");
    const pattern = `^(?:${origins.map(patternOf).join("|")})$`;
    if (!place.live) return all ? { live: false, all } : { live: false, all, pattern: Token.pattern(pattern) };
    place.bind("cors_origins", all ? "*" : pattern);
    return { live: true };
  },
  // A page that asks in the background learns only so that the login has expired.
  signinHeaders: true,
  answerHeaders: ({ enabled, ...value }, place) => {
    if (!enabled || value.origins.length === 0) return [];
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
  },
});

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

/** Not empty for a preflight that nginx answers. */
const preflight = Token.variable("cors_preflight");

/**
 * Returns the length of the answer to a preflight. nginx sends a 204 without a length, but users of
 * ingress-nginx have always had one.
 */
function preflightLength(place: Place): AnswerHeader {
  place.inHttp(Token.conf`map $cors_preflight $cors_preflight_length { default ""; 1 0; }`);
  return {
    ...{ name: Token.name("Content-Length"), value: Token.variable("cors_preflight_length"), always: true },
    ...{ replaces: false, line: Token.text("Content-Length: 0"), when: preflight },
  };
}

function patternOf(item: string): string {
  return item.replaceAll(".", "\\.").replace("*\\.", "[a-z0-9-]+\\.");
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
