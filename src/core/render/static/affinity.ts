/**
 * Cookie stickiness without Lua (RS-14). The key in the cookie is hashed to an endpoint, so every
 * key has one, as with `balanced`. A client without the cookie gets the id of its request as its
 * key. The values are the same as in dynamic mode, so the mode can be changed.
 */

import type { AffinityCookie } from "../../model/configuration.ts";
import { shortHash } from "../../tokens/short-hash.ts";
import { Token } from "../../tokens/token.ts";
import { bindingOf } from "../location/balance-record.ts";

/** Returns the key by which an upstream block hashes, and the map that computes it. */
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
  /** The upstream that issues the cookie. */
  readonly label: string;
  /** The path of the Location, for a cookie without one. */
  readonly path: string;
  /**
   * Returns the binding of the canary that takes the request, or the upstream's own; empty if a
   * canary issues none.
   */
  readonly binding?: Token;
}

/**
 * Returns the value of the Set-Cookie header and its maps. The value is empty if the client has the
 * cookie, or no endpoint got the request.
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

/** Returns a pattern for the beginning of the cookie in the Cookie header. */
export function inCookies(name: string): string {
  return `(?:^|;\\s*)${escaped(name)}=`;
}

const request = Token.bracedVariable("request_id");
const secureIfTls = Token.bracedVariable("affinity_secure");

/** Returns literal text for the inside of a quoted word. */
function inner(text: string): Token {
  return Token.within(text);
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
