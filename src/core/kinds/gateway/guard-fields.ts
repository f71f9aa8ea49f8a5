/**
 * Recognises fields of objects that may be guards, by their names. A newer version of an API may
 * have guards that this version of Sluice does not know. It must not serve what they stand on.
 */
import { isMapping } from "../../model/mapping.ts";

/** Words that occur in the names of guards. Names are compared word by word. */
const guardWords =
  /^(?:filter|filters|tls|mtls|ssl|auth.*|polic(?:y|ies)|valid.*|verif.*|cert.*|ca|crl|crls|ocsp|jwts?|oidc|tokens?|secur.*|access|allow.*|den(?:y|ied|ies)|forbid.*|permi.*|restrict.*|limit.*|quotas?|waf|modsecurity|firewall|guards?|protect.*|requires?|required|acls?|cidrs?|ips?|iap|iam|source|sources|cors|csrf|sign.*|trust.*|credentials?|identit.*|principals?|rbac|block.*|reject.*|challenges?|captcha|satisfy|whitelist|blacklist|denylist)$/;

/** A structure that is deeper may have a guard inside. */
const deepest = 20;
/** A longer text is not the name of a type. */
const longestWord = 64;

/** Whether a field with this name may be a guard. */
export function isGuardName(name: string): boolean {
  return name
    .replace(/([A-Z]{2,})s(?![a-z])/g, "$1") // CIDRs
    .split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+/)
    .some((word) => guardWords.test(word.toLowerCase()));
}

/** Whether a value has the name of a guard inside, as a field or as a type. */
export function hasGuardName(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.length <= longestWord && isGuardName(value);
  if (typeof value !== "object" || value === null) return false;
  if (depth > deepest) return true;
  if (!isMapping(value)) return (value as readonly unknown[]).some((one) => hasGuardName(one, depth + 1));
  return Object.keys(value).some((name) => isGuardName(name) || hasGuardName(value[name], depth + 1));
}
