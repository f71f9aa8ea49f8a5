/** The logs of a Location. */

import { bool } from "../kinds/words.ts";
import { Token } from "../tokens/token.ts";
import { feature, field } from "./declare.ts";

export const logs = feature({
  name: "logs",
  scope: "location",
  fields: {
    access: field({
      key: "enable-access-log",
      example: "false",
      kind: bool,
      fallback: () => true,
      risk: "Low",
      doc: "Whether requests are written to the access log.",
    }),
    rewrites: field({
      key: "enable-rewrite-log",
      example: "true",
      kind: bool,
      fallback: () => false,
      risk: "Low",
      doc: "Whether the error log records redirects and rewrites, at level notice.",
    }),
  },
  directives: ({ access, rewrites }) => [
    ...(access ? [] : [{ name: Token.name("access_log"), value: Token.name("off") }]),
    ...(rewrites ? [{ name: Token.name("rewrite_log"), value: Token.name("on") }] : []),
  ],
});
