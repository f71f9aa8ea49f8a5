/** Removes credentials from requests and answers. */

const headers = /^(?:authorization|proxy-authorization|cookie|x-(?:api|auth|access)-?(?:key|token)|x-csrf-token)$/;

/**
 * Names of parameters with credentials: tokens, keys, signatures, codes of a login, passwords and
 * sessions.
 */
const parameters =
  /^(?:.*(?:token|secret|passw(?:or)?d|signature|credential|session|api[-_]?key|jwt).*|sig|key|code|auth|sid|state|nonce)$/i;

export const isCredentialHeader = (name: string): boolean => headers.test(name.toLowerCase());

/**
 * Removes the values of parameters that look like credentials from a path with a query, or from a
 * URL.
 */
export function withoutCredentials(target: string): string {
  const at = target.indexOf("?");
  if (at < 0) return target;
  const [before, query] = [target.slice(0, at + 1), target.slice(at + 1)];
  const kept = query.split("&").map((part) => {
    const [name = "", value] = [part.split("=", 1)[0], part.includes("=")];
    return value && parameters.test(decoded(name)) ? `${name}=` : part;
  });
  return `${before}${kept.join("&")}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
