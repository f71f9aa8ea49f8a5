/**
 * Keys with the operator's own nginx text, block by block. A text that nginx refuses is set aside
 * with a Problem, and the last good text stays.
 */
import { keyed, setting } from "./declare.ts";
import { snippet } from "./snippet.ts";

export const snippets = keyed({
  mainSnippet: setting({
    kind: snippet,
    default: "",
    becomes: "text at the top level",
    doc: "Directives for the top level of nginx.conf.",
  }),
  httpSnippet: setting({
    kind: snippet,
    default: "",
    becomes: "text in the http block",
    doc: "Directives for the http block; maps declared here can be used in log formats.",
  }),
  serverSnippet: setting({
    kind: snippet,
    default: "",
    becomes: "text in each server",
    doc: "Directives for every server.",
  }),
  locationSnippet: setting({
    kind: snippet,
    default: "",
    becomes: "text in each location",
    doc: "Directives for every location, after those of the Ingress.",
  }),
  streamSnippet: setting({
    kind: snippet,
    default: "",
    becomes: "text in the stream block",
    doc: "Directives for the stream block.",
  }),
});
