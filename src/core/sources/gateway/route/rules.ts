/**
 * Reads the rules of a route: each match becomes a path with the filters and backends of its rule.
 * Filters are read again for each match, because some of them depend on its prefix.
 */

import { literalPath } from "../../../kinds/gateway/cookie-path.ts";
import type { Filters } from "../../../model/filters.ts";
import type { HTTPRoute } from "../../../model/gateway/objects.ts";
import type { Problem } from "../../../model/problem.ts";
import type { RuleFieldRead, RuleFields } from "../../../policies/declare.ts";
import { filterNotes, ruleFields } from "../../../policies/filters.ts";
import type { ClaimedPath } from "../../../table/claim.ts";
import { decodedPath } from "../../../table/hosts/listener/entries.ts";
import { closingProblem } from "../../../table/unknown-fields.ts";
import type { Fault } from "../conditions.ts";
import { closingRule, unknownCondition } from "../types/in-routes.ts";
import { backendsOf, filtersOfBackends, unusable } from "./backends.ts";
import { authOf } from "./external-auth.ts";
import { filtersOf } from "./filters.ts";
import { type MatchesRead, matchesOf, type ReadMatch } from "./matches.ts";
import { neverFulfilled } from "./never-fulfilled.ts";
import { settingsNamed } from "./settings.ts";
import { type BackendWorld, refusalOf } from "./targets.ts";

interface RuleRead {
  readonly paths: readonly ClaimedPath[];
  /** References that cannot be resolved. */
  readonly unresolved: readonly Fault[];
  /** Mistakes that cause the rule, or a part of it, to be left out. */
  readonly invalid: readonly Fault[];
  /** Whether nothing of the rule is served. */
  readonly isDropped: boolean;
  readonly notes: readonly Problem[];
}

/** A mistake in a field that all paths of the rule need. */
interface Mistake {
  readonly reason: Fault["reason"];
  readonly part: string;
  readonly why: string;
}

class RuleReading {
  readonly #rule: RuleFields;
  readonly #field: string;
  readonly #world: BackendWorld;
  readonly #fields: readonly RuleFieldRead[];
  readonly #unresolved = new Faults();
  readonly #invalid = new Faults();
  readonly #notes = new Set<Problem>();
  #isDropped = false;

  constructor(rule: RuleFields, field: string, world: BackendWorld) {
    this.#rule = rule;
    this.#field = field;
    this.#world = world;
    this.#fields = ruleFields(rule, field, world.object);
  }

