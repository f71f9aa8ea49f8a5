/** Reads the rules of a route as paths, with their mistakes. */

import { literalPath } from "../../../kinds/gateway/cookie-path.ts";
import { durationMs } from "../../../kinds/gateway/duration.ts";
import type { Timeouts } from "../../../model/filters.ts";
import type { HTTPRoute, HTTPRouteRule } from "../../../model/gateway/objects.ts";
import type { Problem } from "../../../problem.ts";
import type { ClaimedPath } from "../../claim.ts";
import type { Fault } from "../conditions.ts";
import { type BackendWorld, backendsOf, mirrorsOf, refusalOf, unusable } from "./backends.ts";
import { authOf } from "./external-auth.ts";
import { filtersOf } from "./filters.ts";
import { idleAdditions } from "./header-changes.ts";
import { type MatchesRead, matchesOf } from "./matches.ts";
import { retriesOf } from "./retries.ts";
import { sessionOf } from "./sessions.ts";
import { settingsNamed } from "./settings.ts";

export interface RulesRead {
  /** The paths in the order of the rules. */
  readonly paths: readonly ClaimedPath[];
  /** References that cannot be resolved. */
  readonly unresolved: readonly Fault[];
  /** Mistakes because of which a rule, or a part of it, is left out. */
  readonly invalid: readonly Fault[];
  /** Whether no rule is left. */
  readonly isVoid: boolean;
  /** Notes about fields that may not be served as intended, although the rule is. */
  readonly notes: readonly Problem[];
}

interface RuleRead extends Omit<RulesRead, "isVoid"> {
  readonly isDropped: boolean;
}

export function rulesOf(route: HTTPRoute, world: BackendWorld): RulesRead {
  return readRules(route.spec?.rules ?? [{}], matchesOf, world);
}

/** The fields that rules of HTTPRoutes and of GRPCRoutes have in common. */
type CommonRule = Omit<HTTPRouteRule, "matches">;

export function readRules<R extends CommonRule>(
  rules: readonly R[],
  matches: (rule: R) => MatchesRead,
  world: BackendWorld,
): RulesRead {
  const read = rules.map((rule, at) => ruleOf(rule, matches(rule), `spec.rules[${at}]`, world));
  const all = <T>(part: (one: RuleRead) => readonly T[]) => read.flatMap(part);
  return {
    paths: all(({ paths }) => paths),
    unresolved: all(({ unresolved }) => unresolved),
    invalid: all(({ invalid }) => invalid),
    isVoid: read.length > 0 && read.every(({ isDropped }) => isDropped),
    notes: all(({ notes }) => notes),
  };
}

