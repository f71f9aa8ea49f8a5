/**
 * Keys about the traffic between nginx and backends: bodies, buffers, cookies, redirects. They are
 * the defaults of the annotations of the same name.
 */

import { optional } from "../kinds/combine.ts";
import { wordsIn } from "../kinds/grammar.ts";
import { type Kind, no, ok, shown } from "../kinds/kind.ts";
import { sizeBetween } from "../kinds/measures.ts";
import { regexMistake } from "../kinds/patterns.ts";
import { oneOf } from "../kinds/words.ts";
import { groupsOf, numbered } from "../tokens/pattern-groups.ts";
import { Token } from "../tokens/token.ts";
import { keyed, setting } from "./declare.ts";
import { count, countOrNone } from "./kinds.ts";

/**
 * The largest limit-rate and limit-rate-after, about 10 TB. nginx multiplies the bytes by the
 * seconds that an answer takes, and the product must fit into 63 bits for days.
 */
export const mostKilobytes = 10_000_000_000;

/** Switches in nginx's words. Like nginx, Sluice ignores their letter case. */
const onOff = oneOf(["on", "off"], { anyCase: true });

/**
 * `off`, or the text to replace and its replacement. Either may hold variables; a text that starts
 * with `~` is a regular expression. A word with blanks or a `;` is quoted as in nginx's files: `/
 * "/; Secure"`.
 */
const replacement: Kind<string> = {
  label: "off, or two words: what to replace and by what",
  read: (text) => {
    if (text.trim() === "off") return ok("off");
    const words = wordsIn(text) ?? [];
    if (words.length !== 2 || !words.every(Token.printable)) {
      return no(`${shown(text)} is neither off nor two words: what to replace and by what`);
    }
    const mistake = words[0]!.startsWith("~") ? regexMistake(words[0]!.replace(/^~\*?/, "")) : undefined;
    return mistake === undefined ? ok(withoutNames(words, text.trim())) : no(`${shown(text)}: ${mistake}`);
  },
  view: (value) => replacementView(value),
};

/** The most characters of a header of a backend that is compared with a pattern. */
const longestLocation = 2_000;

/**
 * Makes named groups numbered ones, because nginx would make variables of the names, for all hosts.
 */
function withoutNames([from = "", to = ""]: readonly string[], text: string): string {
  const pattern = from.startsWith("~") ? groupsOf(from).text : from;
  if (pattern === from) return text;
  return [pattern, numbered(to, from)].map((word) => `"${word.replace(/[\\"]/g, "\\$&")}"`).join(" ");
}

/**
 * Returns the words of `proxy_cookie_domain`, `proxy_cookie_path` and `proxy_redirect`: the text to
 * replace, and its replacement.
 */
export function replacementView(value: string): Token {
  if (value === "off" || value === "default") return Token.name(value);
  const [from = "", ...to] = wordsIn(value) ?? [];
  const first = from.startsWith("~") ? Token.boundedWithSign(from, longestLocation) : Token.variables(from, isName);
  return Token.words([first, ...to.map((word) => Token.variables(word, isName))]);
}

/** Whether it is the name of a variable, or a group of the pattern. */
const isName = (name: string) => /^([a-z_]\w*|[1-9])$/i.test(name);

/** Reads one part of a redirect: `off`, `default` or one word. */
const redirectPart = (extra: readonly string[]): Kind<string> => ({
  label: `${[...extra, "off"].join(", ")} or one word, which may hold variables`,
  read: (text) => {
    const [word, ...more] = wordsIn(text) ?? [];
    if (word === undefined || more.length > 0 || !Token.printable(text)) return no(`${shown(text)} is not one word`);
    const mistake = word.startsWith("~") ? regexMistake(word.replace(/^~\*?/, "")) : undefined;
    return mistake === undefined ? ok(text) : no(`${shown(text)}: ${mistake}`);
  },
  view: (value) => replacementView(value),
});

/** 0, or a size that nginx accepts. */
const bufferSize = sizeBetween("512", "64m");

