/** Reads HTTPRoutes. */
import type { HTTPRoute } from "../../../model/gateway/objects.ts";
import type { RouteReader } from "./reader.ts";
import { rulesOf } from "./rules.ts";
import { settingsIn } from "./settings.ts";

export const httpRouteReader: RouteReader<HTTPRoute> = {
  kind: "HTTPRoute",
  table: ({ httpRoutes }) => httpRoutes,
  references: ({ spec }) => {
    const rules = spec?.rules ?? [];
    const backends = rules.flatMap(({ backendRefs = [] }) => backendRefs);
    const filters = [...rules, ...backends].flatMap((one) => one.filters ?? []);
    const others = filters.flatMap(({ requestMirror, externalAuth }) => [requestMirror, externalAuth]);
    return [...backends, ...others.flatMap((one) => one?.backendRef ?? [])];
  },
  settings: ({ spec, metadata: { namespace = "default" } }) => settingsIn(spec?.rules ?? [], namespace),
  rules: rulesOf,
};
