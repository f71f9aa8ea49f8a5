/**
 * The Claims of all Ingresses that are ours, and the hosts they speak for. One that is refused, by its reading or by nginx,
 * leaves its last good form in force, unless that would loosen what guards its paths.
 */
import { unannotated } from "../../annotations/read.ts";
import type { Reading } from "../../annotations/reading.ts";
import { bugProblem, guarded } from "../../guarded.ts";
import { Dependencies } from "../../model/dependencies.ts";
import { type Ingress, keyOf, nameOf } from "../../model/objects.ts";
import type { TableChange } from "../../model/table.ts";
import type { Settings } from "../../settings/registry.ts";
import { type Claim, claimOf } from "../claim.ts";
import { emptyLastGood, guardsDiffer, type LastGood } from "../last-good.ts";
import type { TranslateOptions } from "../options.ts";
import type { Problems } from "../problems.ts";
import { versionOf } from "../quarantine.ts";
import { type Turn, usersOfChanged } from "../turn.ts";
import { byAge, isOurs } from "./accept.ts";
import { readIngress } from "./reading.ts";

export class Claims {
  readonly #options: TranslateOptions;
  readonly #problems: Problems;
  readonly #accepted = new Set<string>();
  readonly #byIngress = new Map<string, Claim>();
  readonly #withStreamSnippet = new Set<string>();
  readonly #hosts = new Dependencies();
  readonly #references = new Dependencies();
  #lastGood: LastGood["ingresses"] = emptyLastGood.ingresses;

  constructor(options: TranslateOptions, problems: Problems) {
    this.#options = options;
    this.#problems = problems;
  }

  /** Keys of the Ingresses that are ours, whether or not they are well written. */
  get accepted(): ReadonlySet<string> {
    return this.#accepted;
  }

  /** Forms that stand in for refused ones. */
  get lastGood(): LastGood["ingresses"] {
    return this.#lastGood;
  }

  /** Of one host, oldest first. */
  of(host: string): Claim[] {
    return this.#oldestFirst(this.#hosts.usersOf(host));
  }

  /** Oldest first. */
  streamSnippets(): string[] {
    return this.#oldestFirst(this.#withStreamSnippet).map(({ values }) => values.streamSnippet.text);
  }