function ruleOf(rule: CommonRule, { matches, mistakes }: MatchesRead, field: string, world: BackendWorld): RuleRead {
  const { object } = world;
  const named = rule.name === undefined ? {} : { rule: rule.name };
  const wrong = mistakes.map(({ part, why }): Fault => {
    const done = "no request is sent by this match";
    return {
      reason: "UnsupportedValue",
      problem: { object, kind: "field-unusable", field: `${field}${part}`, why, done },
    };
  });
  const timeouts = timeoutsOf(rule);
  const retries = retriesOf(rule.retry, field, object);
  const session = sessionOf(rule, field, object);
  const mistake = [timeouts, retries, session].find((one) => !one.ok);
  const places = [
    { filters: rule.filters ?? [], at: `${field}.filters` },
    ...(rule.backendRefs ?? []).map(({ filters = [] }, nth) => ({
      filters,
      at: `${field}.backendRefs[${nth}].filters`,
    })),
  ];
  const notes = [
    ...[retries, session].flatMap((one) => (one.ok ? one.notes : [])),
    ...places.flatMap(({ filters, at }) => idleAdditions(filters, at, object)),
  ];
  const unresolved: Fault[] = [];
  const invalid: Fault[] = [...wrong];
  let isDropped = matches.length === 0;
  const seen = new Set<string>();
  const note = (faults: Fault[], more: readonly Fault[]) => {
    for (const fault of more) {
      const key = JSON.stringify(fault);
      if (!seen.has(key)) faults.push(fault);
      seen.add(key);
    }
  };
  const paths = matches.map(({ part, match }): ClaimedPath => {
    const isPrefix = match.type === "prefix" && match.pattern !== true;
    const prefix = isPrefix ? match.text.replace(/\/$/, "") : undefined;
    const read = filtersOf(rule.filters ?? [], prefix);
    const broken = read.ok ? mistake : { ...read, part: `.filters${read.part}` };
    const path = { field: `${field}${part}`, match, ...named };
    if (broken !== undefined) {
      const done = `the requests of the rule get ${refusalOf(world)}`;
      const problem: Problem = {
        object,
        kind: "field-unusable",
        field: `${field}${broken.part}`,
        why: broken.why,
        done,
      };
      note(invalid, [{ reason: broken.reason, problem }]);
      isDropped = true;
      return { ...path, backends: [unusable("backendRefs", problem)] };
    }
    const auth = authOf(rule.filters ?? [], `${field}.filters`, world);
    if ("fault" in auth) {
      note(unresolved, [auth.fault]);
      return { ...path, backends: [unusable("filters", auth.fault.problem)] };
    }
    const settings = settingsNamed(rule.filters ?? [], `${field}.filters`, world);
    if ("fault" in settings) {
      note(unresolved, [settings.fault]);
      return { ...path, backends: [unusable("filters", settings.fault.problem)] };
    }
    const copies = mirrorsOf(rule.filters ?? [], `${field}.filters`, world);
    note(unresolved, copies.faults);
    const own = read.ok ? read.filters : undefined;
    const filters = {
      ...own,
      ...(auth.auth === undefined ? {} : { auth: auth.auth }),
      ...(copies.mirrors.length === 0 ? {} : { mirrors: copies.mirrors }),
      ...(session.ok && session.session !== undefined
        ? { session: { ...session.session, path: literalPath(match.text, match.pattern === true) } }
        : {}),
    };
    const found = backendsOf(rule.backendRefs ?? [], field, prefix, world);
    const { backends, faults, invalid: ofBackends } = found;
    notes.push(...found.notes);
    note(unresolved, faults);
    note(invalid, ofBackends);
    const isAnswered = filters.redirect !== undefined || settings.named.some((name) => world.redirects(name));
    const [only] = backends;
    if ((rule.backendRefs ?? []).length === 0 && !isAnswered && only?.unusable !== undefined) notes.push(only.unusable);
    return {
      ...path,
      backends,
      ...(settings.named.length === 0 ? {} : { settings: settings.named }),
      ...(Object.keys(filters).length === 0 ? {} : { filters }),
      ...(timeouts.ok && timeouts.timeouts !== undefined ? { timeouts: timeouts.timeouts } : {}),
      ...(retries.ok && retries.retries !== undefined ? { retries: retries.retries } : {}),
    };
  });
  return { paths, unresolved, invalid, isDropped, notes: [...new Set(notes)] };
}

type TimeoutsRead =
  | { readonly ok: true; readonly timeouts: Timeouts | undefined }
  | { readonly ok: false; readonly reason: "UnsupportedValue"; readonly part: string; readonly why: string };

function timeoutsOf({ timeouts }: CommonRule): TimeoutsRead {
  const values: Record<"request" | "backendRequest", number | undefined> = {
    request: undefined,
    backendRequest: undefined,
  };
  for (const name of ["request", "backendRequest"] as const) {
    const text = timeouts?.[name];
    if (text === undefined) continue;
    const value = durationMs(text);
    if (value === undefined) {
      const why = `${JSON.stringify(text)} is not a duration like 500ms, 10s or 1h30m`;
      return { ok: false, reason: "UnsupportedValue", part: `.timeouts.${name}`, why };
    }
    values[name] = value === 0 ? undefined : value;
  }
  const isSet = values.request !== undefined || values.backendRequest !== undefined;
  return { ok: true, timeouts: isSet ? values : undefined };
}