export const proxy = keyed({
  proxyBodySize: setting({
    kind: sizeBetween("0"),
    default: "1m",
    forRoutes: { instead: "0", unlessSet: true },
    directive: { name: "client_max_body_size", context: "http" },
    doc: "Largest request body; 0 is no limit.",
  }),
  proxyRequestBuffering: setting({
    kind: onOff,
    default: "on",
    forRoutes: { instead: "off", unlessSet: true },
    directive: { name: "proxy_request_buffering", context: "http" },
    doc: "Whether a request body is read whole before the request is sent to the backend.",
  }),
  keptBodySize: setting({
    kind: sizeBetween("64k", "64m"),
    default: "1m",
    own: true,
    becomes: "the limit of keep_request_body and of bodies that Lua reads",
    doc: "Largest request body of a route that is kept for a retry or a mirror; a larger one goes to the backend as it comes in, and is not sent again or copied. A worker keeps bodies of 128 times this size in all.",
  }),
  proxyBuffering: setting({
    kind: onOff,
    default: "off",
    directive: { name: "proxy_buffering", context: "http" },
    doc: "Whether answers of backends are buffered.",
  }),
  proxyBufferSize: setting({
    kind: bufferSize,
    default: "4k",
    becomes: "proxy_buffer_size and the size in proxy_buffers",
    doc: "Buffer for the first part of an answer; its header must fit in.",
  }),
  proxyBuffersNumber: setting({
    kind: count({ min: 2, max: 65_536 }),
    default: 4,
    becomes: "the number in proxy_buffers",
    doc: "Number of buffers for one answer.",
  }),
  proxyBuffersCeiling: setting({
    kind: sizeBetween("64k", "64g"),
    default: "16m",
    own: true,
    doc: "Most memory that annotations may ask for the buffers of one answer (proxy-buffers-number and one more, each of proxy-buffer-size). More gets as much as this; the keys of this ConfigMap are not limited.",
  }),
  proxyBusyBuffersSize: setting({
    kind: optional(bufferSize),
    becomes: "proxy_busy_buffers_size",
    doc: "Part of the buffers that may be on its way to the client; kept between one buffer and all but one.",
  }),
  proxyMaxTempFileSize: setting({
    kind: sizeBetween("0"),
    default: "1024m",
    becomes: "proxy_max_temp_file_size",
    doc: "Largest file for the part of an answer that does not fit into the buffers; 0 is none.",
  }),
  proxyHttpVersion: setting({
    kind: oneOf(["1.0", "1.1"]),
    default: "1.1",
    directive: { name: "proxy_http_version", context: "http" },
    doc: "HTTP version towards backends.",
  }),
  proxyCookieDomain: setting({
    kind: replacement,
    default: "off",
    variables: "http",
    directive: { name: "proxy_cookie_domain", context: "http" },
    doc: "Replaces the domain in cookies of backends.",
  }),
  proxyCookiePath: setting({
    kind: replacement,
    default: "off",
    variables: "http",
    directive: { name: "proxy_cookie_path", context: "http" },
    doc: "Replaces the path in cookies of backends.",
  }),
  proxyRedirectFrom: setting({
    kind: redirectPart(["default"]),
    default: "off",
    variables: "http",
    becomes: "proxy_redirect",
    doc: "Text to replace in the Location and Refresh headers of backends; off leaves them alone.",
  }),
  proxyRedirectTo: setting({
    kind: redirectPart([]),
    default: "off",
    variables: "http",
    becomes: "proxy_redirect",
    onlyWith: ["proxy-redirect-from"],
    doc: "Replacement for proxy-redirect-from.",
  }),
  grpcBufferSizeKb: setting({
    kind: countOrNone({ max: 65_536 }),
    default: 0,
    directive: {
      name: "grpc_buffer_size",
      context: "http",
      view: (kilobytes) => (kilobytes === 0 ? undefined : Token.size(`${kilobytes}k`)),
    },
    doc: "Buffer in kilobytes for the first part of a gRPC answer; 0 is nginx's own, a memory page.",
  }),
  limitRate: setting({
    kind: countOrNone({ max: mostKilobytes }),
    default: 0,
    directive: {
      name: "limit_rate",
      context: "http",
      view: (rate) => (rate === 0 ? undefined : Token.size(`${rate}k`)),
    },
    doc: "Kilobytes per second that one answer may be sent at; 0 is no limit.",
  }),
  limitRateAfter: setting({
    kind: countOrNone({ max: mostKilobytes }),
    default: 0,
    directive: {
      name: "limit_rate_after",
      context: "http",
      view: (rate) => (rate === 0 ? undefined : Token.size(`${rate}k`)),
    },
    doc: "Kilobytes of an answer after which limit-rate begins.",
  }),
});
