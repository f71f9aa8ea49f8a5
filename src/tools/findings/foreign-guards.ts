/**
 * Decides whether an object of another controller guards what it is for, and names the setting of
 * Sluice that does the same. Kinds of many projects are recognised by the words in their names and
 * fields, so that those of newer versions count as well.
 */
import { isMapping, type Mapping } from "../../core/model/mapping.ts";

/** Kinds whose names sound like guards, and which keep no client out. */
const harmless: ReadonlySet<string> = new Set(["kuadrant.io TLSPolicy", "kuadrant.io DNSPolicy"]);

/** Kinds with text of nginx or Envoy, or with a program, which may do anything. */
const programs = /^(?:Snippets(?:Policy|Filter)|Envoy(?:Patch|Extension)Policy|EnvoyFilter|WasmPlugin)$/;

/** Words of names that decide which clients, or how many requests, get in. */
const guardWords =
  /\b(?:auth\w*|jwts?|jwks|oidc|oauth2?|openid|api key|hmac|ldap|opa|rbac|iap|iam|acl|access|permissions?|m?tls|ssl|client validation|waf|firewall|modsecurity|coraza|security|cidrs?|ip (?:allow|deny|restriction|filter)\w*|allow ?list|deny ?list|whitelist|blacklist|bot|csrf|signature|captcha|geo ?(?:ip|location)|(?:rate|request) ?limit\w*|quotas?|throttl\w*)\b/;

/** What does the same as a guard whose words fit. Several may fit. */
const equals: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:jwts?|jwks|oidc|oauth2?|openid|ext auth\w*|external auth\w*|authz|authn|auth|authorization|authentication|rbac|iap|iam|api key|opa|ldap|hmac|key auth|access)\b/,
    "auth-url",
  ],
  [/\bbasic\b/, "auth-type and auth-secret"],
  [/\b(?:(?:rate|request) ?limit\w*|quotas?|throttl\w*)\b/, "limit-rps, limit-rpm and limit-connections"],
  [
    /\b(?:cidrs?|ip (?:allow|deny|restriction|filter)\w*|allow ?list|deny ?list|whitelist|blacklist)\b/,
    "whitelist-source-range and denylist-source-range",
  ],
  [/\b(?:waf|firewall|modsecurity|coraza)\b/, "enable-modsecurity"],
];

/** Guards of a connection, which a Gateway has in fields of its own. */
const ofConnections = /\b(?:m?tls|ssl|client validation)\b/;

/** Whether the object guards, or may guard; the last words are what does the same in Sluice. */
export function guardOf(group: string, kind: string, spec: Mapping): string | undefined {
  if (harmless.has(`${group} ${kind}`)) return undefined;
  if (programs.test(kind))
    return "its text may be a guard, and configuration-snippet of RouteSettings takes the text of nginx alone";
  const guards = [kind, ...namesIn(spec)].map(wordsOf).filter((words) => guardWords.test(words));
  return guards.length === 0 ? undefined : adviceFor(guards.join("; "));
}

function adviceFor(words: string): string {
  const keys = equals.flatMap(([pattern, key]) => (pattern.test(words) ? [key] : []));
  if (keys.length > 0) return `${keys.join(", or ")} of RouteSettings ${keys.length === 1 ? "does" : "do"} the same`;
  return ofConnections.test(words)
    ? "spec.tls.frontend of the Gateway asks for client certificates, a BackendTLSPolicy verifies backends, and ssl-ciphers is a key of RouteSettings for listeners"
    : "no key of RouteSettings does the same";
}

const wordsOf = (name: string): string =>
  name
    .replace(/([A-Z]{2,})s(?![a-z])/g, "$1")
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+/g, " ")
    .toLowerCase();

/** Fields whose values name a type of guard, such as the plugins of a list. */
const typeFields: ReadonlySet<string> = new Set(["type", "@type", "plugin"]);
/** A policy of CORS keeps no client out: without it, browsers refuse more. */
const harmlessFields = /^cors/i;
/** Lists whose items have the name of a plugin, or of a filter of Envoy. */
const pluginLists: ReadonlySet<string> = new Set(["plugins", "http_filters", "httpFilters", "filters"]);
/** References to other objects, whose names decide nothing. */
const references: ReadonlySet<string> = new Set([
  "targetRef",
  "targetRefs",
  "targetSelectors",
  "selector",
  "sectionName",
]);
/** An object that is deeper, or has more names, is read no further. */
const mostNames = 2_000;

/** Returns the names of the fields inside, and those of types and plugins. */
function namesIn(spec: Mapping): readonly string[] {
  const names: string[] = [];
  const left: (readonly [string, unknown])[] = Object.entries(spec).filter(([name]) => !references.has(name));
  for (let entry = left.pop(); entry !== undefined && names.length < mostNames; entry = left.pop()) {
    const [name, value] = entry;
    if (harmlessFields.test(name)) continue;
    names.push(name);
    const items = Array.isArray(value) ? value : [value];
    for (const one of items) {
      if (typeof one === "string" && typeFields.has(name)) names.push(one);
      if (!isMapping(one)) continue;
      if (pluginLists.has(name) && typeof one.name === "string") names.push(one.name);
      left.push(...Object.entries(one));
    }
  }
  return names;
}