  /** Reads again the Ingresses that may say something else now; gives the hosts that they spoke or speak for. */
  renew(turn: Turn): Set<string> {
    this.#lastGood = turn.now.lastGood.ingresses;
    const hosts = new Set<string>();
    for (const key of this.#outdated(turn)) {
      for (const host of this.#hosts.usedBy(key)) hosts.add(host);
      for (const host of guarded(
        () => this.#renewOne(key, turn),
        (bug) => this.#setAside(key, bug),
      ))
        hosts.add(host);
    }
    return hosts;
  }

  #outdated(turn: Turn): Set<string> {
    const { before, now, afresh } = turn;
    const { ingresses, ingressClasses } = now.snapshot;
    if (afresh || ingressClasses !== before.snapshot.ingressClasses) {
      return new Set([...this.#accepted, ...ingresses.keys()]);
    }
    const keys = new Set<string>();
    const add = ({ key }: TableChange<unknown>) => keys.add(key);
    ingresses.changesSince(before.snapshot.ingresses).forEach(add);
    now.lastGood.ingresses.changesSince(before.lastGood.ingresses).forEach(add);
    for (const key of changedKeys(now.quarantine.ingresses, before.quarantine.ingresses)) keys.add(key);
    for (const kind of ["Secret", "ConfigMap", "Service"] as const) {
      for (const ingress of usersOfChanged(this.#references, kind, turn, `${kind} `)) keys.add(ingress);
    }
    return keys;
  }

  /** Gives the hosts that it speaks for now. */
  #renewOne(key: string, turn: Turn): readonly string[] {
    const { ingresses, ingressClasses } = turn.now.snapshot;
    const ingress = ingresses.get(key);
    const ours = ingress !== undefined && isOurs(ingress, ingressClasses, this.#options);
    if (ours) this.#accepted.add(key);
    else this.#accepted.delete(key);
    const claim = ours ? this.#claimOf(key, ingress, turn) : this.#forget(key);
    if (claim === undefined) this.#byIngress.delete(key);
    else this.#byIngress.set(key, claim);
    if ((claim?.values.streamSnippet.text ?? "") === "") this.#withStreamSnippet.delete(key);
    else this.#withStreamSnippet.add(key);
    const hosts = claim === undefined ? [] : [...claim.hosts.keys()];
    this.#hosts.set(key, hosts);
    return hosts;
  }

  /** Sluice failed on it in a place where no good form can stand in. */
  #setAside(key: string, bug: Error): readonly string[] {
    this.#byIngress.delete(key);
    this.#withStreamSnippet.delete(key);
    this.#hosts.set(key, []);
    this.#references.set(key, []);
    this.#problems.tell(`Ingress ${key}`, [bugProblem({ kind: "Ingress", ...nameOf(key) }, bug)]);
    return [];
  }

  #forget(key: string): undefined {
    this.#references.set(key, []);
    this.#keep(key, undefined);
    this.#problems.tell(`Ingress ${key}`, []);
    return undefined;
  }

  #claimOf(key: string, ingress: Ingress, turn: Turn): Claim | undefined {
    const reading = this.#read(ingress, turn);
    const refusal = turn.now.quarantine.ingresses.get(key);
    const refused = refusal !== undefined && refusal.version === versionOf(ingress) ? refusal : undefined;
    const object = { kind: "Ingress", ...nameOf(key) };
    const said =
      refused === undefined || refused.suspected ? [] : [{ object, kind: "nginx-refused", why: refused.why } as const];
    this.#references.set(key, reading.references);
    const claim = reading.verdict === "reject" || refused !== undefined ? undefined : claimed(ingress, reading);
    const bugs = claim instanceof Error ? [bugProblem(object, claim)] : [];
    this.#problems.tell(`Ingress ${key}`, [...reading.problems, ...said, ...bugs]);
    if (claim !== undefined && !(claim instanceof Error)) {
      this.#keep(key, undefined);
      return claim;
    }
    const good = this.#goodFormOf(key);
    if (good === undefined || good.metadata.uid !== ingress.metadata.uid || good === ingress) return undefined;
    this.#keep(key, good);
    const standIn = this.#read(good, turn);
    this.#references.set(key, [...reading.references, ...standIn.references]);
    // Of what Sluice cannot even compare nobody knows what it guards.
    const loosened = guarded(
      () => guardsDiffer(good, ingress, this.#options.annotationsPrefix),
      () => true,
    );
    return claimOf(loosened ? ingress : good, standIn, loosened || standIn.failed === true);
  }

  /** The form that is kept for it, or else the one it has had until now. */
  #goodFormOf(key: string): Ingress | undefined {
    const previous = this.#byIngress.get(key);
    return this.#lastGood.get(key) ?? (previous?.denied === false ? previous.ingress : undefined);
  }

  #keep(key: string, good: Ingress | undefined): void {
    if (this.#lastGood.get(key) !== good) this.#lastGood = this.#lastGood.with([[key, good]]);
  }

  #read(ingress: Ingress, { now, settings }: Turn): Reading {
    return guarded(
      () => readIngress(ingress, now.snapshot, settings, this.#options),
      (bug) => failedReading(ingress, settings, bug),
    );
  }

  #oldestFirst(keys: Iterable<string>): Claim[] {
    const claims: Claim[] = [];
    for (const key of keys) claims.push(this.#byIngress.get(key)!);
    return claims.length < 2 ? claims : claims.sort((a, b) => byAge(a.ingress, b.ingress));
  }
}

/** Refused, as what nobody can read is. */
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
    () => claimOf(ingress, reading, false),
    (bug) => bug,
  );
}

function changedKeys<T>(now: ReadonlyMap<string, T>, before: ReadonlyMap<string, T>): string[] {
  if (now === before) return [];
  return [...new Set([...now.keys(), ...before.keys()])].filter((key) => now.get(key) !== before.get(key));
}
