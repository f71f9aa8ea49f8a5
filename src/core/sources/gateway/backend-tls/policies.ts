/**
 * All BackendTLSPolicies, and the one that governs a port of a Service: a policy that names the
 * port comes before one for the whole Service, and among several the oldest wins.
 */

import { guarded } from "../../../../base/guarded.ts";
import { Dependencies } from "../../../model/dependencies.ts";
import { named } from "../../../model/problem.ts";
import type { Settings } from "../../../settings/registry.ts";
import { AuthoritiesBudget, tooMuchTrust } from "../../../table/authorities.ts";
import { type Turn, usersOfChanged } from "../../../table/turn.ts";
import type { Fault } from "../conditions.ts";
import { byCreation } from "../creation.ts";
import {
  bytesLoaded,
  failedPolicy,
  type PolicyReading,
  type PolicyTargetRead,
  readPolicy,
  done as unusable,
} from "./policy.ts";

/** Inputs beside objects. */
export interface PolicyOptions {
  readonly systemAuthorities: string | undefined;
  readonly checksNames: boolean;
}

export class BackendTlsPolicies {
  readonly #options: PolicyOptions;
  /** The readings, each without regard to other policies. */
  readonly #read = new Map<string, PolicyReading>();
  readonly #readings = new Map<string, PolicyReading>();
  readonly #authorities = new AuthoritiesBudget();
  /** Policies by the ConfigMaps and Secrets that they name. */
  readonly #references = new Dependencies();
  /** Policies by the Services that they target. */
  readonly #targets = new Dependencies();
  #changed: ReadonlySet<string> = new Set();

  constructor(options: PolicyOptions) {
    this.#options = options;
  }

  /**
   * Updates the policies. Returns the Services, as `namespace/name`, whose policy may have changed.
   */
  renew(turn: Turn): Set<string> {
    const { before, now } = turn;
    const changed = new Set(
      now.snapshot.backendTLSPolicies.changesSince(before.snapshot.backendTLSPolicies).map(({ key }) => key),
    );
    for (const kind of ["ConfigMap", "Secret"] as const)
      for (const key of usersOfChanged(this.#references, kind, turn, `${kind} `)) changed.add(key);
    const services = new Set<string>();
    for (const key of changed) {
      for (const service of this.#targets.usedBy(key)) services.add(service);
      this.#readAgain(key, turn);
      for (const service of this.#targets.usedBy(key)) services.add(service);
    }
    for (const key of this.#limit(changed, turn)) {
      for (const service of this.#targets.usedBy(key)) services.add(service);
    }
    // Policies with the same target as a changed one may have become effective, or no longer are.
    this.#changed = new Set([...services].flatMap((service) => [...this.#targets.usersOf(service)]));
    for (const key of changed) if (!this.#readings.has(key)) this.#changed = new Set([...this.#changed, key]);
    return services;
  }

  /** Policies that have changed or are gone, and policies with the same targets. */
  get changed(): ReadonlySet<string> {
    return this.#changed;
  }

  /** Returns undefined if there is no such policy. */
  reading(key: string): PolicyReading | undefined {
    return this.#readings.get(key);
  }

  /** Returns the policies for the Service, as `namespace/name`. */
  of(service: string): Iterable<string> {
    return this.#targets.usersOf(service);
  }

  /** Returns the policy that governs the port of that name; undefined if none does. */
  governing(service: string, port: string | undefined): PolicyReading | undefined {
    const all = this.#sorted(service);
    const has = (section: string | undefined) => (one: PolicyReading) =>
      one.targets.some((target) => target.service === service && target.section === section);
    return (port === undefined ? undefined : all.find(has(port))) ?? all.find(has(undefined));
  }

  /** Returns why the policy does not govern the target; undefined if it does. */
  conflictAt({ key, object }: PolicyReading, { service, section, field }: PolicyTargetRead): Fault | undefined {
    const older = this.#sorted(service).find((one) =>
      one.targets.some((target) => target.service === service && target.section === section),
    );
    if (older === undefined || older.key === key) return undefined;
    const what = section === undefined ? `Service ${service}` : `port ${section} of Service ${service}`;
    const why = `the older ${named(older.object)} is for ${what} too`;
    const done = "that one decides";
    return { reason: "Conflicted", problem: { object, kind: "claim-lost", field, why, done } };
  }

  #sorted(service: string): readonly PolicyReading[] {
    const readings = [...this.#targets.usersOf(service)].flatMap((key) => this.#readings.get(key) ?? []);
    return readings.length < 2 ? readings : readings.sort((one, other) => byCreation(one.policy, other.policy));
  }

  /** Applies the limit of each namespace. Returns the policies about which it differs. */
  #limit(changed: ReadonlySet<string>, { settings }: Turn): readonly string[] {
    for (const key of changed) {
      const reading = this.#read.get(key);
      const { policy, tls } = reading ?? {};
      this.#authorities.set(key, policy, tls === undefined ? 0 : bytesLoaded(tls), tls?.id);
    }
    const differing = this.#authorities.settle(settings);
    for (const key of new Set([...changed, ...differing])) {
      const reading = this.#read.get(key);
      if (reading === undefined) this.#readings.delete(key);
      else this.#readings.set(key, this.#authorities.isRefused(key) ? refused(reading, settings) : reading);
    }
    return differing;
  }

  #readAgain(key: string, { now }: Turn): void {
    const { configMaps, secrets } = now.snapshot;
    const authorities = (kind: "ConfigMap" | "Secret", name: string) =>
      (kind === "Secret" ? secrets : configMaps).get(name);
    const policy = now.snapshot.backendTLSPolicies.get(key);
    const reading =
      policy &&
      guarded(
        () => readPolicy(policy, { ...this.#options, authorities }),
        (bug) => failedPolicy(policy, bug),
      );
    if (reading === undefined) this.#read.delete(key);
    else this.#read.set(key, reading);
    this.#references.set(key, reading?.references ?? []);
    this.#targets.set(key, [...new Set(reading?.targets.map(({ service }) => service) ?? [])]);
  }
}

function refused({ tls: _, ...facts }: PolicyReading, settings: Settings): PolicyReading {
  const problem = tooMuchTrust(facts.object, "spec.validation", settings, unusable);
  return { ...facts, invalid: { reason: "Invalid", problem } };
}
