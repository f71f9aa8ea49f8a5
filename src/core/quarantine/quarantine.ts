/**
 * Keeps the quarantine: the versions that nginx refused, as long as they are the present ones, and
 * the last good forms that are served in their place. The next turn translates with both.
 */
import { kindAndKey } from "../model/objects.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { LastGood } from "../table/last-good.ts";
import {
  emptyQuarantine,
  type Quarantine,
  type Refusal,
  type Refusals,
  reduced,
  withoutSuspects,
} from "../table/quarantine.ts";
import { accuse, portAt, type Refused } from "./accusation.ts";
import { Bisection } from "./bisection.ts";
import type { KeptState } from "./kept-state.ts";
import { StandIns } from "./stand-ins.ts";
import { type OwnConfigMaps, refusalKey, type Suspect, Suspects } from "./suspects.ts";

const groups = ["objects", "settings", "ports"] as const;

export class QuarantineKeeper {
  readonly #suspects: Suspects;
  #quarantine: Quarantine;
  #lastGood: LastGood;
  /** The quarantine before the current search: a suspect that is given back leaves it again. */
  #before: Quarantine = emptyQuarantine;
  #search: Bisection | undefined;
  readonly #standIns = new StandIns<Suspect, unknown>();

  constructor(own: OwnConfigMaps, { quarantine, lastGood }: KeptState) {
    this.#suspects = new Suspects(own);
    // The earlier process's search has ended with it. A new one starts if it is needed. The program
    // that had a port may be gone meanwhile, so a start tries every port again.
    this.#quarantine = { ...reduced(quarantine, withoutSuspects), ports: new Map() };
    this.#lastGood = lastGood;
  }

  /** The state that must survive a restart. */
  get kept(): KeptState {
    return { lastGood: this.#lastGood, quarantine: this.#quarantine };
  }

  /** Takes the last good forms of a turn. */
  keep(lastGood: LastGood): void {
    this.#lastGood = lastGood;
  }

  /**
   * Drops refusals whose version is no longer the present one: a changed version gets another try.
   */
  review(snapshot: Snapshot): void {
    const before = this.#quarantine;
    const [objects, settings, ports] = groups.map((group) =>
      stillThere(before[group], (key) => this.#suspects.version(snapshot, this.#suspects.at(group, key))),
    ) as [Refusals, Refusals, Refusals];
    if (objects === before.objects && settings === before.settings && ports === before.ports) return;
    this.#quarantine = { objects, settings, ports };
  }

  /**
   * Handles a refusal of the text that was made from `snapshot`; `live` is the Snapshot that nginx
   * serves. Returns whether another try is possible. If nginx refuses the text whichever suspects
   * are left out, nothing is set aside.
   */
  refused(refused: Refused, snapshot: Snapshot, live: Snapshot): boolean {
    const why = whyOf(refused.stderr);
    if (this.#search?.refused(why) === true || this.#begin(why, refused, snapshot, live)) {
      this.#setAside(this.#search!, snapshot, live);
      return true;
    }
    this.inVain();
    return false;
  }

  /**
   * Handles a refusal that occurs without the suspects, so that they are not the cause. Returns
   * whether a search was running.
   */
  inVain(): boolean {
    if (this.#search === undefined) return false;
    this.#quarantine = this.#before;
    this.#search = undefined;
    return true;
  }

  /** Ports of TCP and UDP services that nginx refused, such as `tcp/5432`; none during a search. */
  get refusedPorts(): readonly string[] {
    return this.#search === undefined ? [...this.#quarantine.ports.keys()] : [];
  }

  /** Gives these refused ports another try. */
  allowPorts(names: readonly string[]): void {
    if (this.#search !== undefined) return;
    const ports = new Map([...this.#quarantine.ports].filter(([name]) => !names.includes(name)));
    this.#quarantine = { ...this.#quarantine, ports };
  }

  /** Whether a TCP or UDP service has the port of `address`. */
  isPortOfService(address: string | undefined, snapshot: Snapshot): boolean {
    return portAt(this.#suspects, address, snapshot) !== undefined;
  }

  /**
   * Handles success. Returns whether a turn must follow, because the search needs another try or
   * has a result.
   */
  accepted(snapshot: Snapshot, live: Snapshot): boolean {
    this.#standIns.keep((suspect, version) => this.#refusalOf(suspect)?.version === version);
    if (this.#search === undefined) return false;
    if (this.#search.accepted()) {
      this.#setAside(this.#search, snapshot, live);
      return true;
    }
    this.#search = undefined;
    this.#quarantine = reduced(this.#quarantine, proven);
    return true;
  }

  #begin(why: string, refused: Refused, snapshot: Snapshot, live: Snapshot): boolean {
    if (this.#search === undefined) this.#before = this.#quarantine;
    this.#search ??= new Bisection(why);
    return accuse(this.#search, why, refused, { suspects: this.#suspects, snapshot, live });
  }

  #refusalOf(suspect: Suspect): Refusal | undefined {
    const row = this.#suspects.row(suspect);
    return this.#quarantine[row.refusals].get(refusalKey(row, suspect));
  }

  #setAside(search: Bisection, snapshot: Snapshot, live: Snapshot): void {
    const before = this.#before;
    const refusals = {
      objects: new Map(before.objects),
      settings: new Map(before.settings),
      ports: new Map(before.ports),
    };
    for (const suspect of search.setAside) {
      const row = this.#suspects.row(suspect);
      const [, key] = kindAndKey(suspect);
      const version = row.version(snapshot, key);
      if (version === undefined) continue;
      const group = refusals[row.refusals];
      const name = refusalKey(row, suspect);
      group.set(name, refusalOf(group.get(name), version, search.whyOf(suspect)));
      if (row.lastGood === undefined) continue;
      const served = row.version(live, key);
      const liveForm = served === undefined ? undefined : { version: served, form: row.lastGood.form(live, key) };
      const form = this.#standIns.take(suspect, version, liveForm);
      if (form !== undefined) this.#lastGood = row.lastGood.with(this.#lastGood, key, form);
    }
    this.#quarantine = refusals;
  }
}

/**
 * Returns the refusals whose versions are still the present ones. It is the same map if all of
 * them are.
 */
function stillThere(refusals: Refusals, version: (key: string) => string | undefined): Refusals {
  const current = [...refusals].filter(([key, refusal]) => version(key) === refusal.version);
  return current.length === refusals.size ? refusals : new Map(current);
}

/**
 * Returns the refusal of a version. A version that was refused before this search stays refused;
 * any other is only suspected until the search ends.
 */
function refusalOf(before: Refusal | undefined, version: string, why: string): Refusal {
  return before?.version === version ? before : { version, why, suspected: true };
}

function proven(refusals: Refusals): Refusals {
  return new Map([...refusals].map(([key, { version, why }]) => [key, { version, why }]));
}

/**
 * Returns a message such as `[emerg] 12#12: unknown directive "x" in /…/nginx.conf:178` without the
 * parts for developers.
 */
function whyOf(stderr: string): string {
  const line = stderr.split("\n").find((text) => text.includes("[emerg]")) ?? stderr.split("\n")[0] ?? "";
  return line
    .replace(/^.*\[emerg\]\s+(?:\d+#\d+:\s+)?/, "")
    .replace(/ in \S+:\d+$/, "")
    .trim()
    .replace(/\.$/, "");
}