  of(read: MatchesRead): RuleRead {
    const { matches, mistakes } = this.#withKnownConditions(read);
    this.#isDropped = matches.length === 0;
    const done = "no request is sent by this match";
    this.#invalid.add(mistakes.map(({ part, why }) => this.#fault({ reason: "UnsupportedValue", part, why }, done)));
    for (const note of this.#ownNotes(matches)) this.#notes.add(note);
    const paths = matches.map((match) => this.#path(match));
    return {
      paths,
      unresolved: this.#unresolved.all,
      invalid: this.#invalid.all,
      isDropped: this.#isDropped,
      notes: [...this.#notes],
    };
  }

  /** Leaves out matches with a condition that Sluice does not know. */
  #withKnownConditions(read: MatchesRead): MatchesRead {
    const { unknown } = this.#world;
    if (unknown.length === 0) return read;
    const mistakes = [...read.mistakes];
    const matches = read.matches.filter(({ part }) => {
      const one = part === "" ? undefined : unknownCondition(unknown, `${this.#field}${part}`);
      if (one === undefined) return true;
      mistakes.push({ part: one.field.slice(this.#field.length), why: "is a condition that Sluice does not know" });
      return false;
    });
    return { matches, mistakes };
  }

  #ownNotes(matches: readonly ReadMatch[]): readonly Problem[] {
    const { filters = [], backendRefs = [] } = this.#rule;
    const places = [
      { filters, at: `${this.#field}.filters` },
      ...backendRefs.map((one, nth) => ({
        filters: one.filters ?? [],
        at: `${this.#field}.backendRefs[${nth}].filters`,
      })),
    ];
    return [
      ...this.#fields.flatMap((one) => (one.ok ? one.notes : [])),
      ...places.flatMap(({ filters, at }) => filterNotes(filters, at, this.#world.object)),
      ...neverFulfilled(matches, this.#field, this.#world),
      ...this.#weightless(),
    ];
  }

  #weightless(): readonly Problem[] {
    const { backendRefs = [] } = this.#rule;
    if (backendRefs.length === 0 || backendRefs.some(({ weight = 1 }) => weight > 0)) return [];
    const why = "gives every backend the weight 0";
    const done = `its requests get ${refusalOf(this.#world)}`;
    const { object } = this.#world;
    return [{ object, kind: "value-unusable", field: `${this.#field}.backendRefs`, why, done }];
  }

  #path({ part, match }: ReadMatch): ClaimedPath {
    const { name, filters = [] } = this.#rule;
    const isPrefix = match.type === "prefix" && match.pattern !== true;
    // The prefix is compared with nginx's path, which has no escapes.
    const prefix = isPrefix ? decodedPath(match.text).replace(/\/$/, "") : undefined;
    const path = { field: `${this.#field}${part}`, match, ...(name === undefined ? {} : { rule: name }) };
    const read = filtersOf(filters, prefix);
    const mistake = read.ok ? this.#mistake() : { ...read, part: `.filters${read.part}` };
    const refused = `the requests of the rule get ${refusalOf(this.#world)}`;
    const closing = closingRule(this.#world.unknown, this.#field);
    if (closing !== undefined || mistake !== undefined) {
      const fault =
        closing === undefined
          ? this.#fault(mistake!, refused)
          : { reason: "UnsupportedValue", problem: closingProblem(this.#world.object, closing, refused) };
      this.#invalid.add([fault]);
      this.#isDropped = true;
      return { ...path, backends: [unusable("backendRefs", fault.problem)] };
    }
    const at = `${this.#field}.filters`;
    const auth = authOf(filters, at, this.#world);
    const settings = settingsNamed(filters, at, this.#world);
    const missing = "fault" in auth ? auth.fault : "fault" in settings ? settings.fault : undefined;
    if (missing !== undefined) {
      this.#unresolved.add([missing]);
      return { ...path, backends: [unusable("filters", missing.problem)] };
    }
    const { backends, faults, invalid, notes } = backendsOf(
      this.#rule.backendRefs ?? [],
      this.#field,
      prefix,
      this.#world,
    );
    const referring = filtersOfBackends(filters, at, this.#world);
    this.#unresolved.add([...referring.faults, ...faults]);
    this.#invalid.add(invalid);
    for (const note of notes) this.#notes.add(note);
    const changes: Filters = {
      ...(read.ok ? read.filters : undefined),
      ...("auth" in auth && auth.auth !== undefined ? { auth: auth.auth } : {}),
      ...referring.changes,
      ...this.#fieldsAt(literalPath(match.text, match.pattern === true)),
    };
    const named = "named" in settings ? settings.named : [];
    const isAnswered = changes.redirect !== undefined || named.some((one) => this.#world.redirects(one));
    const [only] = backends;
    const isEmpty = (this.#rule.backendRefs ?? []).length === 0;
    if (isEmpty && !isAnswered && only?.unusable !== undefined) this.#notes.add(only.unusable);
    return {
      ...path,
      backends,
      ...(named.length === 0 ? {} : { settings: named }),
      ...(Object.keys(changes).length === 0 ? {} : { filters: changes }),
    };
  }

  #mistake(): Mistake | undefined {
    const first = this.#fields.find((one) => !one.ok);
    return first && { reason: "UnsupportedValue", ...first };
  }

  #fieldsAt(path: string): Filters {
    return Object.assign({}, ...this.#fields.map((one) => (one.ok ? one.filtersAt(path) : {})));
  }

  #fault({ reason, part, why }: Mistake, done: string): Fault {
    const field = `${this.#field}${part}`;
    return { reason, problem: { object: this.#world.object, kind: "value-unusable", field, why, done } };
  }
}

/** Faults, each once: all paths of a rule name the same backends. */
class Faults {
  readonly #all = new Map<string, Fault>();

  get all(): readonly Fault[] {
    return [...this.#all.values()];
  }

  add(faults: readonly Fault[]): void {
    for (const fault of faults) {
      const key = JSON.stringify(fault);
      if (!this.#all.has(key)) this.#all.set(key, fault);
    }
  }
}

export interface RulesRead {
  /** The paths in the order of the rules. */
  readonly paths: readonly ClaimedPath[];
  /** References that cannot be resolved. */
  readonly unresolved: readonly Fault[];
  /** Mistakes that cause a rule, or a part of it, to be left out. */
  readonly invalid: readonly Fault[];
  /** Whether no rule is left. */
  readonly isVoid: boolean;
  /** Notes about fields that may not be served as intended, although the rule is. */
  readonly notes: readonly Problem[];
}

export function rulesOf(route: HTTPRoute, world: BackendWorld): RulesRead {
  return readRules(route.spec?.rules ?? [{}], matchesOf, world);
}

export function readRules<R extends RuleFields>(
  rules: readonly R[],
  matches: (rule: R) => MatchesRead,
  world: BackendWorld,
): RulesRead {
  const read = rules.map((rule, at) => new RuleReading(rule, `spec.rules[${at}]`, world).of(matches(rule)));
  const all = <T>(part: (one: RuleRead) => readonly T[]) => read.flatMap(part);
  return {
    paths: all(({ paths }) => paths),
    unresolved: all(({ unresolved }) => unresolved),
    invalid: all(({ invalid }) => invalid),
    isVoid: read.length > 0 && read.every(({ isDropped }) => isDropped),
    notes: all(({ notes }) => notes),
  };
}
