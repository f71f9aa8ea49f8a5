/**
 * Makes Claims of this controller's Ingresses. If an Ingress is refused, by its reading or by
 * nginx, its last good form stays in force, unless that form has weaker guards.
 */

import { guarded } from "../../../base/guarded.ts";
import { Dependencies } from "../../model/dependencies.ts";
import { type Ingress, keyOf, kindAndKey, nameOf, objectKey } from "../../model/objects.ts";
import { bugProblem, isRefusal, type Problem } from "../../model/problem.ts";
import type { TableChange } from "../../model/table.ts";
import { unannotated } from "../../policies/read.ts";
import type { Reading } from "../../policies/reading.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Claim } from "../../table/claim.ts";
import type { ClaimSource } from "../../table/claims.ts";
import { emptyLastGood, guardsDiffer, type LastGood } from "../../table/last-good.ts";
import type { TranslateOptions } from "../../table/options.ts";
import type { Problems } from "../../table/problems.ts";
import { versionOf } from "../../table/quarantine.ts";
import { type Turn, usersOfChanged } from "../../table/turn.ts";
import { governed } from "../host-policy/governed.ts";
import { isOurs } from "./accept.ts";
import { IngressBudget } from "./budget.ts";
import { claimOf } from "./claim.ts";
import { readIngress } from "./reading.ts";

const ingressKey = (key: string) => objectKey("Ingress", key);

/**
 * The state in force for an Ingress: the form that is served, and whether it is open, so that it
 * may replace a later one.
 */
interface InForce {
  readonly form: Ingress;
  readonly isOpen: boolean;
}

/** A version that is not applied, and the last good form in its place. */
interface NotApplied {
  readonly reading: Reading;
  readonly good: Ingress;
  /** Whether the good form may admit clients that the refused one keeps out. */
  readonly loosens: boolean;
  readonly why: readonly Problem[];
}

export class IngressSource implements ClaimSource {
  readonly kind = "Ingress";
  readonly #options: TranslateOptions;
  readonly #problems: Problems;
  readonly #accepted = new Set<string>();
  readonly #inForce = new Map<string, InForce>();
  readonly #references = new Dependencies();
  readonly #budget: IngressBudget;
  #lastGood: LastGood["objects"] = emptyLastGood.objects;

  constructor(options: TranslateOptions, problems: Problems) {
    this.#options = options;
    this.#problems = problems;
    this.#budget = new IngressBudget(options);
  }

  /** Keys of this controller's Ingresses, valid or not. */
  get accepted(): ReadonlySet<string> {
    return this.#accepted;
  }

  /** Forms that replace refused ones. */
  get lastGood(): LastGood["objects"] {
    return this.#lastGood;
  }

