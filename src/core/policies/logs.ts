/** The logs of a Location. */

import { Token } from "../tokens/token.ts";
import { feature, toggle } from "./declare.ts";

export const logs = feature({
  name: "logs",
  scope: "location",
  fields: {
    access: toggle("enable-access-log", {
      example: "false",
      fallback: () => true,
      doc: "Whether requests are written to the access log.",
    }),
    rewrites: toggle("enable-rewrite-log", {
      doc: "Whether the error log records redirects and rewrites, at level notice.",
    }),
  },
  directives: ({ access, rewrites }) => [
    ...(access ? [] : [{ name: Token.name("access_log"), value: Token.name("off") }]),
    ...(rewrites ? [{ name: Token.name("rewrite_log"), value: Token.name("on") }] : []),
  ],
});
