/** The changes of filters as data. A change of Host rewrites the host instead (`hostSetBy`). */
import { isOriginHeader } from "../../kinds/origin-headers.ts";
import type { Filters, HeaderChanges } from "../../model/filters.ts";
import type { Fields } from "../../model/records.ts";
import type { RouteTraits } from "../../model/route-traits.ts";

export function steering(rule: Filters, backend: Filters): Fields<"steering"> {
  const requests = [rule.requestHeaders, backend.requestHeaders].flatMap(changesOf);
  const answers = [rule.responseHeaders, backend.responseHeaders].flatMap(changesOf);
  return { ...(requests.length > 0 ? { requests } : {}), ...(answers.length > 0 ? { answers } : {}) };
}

const isHost = (name: string): boolean => name.toLowerCase() === "host";

/** Returns the changes of headers without those of Host. */
function changesOf(changes: HeaderChanges | undefined): Fields<"changes">[] {
  if (changes === undefined) return [];
  const pairs = (some: HeaderChanges["set"]) =>
    some.filter(({ name }) => !isHost(name)).map(({ name, value }) => [name, value]);
  const lists = {
    set: pairs(changes.set),
    add: pairs(changes.add),
    remove: changes.remove.filter((one) => !isHost(one)),
  };
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  return filled.length === 0 ? [] : [Object.fromEntries(filled)];
}

/** Returns the host towards the backend. */
export function hostSetBy({ requestHeaders: changes }: Filters): string | undefined {
  return [...(changes?.set ?? []), ...(changes?.add ?? [])].find(({ name }) => isHost(name))?.value;
}

/** Names the changed headers about the origin of a request. Guards and logs do not read these. */
export function traits(rule: Filters, backend: Filters): RouteTraits {
  const changes = [rule.requestHeaders, backend.requestHeaders].filter((one) => one !== undefined);
  const names = changes.flatMap(({ set, remove }) => [...set.map(({ name }) => name), ...remove]);
  const owns = [...new Set(names.map((name) => name.toLowerCase()))].filter(isOriginHeader).sort();
  return owns.length > 0 ? { owns } : {};
}
