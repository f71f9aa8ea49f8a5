/** Makes the rows of the view Shadow. */

import { visible } from "../../../base/visible.ts";
import { elsewhere } from "../../../core/model/configuration.ts";
import { serverKey } from "../../../core/model/listeners.ts";
import type { Served } from "../../matcher/host.ts";
import { differenceMeanings } from "../../matcher/shadow/meanings.ts";
import type { ShadowReport } from "../../matcher/shadow/report.ts";
import type { ShadowList, ShadowRow, ShadowState } from "../api/shadow.ts";
import { Listing, type ListQuery } from "../lists/listing.ts";
import { shown } from "../shown.ts";
import { type EndedShadow, keyOf } from "./ended.ts";

const longestExample = 600;

export function shadowRows(
  reports: readonly ShadowReport[],
  ended: readonly EndedShadow[],
  served: Served | undefined,
): readonly ShadowRow[] {
  const live = new Set(reports.map(keyOf));
  const over = ended.filter(({ report }) => !live.has(keyOf(report)));
  return [
    ...reports.map((report) => rowOf(report, "in shadow", null)),
    ...over.map(({ report, until }) => rowOf(report, stateOf(report, served), until.toISOString())),
  ];
}

export function shadowListing(rows: readonly ShadowRow[]): Listing<ShadowRow> {
  return new Listing(rows, {
    sorts: {
      host: ({ host, path }) => `${host}\0${path}`,
      path: ({ path }) => path,
      route: ({ route }) => route,
      now: ({ now }) => now,
      differences: ({ differences }) => (isSame(differences) ? "" : differences.map(({ kind }) => kind).join()),
      requests: ({ requests }) => requests,
      state: ({ state, until }) => `${state} ${until ?? ""}`,
    },
    texts: ({ host, path, route, rule, listener, now, differences, example, state }) => [
      `${host}${path}`,
      route,
      rule,
      listener,
      now,
      ...differences.flatMap(({ kind, means }) => [kind, means]),
      example,
      state,
    ],
  });
}

export function shadowList(listing: Listing<ShadowRow>, query: ListQuery): ShadowList {
  const inShadow = listing.rows.filter(({ state }) => state === "in shadow");
  const sum = (rows: readonly ShadowRow[]) => rows.reduce((total, { requests }) => total + requests, 0);
  return {
    ...listing.page(query),
    requests: sum(inShadow),
    same: sum(inShadow.filter(({ differences }) => isSame(differences))),
  };
}

const isSame = (differences: ShadowRow["differences"]): boolean => differences[0]?.kind === "same";

function rowOf(report: ShadowReport, state: ShadowState, until: string | null): ShadowRow {
  const { host, shadow, now, listener, requests, differences, example } = report;
  return {
    host: host === "_" ? "*" : visible(host),
    path: visible(shadow.path),
    route: visible(shadow.name),
    rule: visible(shadow.rule),
    listener: visible(listener),
    now: visible(partyWords(now)),
    differences: differences.map((kind) => ({ kind, means: differenceMeanings[kind] })),
    requests,
    example: exampleOf(example),
    state,
    until,
  };
}

function partyWords({ kind, name, path }: ShadowReport["now"]): string {
  if (kind === "nothing") return "no path of anybody";
  return `${kind === "ingress" ? "Ingress" : "route"} ${name} (${path})`;
}

/**
 * Returns the example with the names of its query parameters, which are not secret and may be
 * conditions of a route.
 */
function exampleOf(example: string): string {
  const at = example.indexOf("?");
  return at < 0
    ? shown(example, longestExample)
    : shown(example.slice(0, at), longestExample) + visible(example.slice(at, at + longestExample));
}

/** Returns whether a route that is no longer in shadow serves now. */
function stateOf({ listener, host, shadow }: ShadowReport, served: Served | undefined): ShadowState {
  const server = served?.servers.get(serverKey({ listener, name: host }));
  const serves = server?.routes.some(({ location }) => {
    const owner = location === elsewhere ? undefined : server.locations[location]?.owner;
    return owner !== undefined && `${owner.namespace}/${owner.name}` === shadow.name && owner.kind !== "Ingress";
  });
  return serves ? "serves now" : "serves nothing";
}
