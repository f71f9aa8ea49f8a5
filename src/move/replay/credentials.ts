/** Removes credentials from the queries of requests and answers. */
import { isCredential } from "../../core/model/credentials.ts";

/** What a login leaves in a URL. */
const ofLogin = /^(?:sig|code|state|nonce)$/i;

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
    const plain = decoded(name);
    return value && (isCredential(plain) || ofLogin.test(plain)) ? `${name}=` : part;
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
