/**
 * Reads RequestHeaderModifier and ResponseHeaderModifier, and finds changes that they may not make.
 * Only nginx may set framing and hop-by-hop headers: a changed Content-Length would end one request
 * inside another, on connections that tenants share. Values are text on one line.
 */
import { isHost } from "../../kinds/addresses.ts";
import { shown } from "../../kinds/kind.ts";
import { isOriginHeader } from "../../kinds/origin-headers.ts";
import { isReservedHeader, reservedWhy } from "../../kinds/reserved-headers.ts";
import type { HeaderChanges } from "../../model/filters.ts";
import type { HeaderModifier, HTTPRouteFilter } from "../../model/gateway/objects.ts";
import type { ObjectName, Problem } from "../../model/problem.ts";
import type { FieldMistake, RouteFilter } from "../declare.ts";

export const filters: readonly RouteFilter[] = [
  {
    type: "RequestHeaderModifier",
    field: "requestHeaderModifier",
    mistake: ({ requestHeaderModifier }) => headerMistake(requestHeaderModifier!, "request"),
    read: ({ requestHeaderModifier }) => ({ requestHeaders: changesOf(requestHeaderModifier!) }),
    notes: idleAdditions,
  },
  {
    type: "ResponseHeaderModifier",
    field: "responseHeaderModifier",
    mistake: ({ responseHeaderModifier }) => headerMistake(responseHeaderModifier!, "answer"),
    read: ({ responseHeaderModifier }) => ({ responseHeaders: changesOf(responseHeaderModifier!) }),
  },
];

/** Returns the changes. If several entries have the same name, only the first counts. */
function changesOf({ set = [], add = [], remove = [] }: HeaderModifier): HeaderChanges {
  return {
    set: firstOfEach(set),
    add: firstOfEach(add),
    remove: [...new Set(remove.map((name) => name.toLowerCase()))],
  };
}

function firstOfEach(values: HeaderChanges["set"]): HeaderChanges["set"] {
  const names = values.map(({ name }) => name.toLowerCase());
  return values.filter((_, at) => names.indexOf(names[at]!) === at).map(({ name, value }) => ({ name, value }));
}

/**
 * Returns the first mistake. A route may set Host, which is then the host of the request to the
 * backend.
 */
export function headerMistake(changes: HeaderModifier, of: "request" | "answer"): FieldMistake | undefined {
  for (const list of ["set", "add"] as const) {
    for (const [at, { name, value }] of (changes[list] ?? []).entries()) {
      const isHostOfRequest = of === "request" && name.toLowerCase() === "host";
      const why = isHostOfRequest ? undefined : nameMistake(name);
      if (why !== undefined) return { part: `.${list}[${at}].name`, why };
      const bad = isHostOfRequest ? hostMistake(value) : valueMistake(value);
      if (bad !== undefined) return { part: `.${list}[${at}].value`, why: bad };
    }
  }
  for (const [at, name] of (changes.remove ?? []).entries()) {
    const why = nameMistake(name);
    if (why !== undefined) return { part: `.remove[${at}]`, why };
  }
  return secondAction(changes);
}

/**
 * Returns the first header that is in two of the lists. The Gateway API allows one action for each
 * header, and does not say which of two would come first.
 */
function secondAction({ set = [], add = [], remove = [] }: HeaderModifier): FieldMistake | undefined {
  const lists = new Map<string, string>();
  const all = [
    ...set.map(({ name }, at) => ({ list: "set", part: `.set[${at}].name`, name })),
    ...add.map(({ name }, at) => ({ list: "add", part: `.add[${at}].name`, name })),
    ...remove.map((name, at) => ({ list: "remove", part: `.remove[${at}]`, name })),
  ];
  for (const { list, part, name } of all) {
    const other = lists.get(name.toLowerCase());
    if (other === undefined) lists.set(name.toLowerCase(), list);
    else if (other !== list) return { part, why: `${shown(name)} is in ${other} too, and a header takes one action` };
  }
  return undefined;
}

/** Returns Problems of additions to requests that have no effect. `field` is that of the filter. */
export function idleAdditions(
  { requestHeaderModifier }: HTTPRouteFilter,
  field: string,
  object: ObjectName,
): Problem[] {
  return (requestHeaderModifier?.add ?? []).flatMap(({ name }, nth): Problem[] => {
    if (!isOriginHeader(name)) return [];
    const where = `${field}.requestHeaderModifier.add[${nth}].name`;
    const why = `Sluice itself sets ${name}, and a value beside its own has no effect`;
    return [{ object, kind: "value-useless", field: where, why, done: "nothing is added; set replaces the header" }];
  });
}

function nameMistake(name: string): string | undefined {
  if (!/^[\w!#$%&'*+\-.^`|~]{1,256}$/.test(name)) return `${shown(name)} is not the name of a header`;
  return isReservedHeader(name) ? reservedWhy(name) : undefined;
}

/** Returns the mistake in a value, in which a tab is allowed. */
export function valueMistake(value: string): string | undefined {
  return /[^\t\P{Cc}]/u.test(value) ? `${shown(value)} has a control character in it` : undefined;
}

/** Returns the mistake in a host, with or without a port. */
export function hostMistake(value: string): string | undefined {
  const [, name = "", port = "1"] = /^(.*?)(?::(\d{1,5}))?$/s.exec(value) ?? [];
  const isUsable = isHost(name) && Number(port) >= 1 && Number(port) <= 65_535;
  return isUsable ? undefined : `${shown(value)} is not a host`;
}
