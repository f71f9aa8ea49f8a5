/** An annotation without effect: nginx has no HTTP/2 push since 1.25.1. */
import { bool } from "../kinds/words.ts";
import { field, resolvedFeature } from "./declare.ts";

export const http2PushPreload = resolvedFeature({
  name: "http2-push-preload",
  scope: "location",
  fields: {
    on: field({
      key: "http2-push-preload",
      example: "true",
      kind: bool,
      fallback: () => false,
      onBad: "reject",
      risk: "Low",
      doc: "Nothing: nginx no longer pushes.",
    }),
  },
  resolve: (value, { ingress: object, given }) => {
    if (!given("on")) return { value };
    const why = "nginx has not pushed since 1.25.1, and browsers no longer take it";
    return { value, problems: [{ object, kind: "annotation-useless", key: "http2-push-preload", why }] };
  },
});
