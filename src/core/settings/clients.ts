/** Keys about connections to clients: sizes, timeouts and headers. */

import type { Kind } from "../kinds/kind.ts";
import { no, ok, shown } from "../kinds/kind.ts";
import { sizeBetween } from "../kinds/measures.ts";
import { mediaType } from "../kinds/names.ts";
import { trimmed } from "../kinds/text.ts";
import { Token } from "../tokens/token.ts";
import { keyed, setting, toggle } from "./declare.ts";
import { count, secondsOrOff, wholeSeconds } from "./kinds.ts";

/** nginx requires each buffer to be at least as large as its connection pool, 512 bytes. */
const buffers: Kind<string> = {
  label: "a number and a size, like 4 8k",
  read: (text) => {
    const [, number, size = ""] = /^\s*(\d{1,4})\s+(\S+)\s*$/.exec(text) ?? [];
    if (number === undefined || Number(number) < 1) return no(`${shown(text)} is not a number and a size, like 4 8k`);
    const read = sizeBetween("512", "16m").read(size);
    return read.ok ? ok(`${Number(number)} ${read.value}`) : read;
  },
  view: (value) => Token.words(value.split(" ").map(Token.size)),
};

export const clients = keyed({
  clientHeaderBufferSize: setting({
    kind: sizeBetween("256", "16m"),
    default: "1k",
    directive: { name: "client_header_buffer_size", context: "http" },
    doc: "Buffer that a request header is read into first.",
  }),
  clientHeaderTimeout: setting({
    kind: wholeSeconds(),
    default: 60,
    directive: { name: "client_header_timeout", context: "http" },
    doc: "How long a client may take to send the request header.",
  }),
  clientBodyBufferSize: setting({
    kind: sizeBetween("1", "1g"),
    default: "8k",
    directive: { name: "client_body_buffer_size", context: "http" },
    doc: "Part of a request body that is kept in memory; the rest goes to a file.",
  }),
  clientBodyBufferCeiling: setting({
    kind: sizeBetween("8k", "64g"),
    default: "32m",
    own: true,
    doc: "Most memory that the annotation client-body-buffer-size may ask for one body. More gets as much as this; the key of this ConfigMap is not limited.",
  }),
  clientBodyTimeout: setting({
    kind: wholeSeconds(),
    default: 60,
    directive: { name: "client_body_timeout", context: "http" },
    doc: "How long a pause in a request body may last.",
  }),
  largeClientHeaderBuffers: setting({
    kind: buffers,
    default: "4 8k",
    directive: { name: "large_client_header_buffers", context: "http" },
    doc: "Number and size of the buffers for long request headers; one line must fit into one of them.",
  }),
  keepAlive: setting({
    kind: secondsOrOff,
    default: 75,
    directive: { name: "keepalive_timeout", context: "http" },
    doc: "How long an idle client connection is kept; 0 closes it after each answer.",
  }),
  keepAliveRequests: setting({
    kind: count(),
    default: 1000,
    directive: { name: "keepalive_requests", context: "http" },
    doc: "Requests after which a client connection is closed.",
  }),
  ignoreInvalidHeaders: toggle({
    default: true,
    directive: { name: "ignore_invalid_headers", context: "http" },
    doc: "Drops request headers with unusual characters in the name; false lets names with an underscore through, too.",
  }),
  enableUnderscoresInHeaders: toggle({
    directive: { name: "underscores_in_headers", context: "http" },
    doc: "Passes request headers with an underscore in the name.",
  }),
  defaultType: setting({
    kind: trimmed(mediaType),
    default: "text/html",
    directive: { name: "default_type", context: "http" },
    doc: "Content type of nginx's own answers.",
  }),
  relativeRedirects: toggle({
    directive: { name: "absolute_redirect", context: "http", view: (relative) => !relative },
    doc: "Sends nginx's own redirects without scheme and host.",
  }),
});
