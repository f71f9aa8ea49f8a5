/**
 * Cookie stickiness without Lua (RS-14): the key in the cookie is hashed to an endpoint, so every
 * key has one, as with `balanced`. A client without the cookie is hashed by its request's id, which
 * becomes its key. The values are those of the Lua, so the modes can be changed.
 */

import { shortHash } from "../../directives/short-hash.ts";
import { Token } from "../../directives/token.ts";
import type { AffinityCookie } from "../../model/configuration.ts";
import { bindingOf } from "../location/balance-record.ts";

/** What an upstream block hashes by, and the map that it comes from. */
export function affinityKey({ name }: AffinityCookie): { readonly key: Token; readonly http: Token } {
  const id = shortHash(name);
  const [key, came] = [Token.variable(`affinity_${id}`), `affinity_came_${id}`];
  const pattern = Token.patternNaming(came, `~${inCookies(name)}`, "[^|;\\s]+", "");
  return {
    key,
    http: Token.conf`map $http_cookie ${key} { default $request_id; ${pattern} ${Token.variable(came)}; }`,
  };
}

export interface IssuedBy {
  readonly cookie: AffinityCookie;
  /** Of the upstream that issues it. */
  readonly label: string;
  /** That of the Location, for a cookie that names none. */
  readonly path: string;
  /**
   * Gives the binding of the canary that takes the request, or the upstream's own; empty where a
   * canary issues none.
   */
  readonly binding?: Token;
}

/**
 * The value of the Set-Cookie header, empty where the client has the cookie or no endpoint was
 * asked, and the maps that it comes from.
 */
export function affinityCookie({ cookie, label, path, binding }: IssuedBy): {
  readonly value: Token;
  readonly http: readonly Token[];
} {
  const { name, maxAge, domain, sameSite, secure } = cookie;
  const bound = binding ?? Token.name(bindingOf(label));
  const attributes = [
    ...(maxAge === undefined ? [] : [`; Max-Age=${maxAge}`]),
    ...(domain === "" ? [] : [`; Domain=${domain}`]),
    `; Path=${cookie.path === "" ? path : cookie.path}`,
  ].join("");
  const value = Token.variable(`affinity_cookie_${shortHash(`${name} ${bound} ${attributes} ${secure} ${sameSite}`)}`);
  const ending = `; HttpOnly${sameSite === undefined ? "" : `; SameSite=${sameSite}`}`;
  const text = Token.conf`"${inner(`${name}=`)}${request}|${bound}${inner(attributes)}${secure ? inner("; Secure") : secureIfTls}${inner(ending)}"`;
  const has = Token.pattern(`~^[^;]*;[^;]*;(?:.*;)?\\s*${escaped(name)}=[^|;\\s]`);
  return {
    value,
    http: [
      Token.conf`map $https ${Token.variable("affinity_secure")} { default ""; on "; Secure"; }`,
      Token.conf`map "${bound};$upstream_addr;$http_cookie" ${value} { default ${text}; "~^;" ""; "~^[^;]*;;" ""; ${has} ""; }`,
    ],
  };
}

/** The start of the cookie in the header of all cookies. */
export function inCookies(name: string): string {
  return `(?:^|;\\s*)${escaped(name)}=`;
}

const request = Token.bracedVariable("request_id");
const secureIfTls = Token.bracedVariable("affinity_secure");

/** Literal text for the inside of a quoted word. */
function inner(text: string): Token {
  return Token.within(text);
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
