/** Reads the filters of a rule or a backend as changes to requests and answers. */
import { shown } from "../../../kinds/kind.ts";
import type { Filters } from "../../../model/filters.ts";
import type { HTTPRouteFilter } from "../../../model/gateway/objects.ts";
import { sluiceGroup } from "../../../model/gateway/route-settings.ts";
import { routeFilters } from "../../../policies/filters.ts";

/** Whether a list may have several filters of this type. */
const isRepeatable = (type: string): boolean =>
  type === "ExtensionRef" || routeFilters.get(type)?.ofBackends !== undefined;

export type FiltersRead =
  | { readonly ok: true; readonly filters: Filters | undefined }
  | {
      readonly ok: false;
      readonly reason: "UnsupportedValue" | "IncompatibleFilters";
      /** Below the field of the filters: `[0].type`. */
      readonly part: string;
      readonly why: string;
    };

/**
 * Reads the filters. `prefix` is the matched path, without a slash at its end; undefined if the
 * match is not a PathPrefix.
 */
export function filtersOf(filters: readonly HTTPRouteFilter[], prefix: string | undefined): FiltersRead {
  if (filters.length === 0) return { ok: true, filters: undefined };
  const mistake = together(filters) ?? apart(filters, prefix);
  if (mistake !== undefined) return { ok: false, ...mistake };
  // Filters that name another object are read elsewhere.
  const own = filters.flatMap((filter) => routeFilters.get(filter.type)?.read?.(filter, prefix ?? "") ?? []);
  return { ok: true, filters: own.length === 0 ? undefined : Object.assign({}, ...own) };
}

type Mistake = Omit<Extract<FiltersRead, { ok: false }>, "ok">;

function together(filters: readonly HTTPRouteFilter[]): Mistake | undefined {
  const types = filters.map(({ type }) => type);
  const twice = types.findIndex((type, at) => !isRepeatable(type) && types.indexOf(type) !== at);
  if (twice >= 0) {
    return { reason: "IncompatibleFilters", part: `[${twice}].type`, why: `${types[twice]} stands there twice` };
  }
  if (types.includes("URLRewrite") && types.includes("RequestRedirect")) {
    const part = `[${types.indexOf("RequestRedirect")}].type`;
    return { reason: "IncompatibleFilters", part, why: "RequestRedirect and URLRewrite cannot be used together" };
  }
  return undefined;
}

const fieldOf: ReadonlyMap<string, keyof HTTPRouteFilter> = new Map([
  ["ExtensionRef", "extensionRef"],
  ...[...routeFilters.values()].map(({ type, field }) => [type, field] as const),
]);

function isRouteSettings({ group, kind }: { readonly group: string; readonly kind: string }): boolean {
  return group === sluiceGroup && kind === "RouteSettings";
}

function apart(filters: readonly HTTPRouteFilter[], prefix: string | undefined): Mistake | undefined {
  for (const [at, filter] of filters.entries()) {
    const no = (part: string, why: string): Mistake => ({ reason: "UnsupportedValue", part: `[${at}]${part}`, why });
    const field = fieldOf.get(filter.type);
    if (field === undefined) return no(".type", `${shown(filter.type)} is not a filter that Sluice knows`);
    if (filter[field] === undefined) return no("", `has no ${field}, and its type is ${filter.type}`);
    const other = [...fieldOf.values()].find((one) => one !== field && filter[one] !== undefined);
    if (other !== undefined) return no(`.${other}`, `must not stand beside type ${filter.type}`);
    const { extensionRef: extension } = filter;
    if (extension !== undefined && !isRouteSettings(extension)) {
      const named = `${extension.group} ${extension.kind}`;
      return no(".extensionRef", `${shown(named)} is not ${sluiceGroup} RouteSettings, which is what Sluice knows`);
    }
    const bad = routeFilters.get(filter.type)?.mistake?.(filter, prefix);
    if (bad !== undefined) return no(`.${field}${bad.part}`, bad.why);
  }
  return undefined;
}
