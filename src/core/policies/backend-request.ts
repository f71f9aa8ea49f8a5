/** The request to the backend: its HTTP version, and headers that differ from those of RS-23.2. */

import type { Kind } from "../kinds/kind.ts";
import { isBackendVariable } from "../kinds/request-variables.ts";
import { textOf, trimmed } from "../kinds/text.ts";
import { undecoded } from "../kinds/variables.ts";
import { oneOf } from "../kinds/words.ts";
import { Token } from "../tokens/token.ts";
import { feature, ofSetting, textField } from "./declare.ts";
import { rewrite } from "./rewrite/declaration.ts";
import { boundText } from "./variables.ts";

const hostCharacters = {
  label: "letters, digits and - . _ ~ / : ^ $ [ ] ( ) { } * + ? | & = \\",
  characters: "A-Za-z0-9._~/:^$\\[\\](){}*+?|&=\\\\\\-",
};
const prefixCharacters = { label: "letters, digits, blanks and - . _ ~ / : $", characters: "A-Za-z0-9._~/:$ \\-" };

const connection: Kind<string> = oneOf<string>(["close", "keep-alive"]);

export const backendRequest = feature({
  name: "backend-request",
  scope: "location",
  fields: {
    httpVersion: ofSetting("proxyHttpVersion", {
      example: "1.1",
      kind: oneOf(["1.0", "1.1"]),
      doc: "HTTP version towards the backend; keepalive and websockets need 1.1.",
    }),
    host: textField("upstream-vhost", {
      example: "inner.example.com",
      kind: undecoded(trimmed(textOf(hostCharacters))),
      onBad: "reject",
      doc: "Host header for the backend, in place of the client's; may hold variables.",
    }),
    connection: textField("connection-proxy-header", {
      example: "keep-alive",
      kind: connection,
      onBad: "reject",
      doc: "Connection header for the backend, close or keep-alive; websockets do not work with it.",
    }),
    prefix: textField("x-forwarded-prefix", {
      example: "/shop",
      kind: undecoded(trimmed(textOf(prefixCharacters))),
      onBad: "reject",
      risk: "Medium",
      doc: "X-Forwarded-Prefix header for the backend if rewrite-target rewrites the path; $1 to $9 are groups of the Ingress path.",
    }),
  },
  onlyWith: {
    prefix: (_, other) => (other(rewrite).target === "" ? "it is sent only with rewrite-target" : undefined),
  },
  requestHeaders: ({ host, connection, prefix }, place) => [
    ...(host === "" ? [] : [{ name: Token.name("Host"), value: boundText(place, "host", host, isBackendVariable) }]),
    ...(connection === "" ? [] : [{ name: Token.name("Connection"), value: place.bind("connection", connection) }]),
    ...(prefix === "" ? [] : [{ name: Token.name("X-Forwarded-Prefix"), value: place.captured(prefix) }]),
  ],
  variables: ["host", "connection", "prefix"],
});
