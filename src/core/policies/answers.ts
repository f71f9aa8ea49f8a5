/**
 * Rewrites parts of backends' answers: domain and path of cookies, and the headers Location and
 * Refresh. As in nginx, a text that starts with `~` is a regular expression.
 */

import { type Kind, no, ok, shown } from "../kinds/kind.ts";
import { regexMistake } from "../kinds/patterns.ts";
import { textOf } from "../kinds/text.ts";
import { replacementView } from "../settings/proxy.ts";
import type { Place } from "../tokens/place.ts";
import { Token } from "../tokens/token.ts";
import { feature, ofSetting } from "./declare.ts";

const plain = { label: "letters, digits and - . _ ~ / : , ? & =", characters: "A-Za-z0-9._~/:,?&=\\-" };
const word = textOf(plain);

function readWord(text: string) {
  const read = word.read(text);
  const mistake = text.startsWith("~") ? regexMistake(text.replace(/^~\*?/, "")) : undefined;
  return mistake === undefined ? read : no(`${shown(text)} is not a regular expression: ${mistake}`);
}

/** `off`, or the text to replace and its replacement. */
const replacement: Kind<string> = {
  label: `off, or two words of ${plain.label}: what to replace and by what`,
  read: (text) => {
    const words = text.trim().split(/\s+/);
    if (words.length === 1 && words[0] === "off") return ok("off");
    if (words.length !== 2) return no(`${shown(text)} is neither off nor two words: what to replace and by what`);
    for (const one of words) {
      const read = readWord(one);
      if (!read.ok) return read;
    }
    return ok(words.join(" "));
  },
  view: replacementView,
};

const redirectPart: Kind<string> = {
  label: `one word of ${plain.label}`,
  read: (text) => readWord(text.trim()),
  view: replacementView,
};

export const answers = feature({
  name: "answers",
  scope: "location",
  fields: {
    cookieDomain: ofSetting("proxyCookieDomain", {
      example: "inner.example.com shop.example.com",
      kind: replacement,
      risk: "Medium",
      // nginx removes the dot in front of a domain that is text, but not in front of one in a
      // variable.
      live: (value, { bind }) => boundWords(value.replace(/(?<=^| )\./g, ""), "cookie_domain", bind),
      doc: "Replaces the domain in cookies of backends: the first word by the second.",
    }),
    cookiePath: ofSetting("proxyCookiePath", {
      example: "/app/ /",
      kind: replacement,
      risk: "Medium",
      live: (value, { bind }) => boundWords(value, "cookie_path", bind),
      doc: "Replaces the path in cookies of backends: the first word by the second.",
    }),
    from: ofSetting("proxyRedirectFrom", {
      example: "http://inner.example.com/",
      kind: redirectPart,
      risk: "Medium",
      doc: "Text to replace at the start of Location and Refresh headers of backends; off leaves them alone, default is nginx's own mapping.",
    }),
    to: ofSetting("proxyRedirectTo", {
      example: "https://shop.example.com/",
      kind: redirectPart,
      risk: "Medium",
    }),
  },
  onlyWith: {
    to: ({ from }) => (from === "off" || from === "default" ? `proxy-redirect-from is ${from}` : undefined),
  },
  variables: ["cookie_domain", "cookie_path", "redirected"].flatMap((name) => [`${name}_from`, `${name}_to`]),
  directives: ({ from, to }, _settings, protocol, bind) => {
    if (protocol !== "http" || isDefault(from, to)) return [];
    const text = from === "off" ? "off" : `${from} ${to}`;
    const bound = bind && boundWords(text, "redirected", bind);
    return [{ name: Token.name("proxy_redirect"), value: bound ?? replacementView(text) }];
  },
  view: ({ from, to }, { protocol }, { proxyRedirectFrom, proxyRedirectTo }) => ({
    defaultRedirect: protocol === "http" && isDefault(from, to) && !isDefault(proxyRedirectFrom, proxyRedirectTo),
  }),
});

/**
 * Returns both words as route variables. Returns undefined if they have to be text: regular
 * expressions, and words of settings that name variables of nginx.
 */
function boundWords(text: string, name: string, bind: Place["bind"]): Token | undefined {
  const [from = "", to, ...more] = text.split(" ");
  if (to === undefined || more.length > 0 || from.startsWith("~") || /["'\\$]/.test(text)) return undefined;
  return Token.words([bind(`${name}_from`, from), bind(`${name}_to`, to)]);
}

/**
 * Whether nginx needs no line for the pair. By default it maps the name of the upstream block to
 * the host, and it accepts that line only after `proxy_pass`.
 */
function isDefault(from: string, to: string): boolean {
  return from === "default" || (from !== "off" && to === "off");
}