  changed(turn: Turn): Set<string> {
    this.#lastGood = turn.now.lastGood.objects;
    const changed = this.#outdated(turn);
    for (const key of changed) this.#weigh(key, turn);
    return new Set([...changed, ...this.#budget.settle(turn.settings)]);
  }

  #outdated({ before, now, afresh }: Turn): Set<string> {
    const { ingresses, ingressClasses } = now.snapshot;
    if (afresh || ingressClasses !== before.snapshot.ingressClasses) {
      return new Set([...this.#accepted, ...ingresses.keys()]);
    }
    const keys = new Set<string>();
    const add = ({ key }: TableChange<unknown>) => keys.add(key);
    ingresses.changesSince(before.snapshot.ingresses).forEach(add);
    const standIns = now.lastGood.objects.changesSince(before.lastGood.objects).map(({ key }) => key);
    for (const called of [...standIns, ...changedKeys(now.quarantine.objects, before.quarantine.objects)]) {
      const [kind, key] = kindAndKey(called);
      if (kind === "Ingress") keys.add(key);
    }
    for (const kind of ["Secret", "ConfigMap", "Service"] as const) {
      for (const ingress of usersOfChanged(this.#references, kind, { before, now }, `${kind} `)) keys.add(ingress);
    }
    return keys;
  }

  claim(key: string, turn: Turn): Claim | undefined {
    const { ingresses, ingressClasses } = turn.now.snapshot;
    const ingress = ingresses.get(key);
    const ours = ingress !== undefined && isOurs(ingress, ingressClasses, this.#options);
    if (ours) this.#accepted.add(key);
    else this.#accepted.delete(key);
    if (!ours) {
      this.#keep(key, undefined);
      this.setAside(key);
      this.#problems.replace(`Ingress ${key}`, []);
      this.#problems.replace(`hosts of Ingress ${key}`, []);
      return undefined;
    }
    const claimed = this.#claimOf(key, ingress, turn);
    if (claimed === undefined) this.#inForce.delete(key);
    const { claim, problems } = claimed === undefined ? nothing : governed(claimed, turn.hostPolicy);
    this.#problems.replace(`hosts of Ingress ${key}`, problems);
    return claim;
  }

  setAside(key: string): void {
    this.#inForce.delete(key);
    this.#references.set(key, []);
  }

  #claimOf(key: string, ingress: Ingress, turn: Turn): Claim | undefined {
    const reading = this.#read(ingress, turn);
    const refusal = turn.now.quarantine.objects.get(ingressKey(key));
    const refused = refusal !== undefined && refusal.version === versionOf(ingress) ? refusal : undefined;
    this.#references.set(key, reading.references);
    const claim = reading.verdict === "reject" || refused !== undefined ? undefined : claimed(ingress, reading);
    if (claim !== undefined && !(claim instanceof Error)) {
      this.#problems.replace(`Ingress ${key}`, reading.problems);
      this.#keep(key, undefined);
      return this.#enforce(key, ingress, claim);
    }
    const object = { kind: "Ingress", ...nameOf(key) };
    const good = this.#standInFor(key, ingress);
    const loosens = good !== undefined && this.#loosens(good, ingress);
    const nginxRefused: Problem[] =
      refused === undefined
        ? []
        : [{ object, kind: "nginx-refused", why: refused.why, ...(loosens && { closes: true }) }];
    const bugs = claim === undefined ? [] : [bugProblem(object, claim)];
    const reported = refused?.suspected === true ? [] : nginxRefused;
    const closed = loosens && refused === undefined ? [unguarded(object)] : [];
    this.#problems.replace(`Ingress ${key}`, [...reading.problems, ...reported, ...bugs, ...closed]);
    return good && this.#standIn(key, ingress, turn, { reading, good, loosens, why: [...nginxRefused, ...bugs] });
  }

  /** Returns the last good form of an Ingress whose present version is not applied. */
  #standInFor(key: string, ingress: Ingress): Ingress | undefined {
    const good = this.#goodFormOf(key);
    return good?.metadata.uid === ingress.metadata.uid && good !== ingress ? good : undefined;
  }

  /**
   * Whether the good form may have weaker guards. If Sluice cannot compare the two forms, it
   * may.
   */
  #loosens(good: Ingress, refused: Ingress): boolean {
    return guarded(
      () => guardsDiffer(good, refused, this.#options.annotationsPrefix),
      () => true,
    );
  }

  /**
   * Returns the last good form, in place of a version that is not applied for these reasons and
   * those of its reading.
   */
  #standIn(key: string, ingress: Ingress, turn: Turn, { reading, good, loosens, why }: NotApplied): Claim | undefined {
    this.#keep(key, good);
    const standIn = this.#read(good, turn);
    this.#references.set(key, [...reading.references, ...standIn.references]);
    const closes = loosens || standIn.failed === true;
    // A version that is not applied has a Problem with the reason. Without one its paths are
    // closed, too.
    const [reason = unguarded({ kind: "Ingress", ...nameOf(key) })] = [
      ...why,
      ...reading.problems.filter(isRefusal),
      ...standIn.problems.filter(isRefusal),
    ];
    const closed = closes ? reason : undefined;
    // A form that Sluice cannot read has no known paths, so the paths of the last good form are
    // closed.
    return guarded(
      () => {
        const form = loosens ? ingress : good;
        return this.#enforce(key, form, claimOf(form, standIn, closed));
      },
      () => this.#enforce(key, good, claimOf(good, standIn, closed)),
    );
  }

  #enforce(key: string, form: Ingress, claim: Claim): Claim {
    this.#inForce.set(key, { form, isOpen: claim.closed === undefined });
    return claim;
  }

  /** Returns the stored form of the Ingress, or else the one in force until now. */
  #goodFormOf(key: string): Ingress | undefined {
    const kept = this.#lastGood.get(ingressKey(key)) as Ingress | undefined;
    const previous = this.#inForce.get(key);
    return kept ?? (previous?.isOpen === true ? previous.form : undefined);
  }

  #keep(key: string, good: Ingress | undefined): void {
    const called = ingressKey(key);
    if (this.#lastGood.get(called) !== good) this.#lastGood = this.#lastGood.with([[called, good]]);
  }

  /** Weighs the form that is going to be in force. */
  #weigh(key: string, turn: Turn): void {
    const { ingresses, ingressClasses } = turn.now.snapshot;
    const present = ingresses.get(key);
    // Sluice may fail on the Ingress, which must not affect others.
    const counts = guarded(
      () => present !== undefined && isOurs(present, ingressClasses, this.#options),
      () => false,
    );
    const ingress = counts ? present : undefined;
    this.#budget.set(key, ingress, turn.now.snapshot, {
      by: ingress && this.#standInFor(key, ingress),
      is: () => ingress !== undefined && this.#isNotApplied(key, ingress, turn),
    });
  }

  #isNotApplied(key: string, ingress: Ingress, turn: Turn): boolean {
    if (turn.now.quarantine.objects.get(ingressKey(key))?.version === versionOf(ingress)) return true;
    const reading = this.#readAlone(ingress, turn);
    return reading.verdict === "reject" || claimed(ingress, reading) instanceof Error;
  }

  /** Reads the Ingress. It is closed if its namespace multiplies too much. */
  #read(ingress: Ingress, turn: Turn): Reading {
    return this.#budget.within(this.#readAlone(ingress, turn), ingress, turn.settings);
  }

  #readAlone(ingress: Ingress, { now, settings }: Turn): Reading {
    return guarded(
      () => readIngress(ingress, now.snapshot, settings, this.#options),
      (bug) => failedReading(ingress, settings, bug),
    );
  }
}

const nothing = { claim: undefined, problems: [] };

/**
 * Returns the reading of an Ingress on which Sluice failed: it is refused, like one that cannot be
 * read.
 */
function failedReading(ingress: Ingress, settings: Settings, bug: Error): Reading {
  const object = { kind: "Ingress", ...nameOf(keyOf(ingress)) };
  const problems = [bugProblem(object, bug)];
  return {
    values: unannotated(settings),
    verdict: "reject",
    failed: true,
    problems,
    elsewhere: [],
    references: [],
  };
}

function claimed(ingress: Ingress, reading: Reading): Claim | Error {
  return guarded<Claim | Error>(
    () => claimOf(ingress, reading, undefined),
    (bug) => bug,
  );
}

function unguarded(object: Problem["object"]): Problem {
  return { object, kind: "version-closed" };
}

function changedKeys<T>(now: ReadonlyMap<string, T>, before: ReadonlyMap<string, T>): string[] {
  if (now === before) return [];
  return [...new Set([...now.keys(), ...before.keys()])].filter((key) => now.get(key) !== before.get(key));
}
