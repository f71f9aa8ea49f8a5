/**
 * Reads the sessions of a rule: the cookie or header with the client's token, and how long it is
 * valid. Versions 1.6 and 1.7 of the Gateway API have different fields for this, and both are read.
 * Two rules never share sessions, so each has its own binding, which stays the same as long as the
 * rule keeps its name or index.
 */

import { durationMs } from "../../kinds/gateway/duration.ts";
import { shown } from "../../kinds/kind.ts";
import { settableHeaderName } from "../../kinds/reserved-headers.ts";
import type { ObjectName, Problem } from "../../model/problem.ts";
import { shortHash } from "../../tokens/short-hash.ts";
import type { RuleFieldRead, RuleFields } from "../declare.ts";

/**
 * Reads the session. `field` is that of the rule. A cookie has the path of the match, unless the
 * rule gives it another one.
 */
export function sessionOf(rule: RuleFields, field: string, object: ObjectName): RuleFieldRead | undefined {
  const { sessionPersistence: persistence } = rule;
  if (persistence === undefined) return undefined;
  const no = (part: string, why: string): RuleFieldRead => {
    return { ok: false, part: `.sessionPersistence.${part}`, why };
  };
  const { type = "Cookie", cookie, header, absoluteTimeout, idleTimeout } = persistence;
  if (type !== "Cookie" && type !== "Header") return no("type", `${shown(type)} is not Cookie or Header`);
  const { lifetimeType = "Session" } = cookie ?? persistence.cookieConfig ?? {};
  if (lifetimeType !== "Session" && lifetimeType !== "Permanent") {
    const part = cookie === undefined ? "cookieConfig" : "cookie";
    return no(`${part}.lifetimeType`, `${shown(lifetimeType)} is not Session or Permanent`);
  }
  const lifetime = durationMs(absoluteTimeout ?? "0s");
  if (lifetime === undefined) {
    return no("absoluteTimeout", `${shown(absoluteTimeout!)} is not a duration like 500ms, 10s or 1h30m`);
  }
  const isPermanent = type === "Cookie" && lifetimeType === "Permanent";
  if (isPermanent && lifetime === 0) {
    return no("absoluteTimeout", "a cookie with the lifetimeType Permanent needs a time longer than 0s");
  }
  const binding = shortHash(`${object.kind} ${object.namespace}/${object.name} ${rule.name ?? field}`);
  const given = type === "Cookie" ? cookie?.name : header?.name;
  const usual = type === "Cookie" ? `sluice-${binding}` : `Sluice-Session-${binding}`;
  const name = given ?? persistence.sessionName ?? usual;
  const mistake = type === "Cookie" ? cookieMistake(name) : headerMistake(name);
  if (mistake !== undefined) {
    return no(given === undefined ? "sessionName" : `${type === "Cookie" ? "cookie" : "header"}.name`, mistake);
  }
  const path = type === "Cookie" ? cookie?.path : undefined;
  if (path !== undefined && !/^\/[ -:<-~]*$/.test(path)) return no("cookie.path", `${shown(path)} is not a path`);
  const why = "is not a field of the Gateway API from 1.6 on";
  const done = "a session that is not used goes on";
  const note: Problem = {
    object,
    kind: "value-unsupported",
    field: `${field}.sessionPersistence.idleTimeout`,
    why,
    done,
  };
  const seconds = lifetime === 0 ? undefined : Math.ceil(lifetime / 1000);
  const session = { type: type === "Cookie" ? "cookie" : "header", name, binding, seconds, isPermanent } as const;
  return {
    ok: true,
    filtersAt: (match) => ({ session: { ...session, path: path ?? match } }),
    notes: idleTimeout === undefined ? [] : [note],
  };
}

function cookieMistake(name: string): string | undefined {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(name) ? undefined : `${shown(name)} is not the name of a cookie`;
}

function headerMistake(name: string): string | undefined {
  const read = settableHeaderName.read(name);
  return read.ok ? undefined : read.why;
}
