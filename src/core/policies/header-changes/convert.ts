/** The filter that sets headers of answers as annotations or the ConfigMap do. */
import type { HeaderValue } from "../../model/filters.ts";
import type { HTTPRouteFilter } from "../../model/gateway/objects.ts";

export const answerHeaderFilter = (set: readonly HeaderValue[]): HTTPRouteFilter => ({
  type: "ResponseHeaderModifier",
  responseHeaderModifier: { set },
});
