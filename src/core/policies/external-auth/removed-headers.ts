/** Headers of the client that an auth service does not get. */
import { headerLinesOf } from "../../settings/header-lines.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Question } from "./question.ts";

/** Returns their names. Other spellings of all of them are removed, too. */
export function fromProxies({ useForwardedHeaders }: Pick<Settings, "useForwardedHeaders">): readonly string[] {
  return ["X-Forwarded-Proto", ...(useForwardedHeaders ? [] : describedByProxies)];
}

/**
 * Returns the names that have a line of their own. A header that the author sets has a line
 * already, and with two lines for one name nginx warns of the size of its table.
 */
export function removed(
  settings: Pick<Settings, "useForwardedHeaders">,
  { headers, snippet }: Pick<Question, "headers" | "snippet">,
): readonly string[] {
  const lines = headerLinesOf(String(snippet ?? ""));
  const written = lines.map(({ text }) => /^proxy_set_header\s+["']?([\w-]+)["']?\s/.exec(text)?.[1] ?? "");
  const set = new Set([...written, ...headers.map(({ name }) => name)].map((name) => name.toLowerCase()));
  return fromProxies(settings).filter((name) => !set.has(name.toLowerCase()));
}

/**
 * Headers in which proxies describe the client. If no proxy is trusted, only the client can have
 * sent them, and auth services would rely on them. nginx removes headers only by their whole names.
 */
const describedByProxies = [
  "Forwarded",
  ...[
    ...["Access-Token", "By", "Client-Cert", "Email", "Groups", "Host", "Method", "Path", "Port", "Preferred-Username"],
    ...[
      "Prefix",
      "Protocol",
      "Scheme",
      "Server",
      "Ssl",
      "Tls-Client-Cert",
      "Tls-Client-Cert-Info",
      "Uri",
      "Url",
      "User",
    ],
  ].map((name) => `X-Forwarded-${name}`),
];
