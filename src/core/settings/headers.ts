/**
 * Keys about headers that are added, removed or passed on everywhere. Edits of the two ConfigMaps
 * that they name are live.
 */
import { lenientListOf, optional } from "../kinds/combine.ts";
import { headerName, reference } from "../kinds/names.ts";
import { keyed, setting, toggle } from "./declare.ts";

export const headers = keyed({
  addHeaders: setting({
    kind: optional(reference),
    needs: "headersMore",
    becomes: "more_set_headers in the http block, one for each entry",
    doc: "ConfigMap whose entries are headers of every answer; values may hold variables, an empty one removes the backend's header.",
  }),
  proxySetHeaders: setting({
    kind: optional(reference),
    becomes: "proxy_set_header (grpc_set_header), one for each entry",
    doc: "ConfigMap whose entries are headers of every request to a backend; an empty value removes the client's header.",
  }),
  hideHeaders: setting({
    kind: lenientListOf(headerName),
    default: [],
    directive: { name: ["proxy_hide_header", "grpc_hide_header"], context: "http" },
    doc: "Headers of backends that do not reach the client.",
  }),
  serverTokens: toggle({
    directive: { name: "server_tokens", context: "http" },
    doc: "Names nginx and its version in the Server header and on error pages; without it there is no Server header at all.",
  }),
  allowBackendServerHeader: toggle({
    onlyWith: ["server-tokens"],
    becomes: "proxy_pass_header Server",
    doc: "Passes on the backend's Server header.",
  }),
  generateRequestId: toggle({
    default: true,
    becomes: "the map of $req_id",
    doc: "Gives a request without X-Request-ID one.",
  }),
  proxyAddOriginalUriHeader: toggle({
    becomes: "proxy_set_header X-Original-URI",
    doc: "Sends the backend the client's original URI in X-Original-URI.",
  }),
});
