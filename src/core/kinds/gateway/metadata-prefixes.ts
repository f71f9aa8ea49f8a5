/**
 * Decides which labels and annotations of tenants may be copied to objects that Sluice writes with
 * its own rights.
 */
import { Token } from "../../tokens/token.ts";
import { itemsIn, type Kind, longestText, no, ok, shown, tooManyItems } from "../kind.ts";

const shape = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?\/[\w.-]{0,63}|[a-zA-Z\d][\w.-]{0,62})$/;

export const metadataPrefixes: Kind<readonly string[]> = {
  label: "a comma-separated list of domains like team.example.com/, or of beginnings of names without a domain",
  longest: longestText,
  read: (text) => {
    const parts = itemsIn(text)?.filter((part) => part !== "");
    if (parts === undefined) return no(tooManyItems);
    const strange = parts.find((part) => !shape.test(part));
    return strange === undefined
      ? ok(parts)
      : no(`${shown(strange)} is neither a domain with a slash like team.example.com/ nor a beginning of a name`);
  },
  write: (values) => values.join(","),
  view: (values) => values.map(Token.name),
};

/**
 * Whether one of the prefixes allows the key of a label or annotation. A prefix without a domain
 * never allows a key with one, so `service` does not allow `service.beta.kubernetes.io/...`.
 */
export function allowsKey(prefixes: readonly string[], key: string): boolean {
  return prefixes.some((prefix) => key.startsWith(prefix) && prefix.includes("/") === key.includes("/"));
}
