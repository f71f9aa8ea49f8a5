/**
 * The balancing of an Upstream and its canaries, in the form that Lua reads. Everything that can be
 * computed once is computed here, so that a request costs little. The value of a cookie is the same
 * as in ingress-nginx, so clients keep their Endpoint when Sluice replaces it.
 */

import { hash } from "node:crypto";
import type { AffinityCookie, Balance, Canary } from "../../model/configuration.ts";
import type { Fields } from "../../model/records.ts";
import { groupsOf } from "../../tokens/pattern-groups.ts";

/** Returns undefined for round robin, which is the default. */
export function balanceRecord(balance: Balance, label: string): Fields<"balance"> | undefined {
  switch (balance.algorithm) {
    case "round_robin":
      return undefined;
    case "ewma":
      return { algorithm: "ewma" };
    case "hash":
      return {
        algorithm: "hash",
        parts: textParts(balance.by),
        subset: balance.subset > 0 ? balance.subset : undefined,
      };
    case "cookie":
      return cookieRecord(balance.cookie, label);
  }
}

function cookieRecord({ name, mode, ...cookie }: AffinityCookie, label: string): Fields<"balance"> {
  return {
    algorithm: mode,
    name,
    variable: `cookie_${name}`,
    binding: bindingOf(label),
    path: filled(cookie.path),
    domain: filled(cookie.domain),
    expires: cookie.expires,
    max_age: cookie.maxAge,
    same_site: cookie.sameSite,
    conditional: filled(cookie.conditionalSameSiteNone),
    secure: filled(cookie.secure),
    change_on_failure: filled(cookie.changeOnFailure),
  };
}

/**
 * Returns the value that binds a client to the Upstream that issued its cookie. As in
 * ingress-nginx, it is a double checksum of the Upstream's name.
 */
export function bindingOf(label: string): string {
  return md5(md5(label) + label);
}

/**
 * Returns a canary's record: the requests that it takes, those that it leaves, and its share of the
 * rest, from 0 to 1.
 */
export function canaryRecord({ upstream, policy }: Canary): Fields<"canary"> {
  const { header, headerValue, headerPattern, cookie, weight, weightTotal } = policy;
  const matches =
    headerValue !== ""
      ? { value: headerValue }
      : headerPattern !== ""
        ? { pattern: groupsOf(headerPattern).text }
        : undefined;
  return {
    upstream,
    ...(header === "" ? {} : { header: `http_${header.toLowerCase().replaceAll("-", "_")}`, ...matches }),
    cookie: cookie === "" ? undefined : `cookie_${cookie}`,
    share: weight > 0 ? Math.min(1, weight / weightTotal) : undefined,
  };
}

/** Splits text into pieces: each is a string, or a list with the name of a variable. */
export function textParts(text: string): (string | [variable: string])[] {
  const parts: (string | [string])[] = [];
  for (const [found, braced, bare] of text.matchAll(/\$\{(\w+)\}|\$(\w+)|\$|[^$]+/g)) {
    const variable = braced ?? bare;
    parts.push(variable === undefined ? found : [variable]);
  }
  return parts;
}

/**
 * Returns undefined for empty and false values: such fields are left out, because there are ten
 * thousand records.
 */
function filled<T extends string | boolean>(value: T): T | undefined {
  return value === "" || value === false ? undefined : value;
}

function md5(text: string): string {
  return hash("md5", text);
}
