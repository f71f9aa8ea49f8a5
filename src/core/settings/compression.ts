/**
 * Keys about gzip and brotli. nginx compresses text/html whatever the types are, and never a 500
 * (RS-32.21).
 */

import { blankListOf, optional } from "../kinds/combine.ts";
import { mediaTypeOrAll } from "../kinds/names.ts";
import { regex } from "../kinds/patterns.ts";
import { Token } from "../tokens/token.ts";
import { keyed, setting, toggle } from "./declare.ts";
import { count, countOrNone } from "./kinds.ts";

const types = blankListOf(mediaTypeOrAll);
/**
 * Returns the types without text/html, which nginx always compresses and warns about if it is
 * listed.
 */
function listed(value: readonly string[]): Token | undefined {
  if (value.includes("*")) return Token.word("*");
  const types = [...new Set(value)].filter((type) => type !== "text/html");
  return types.length === 0 ? undefined : Token.words(types.map(Token.word));
}

const common =
  "application/javascript application/x-javascript application/json application/rss+xml application/vnd.ms-fontobject application/x-font-ttf application/x-web-app-manifest+json application/xhtml+xml application/xml font/opentype image/svg+xml image/x-icon text/css text/javascript text/plain text/x-component".split(
    " ",
  );

export const compression = keyed({
  useGzip: toggle({
    directive: { name: "gzip", context: "http", view: (on) => (on ? true : undefined) },
    becomes: "gzip, gzip_proxied any, gzip_vary and gzip_http_version 1.1",
    doc: "Compresses answers with gzip.",
  }),
  gzipLevel: setting({
    kind: count({ max: 9 }),
    default: 1,
    onlyWith: ["use-gzip"],
    directive: { name: "gzip_comp_level", context: "http" },
    doc: "How hard gzip tries, from 1 to 9.",
  }),
  gzipMinLength: setting({
    kind: countOrNone(),
    default: 256,
    onlyWith: ["use-gzip"],
    directive: { name: "gzip_min_length", context: "http" },
    doc: "Length in bytes, by Content-Length, below which gzip is not used.",
  }),
  gzipTypes: setting({
    kind: types,
    default: ["application/atom+xml", ...common],
    onlyWith: ["use-gzip"],
    directive: { name: "gzip_types", context: "http", view: listed },
    doc: "Media types that gzip compresses.",
  }),
  gzipDisable: setting({
    kind: optional(regex),
    onlyWith: ["use-gzip"],
    directive: { name: "gzip_disable", context: "http" },
    doc: "User-Agents (a regular expression) that get nothing compressed.",
  }),
  enableBrotli: toggle({
    needs: "brotli",
    directive: { name: "brotli", context: "http", view: (on) => (on ? true : undefined) },
    doc: "Compresses answers with brotli for clients that accept it.",
  }),
  brotliLevel: setting({
    kind: countOrNone({ max: 11 }),
    default: 4,
    needs: "brotli",
    onlyWith: ["enable-brotli"],
    directive: { name: "brotli_comp_level", context: "http" },
    doc: "How hard brotli tries, from 0 to 11.",
  }),
  brotliMinLength: setting({
    kind: countOrNone(),
    default: 20,
    needs: "brotli",
    onlyWith: ["enable-brotli"],
    directive: { name: "brotli_min_length", context: "http" },
    doc: "Length in bytes, by Content-Length, below which brotli is not used.",
  }),
  brotliTypes: setting({
    kind: types,
    default: ["application/xml+rss", "application/atom+xml", ...common],
    needs: "brotli",
    onlyWith: ["enable-brotli"],
    directive: { name: "brotli_types", context: "http", view: listed },
    doc: "Media types that brotli compresses.",
  }),
});
