/** An annotation without effect: nginx has no HTTP/2 push since 1.25.1. */
import { resolvedFeature, toggle } from "./declare.ts";
import { useless } from "./problems.ts";

export const http2PushPreload = resolvedFeature({
  name: "http2-push-preload",
  scope: "location",
  fields: {
    on: toggle("http2-push-preload", { onBad: "reject", doc: "Nothing: nginx no longer pushes." }),
  },
  resolve: (value, context) => {
    if (!context.given("on")) return { value };
    const why = "nginx has not pushed since 1.25.1, and browsers no longer take it";
    return { value, problems: [useless(context, "http2-push-preload", why)] };
  },
});
