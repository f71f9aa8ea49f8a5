/**
 * Keeps the quarantine: what is set aside because nginx refused it, while its version is the one that was refused, and the
 * last good forms that go on in its place. Both are what the next turn translates by.
 */
import type { Ingress } from "../model/objects.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Authors } from "../render/rendering.ts";
import type { LastGood } from "../translate/last-good.ts";
import {
  emptyQuarantine,
  type Quarantine,
  type Refusal,
  type Refusals,
  reduced,
  versionOf,
  withoutSuspects,
} from "../translate/quarantine.ts";
import { Bisection, type Suspect } from "./bisection.ts";
import { blame } from "./blame.ts";
import type { KeptState } from "./kept-state.ts";
import { StandIns } from "./stand-ins.ts";

export interface Refused {
  /** What nginx said, and what people are told of it. */
  readonly stderr: string;
  readonly line: number | undefined;
  /** The file or address it is about, where nginx says no line. */
  readonly names: string | undefined;
  /** The machine is at fault and the same text may do later: whoever is not named by it is not to blame. */
  readonly mayPass: boolean;
  readonly conf: string;
  readonly records: ReadonlyMap<string, string>;
  readonly authors?: Authors | undefined;
}

/** ConfigMaps of the controller, by `namespace/name`. */
export interface OwnConfigMaps {
  readonly settings: string | undefined;
  readonly tcp: string | undefined;
  readonly udp: string | undefined;
}

export class QuarantineKeeper {
  readonly #own: OwnConfigMaps;
  #quarantine: Quarantine;
  #lastGood: LastGood;
  /** What stood before the search that is on: a suspect that is given back leaves the quarantine again. */
  #before: Quarantine = emptyQuarantine;
  #search: Bisection | undefined;
  readonly #goodIngresses = new StandIns<Ingress>();
  readonly #goodTexts = new StandIns<string>();

  constructor(own: OwnConfigMaps, { quarantine, lastGood }: KeptState) {
    this.#own = own;
    // The search that suspected them ended with the program, so that it is made again where it is needed.
    this.#quarantine = reduced(quarantine, withoutSuspects);
    this.#lastGood = lastGood;
  }

  /** What a restart must not forget. */
  get kept(): KeptState {
    return { lastGood: this.#lastGood, quarantine: this.#quarantine };
  }

  /** Takes the last good forms as a turn left them. */
  keep(lastGood: LastGood): void {
    this.#lastGood = lastGood;
  }

  /** Forgets refusals of versions that are not there any more: what was changed gets another try. */
  review(snapshot: Snapshot): void {
    const { ingresses, settings, ports } = this.#quarantine;
    const current = {
      ingresses: stillThere(ingresses, (key) => this.#ingressVersion(snapshot, key)),
      settings: stillThere(settings, (key) => this.#text(snapshot, key)),
      ports: stillThere(ports, (key) => this.#portText(snapshot, key)),
    };
    if (current.ingresses === ingresses && current.settings === settings && current.ports === ports) return;
    this.#quarantine = current;
  }

  /**
   * nginx refused what was made of `snapshot`; `live` is what it serves. Whether there is something else to try: not where
   * nobody can be found whose absence would help, and then nobody is set aside for it.
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

  /** nginx refuses what is left without those who are set aside, too: it is not they. Whether there was a search. */
  inVain(): boolean {
    if (this.#search === undefined) return false;
    this.#quarantine = this.#before;
    this.#search = undefined;
    return true;
  }

  /** Whether a TCP or UDP service asks for the port of `address`. */
  isPortOfService(address: string | undefined, snapshot: Snapshot): boolean {
    return this.#portAt(address, snapshot) !== undefined;
  }

  /** nginx took it. Whether a turn is to follow: a search is on and has something else to try, or it is over and has a result. */
  accepted(snapshot: Snapshot, live: Snapshot): boolean {
    const { ingresses, settings } = this.#quarantine;
    this.#goodIngresses.keep((key, version) => ingresses.get(key)?.version === version);
    this.#goodTexts.keep((key, version) => settings.get(key)?.version === version);
    if (this.#search === undefined) return false;
    if (this.#search.accepted()) {
      this.#setAside(this.#search, snapshot, live);
      return true;
    }
    this.#search = undefined;
    this.#quarantine = reduced(this.#quarantine, proven);
    return true;
  }

  /**
   * Whoever the text names is set aside first. Where that was in vain, or names nobody, the settings that changed are asked, and then,
   * where the machine is not at fault, the ports of TCP and UDP services and all Ingresses that changed. What permits others to write comes
   * last: without it the author of one bad snippet would take everybody's away.
   */
  #begin(why: string, refused: Refused, snapshot: Snapshot, live: Snapshot): boolean {
    const search = this.#search ?? new Bisection(why);
    const known = search.setAside;
    if (this.#search === undefined) this.#before = this.#quarantine;
    this.#search = search;
    const port = this.#portAt(refused.names, snapshot);
    if (port !== undefined && !known.has(port)) {
      search.accuse([port], why);
      return true;
    }
    const line = refused.line ?? lineNaming(refused.names, refused.conf);
    const named = line === undefined ? [] : blame(refused.conf, line, refused.records, refused.authors).ingresses;
    const accused = [...named].map((key) => `ingress ${key}`).filter((suspect) => !known.has(suspect));
    const settings = this.#changedSettings(snapshot, live);
    const permitting = settings.filter((suspect) => permissions.has(suspect));
    const written = settings.filter((suspect) => !permissions.has(suspect));
    // Also where nobody is named any more: what an Ingress was accused of may stand in the location of unknown hosts as well.
    const inVain = written.some((suspect) => !known.has(suspect)) && search.accusedInVain(why);
    if (accused.length > 0 && !inVain) {
      search.accuse(accused, why);
      return true;
    }
    if (search.suspect(written)) return true;
    if (refused.mayPass) return false;
    if (search.suspect(this.#changedPorts(snapshot, live))) return true;
    const changed = snapshot.ingresses.changesSince(live.ingresses).filter(({ after }) => after !== undefined);
    return search.suspect(changed.map(({ key }) => `ingress ${key}`)) || search.suspect(permitting);
  }

  /** The TCP or UDP service whose port is the one that nginx cannot have. */
  #portAt(address: string | undefined, snapshot: Snapshot): Suspect | undefined {
    const port = /:(\d+)$/.exec(address ?? "")?.[1];
    const kind = (["tcp", "udp"] as const).find((one) => this.#portText(snapshot, `${one}/${port}`) !== undefined);
    return port === undefined || kind === undefined ? undefined : `port ${kind}/${port}`;
  }

  #changedSettings(snapshot: Snapshot, live: Snapshot): Suspect[] {
    const [now, before] = [snapshot, live].map((one) => dataOf(one, this.#own.settings)) as [Data, Data];
    return Object.keys(now)
      .filter((key) => now[key] !== before[key])
      .map((key) => `setting ${key.toLowerCase()}`);
  }

  #changedPorts(snapshot: Snapshot, live: Snapshot): Suspect[] {
    return (["tcp", "udp"] as const).flatMap((kind) => {
      const [now, before] = [snapshot, live].map((one) => dataOf(one, this.#own[kind])) as [Data, Data];
      const changed = Object.keys(now).filter((port) => now[port] !== before[port]);
      return changed.map((port) => `port ${kind}/${port}`);
    });
  }

  #setAside(search: Bisection, snapshot: Snapshot, live: Snapshot): void {
    const ingresses = new Map(this.#before.ingresses);
    const settings = new Map(this.#before.settings);
    const ports = new Map(this.#before.ports);
    const goodTexts: Record<string, string> = { ...this.#lastGood.settings };
    const good: [string, Ingress][] = [];
    for (const suspect of search.setAside) {
      const why = search.whyOf(suspect);
      const [kind, key = ""] = suspect.split(" ");
      if (kind === "setting") {
        const version = this.#text(snapshot, key);
        if (version === undefined) continue;
        settings.set(key, refusalOf(settings.get(key), version, why));
        const before = this.#text(live, key);
        const text = this.#goodTexts.take(
          key,
          version,
          before === undefined ? undefined : { version: before, form: before },
        );
        if (text !== undefined) goodTexts[key] = text;
      } else if (kind === "port") {
        const version = this.#portText(snapshot, key);
        if (version !== undefined) ports.set(key, refusalOf(ports.get(key), version, why));
      } else {
        const version = this.#ingressVersion(snapshot, key);
        if (version === undefined) continue;
        ingresses.set(key, refusalOf(ingresses.get(key), version, why));
        const before = live.ingresses.get(key);
        const form = this.#goodIngresses.take(key, version, before && { version: versionOf(before), form: before });
        if (form !== undefined) good.push([key, form]);
      }
    }
    this.#quarantine = { ingresses, settings, ports };
    const { ingresses: goodForms } = this.#lastGood;
    this.#lastGood = { ...this.#lastGood, settings: goodTexts, ingresses: goodForms.with(good) };
  }

  #ingressVersion(snapshot: Snapshot, key: string): string | undefined {
    const ingress = snapshot.ingresses.get(key);
    return ingress === undefined ? undefined : versionOf(ingress);
  }

  /** `port` is like `tcp/5432`. */
  #portText(snapshot: Snapshot, port: string): string | undefined {
    const [kind, number = ""] = port.split("/");
    return dataOf(snapshot, kind === "tcp" ? this.#own.tcp : this.#own.udp)[number];
  }

  #text(snapshot: Snapshot, key: string): string | undefined {
    const data = dataOf(snapshot, this.#own.settings);
    const spelling = key in data ? key : Object.keys(data).find((one) => one.toLowerCase() === key);
    return spelling === undefined ? undefined : data[spelling];
  }
}

/** Settings that stand nowhere in the text: they let Ingresses write what does. */
const permissions: ReadonlySet<Suspect> = new Set(
  [
    "allow-snippet-annotations",
    "annotations-risk-level",
    "annotation-value-word-blocklist",
    "allow-cross-namespace-resources",
  ].map((key) => `setting ${key}`),
);

type Data = Readonly<Record<string, string>>;

function dataOf(snapshot: Snapshot, configMap: string | undefined): Data {
  return (configMap === undefined ? undefined : snapshot.configMaps.get(configMap)?.data) ?? {};
}

/** The same map, unless some of its versions are not there any more. */
function stillThere(
  refusals: ReadonlyMap<string, Refusal>,
  version: (key: string) => string | undefined,
): ReadonlyMap<string, Refusal> {
  const current = [...refusals].filter(([key, refusal]) => version(key) === refusal.version);
  return current.length === refusals.size ? refusals : new Map(current);
}

/** A version that was refused before this search stays so; any other is suspected until the search is over. */
function refusalOf(before: Refusal | undefined, version: string, why: string): Refusal {
  return before?.version === version ? before : { version, why, suspected: true };
}

function proven(refusals: Refusals): Refusals {
  return new Map([...refusals].map(([key, { version, why }]) => [key, { version, why }]));
}
/** The first line that has `text` in it, counted from 1. */
function lineNaming(text: string | undefined, conf: string): number | undefined {
  if (text === undefined) return undefined;
  const at = conf.split("\n").findIndex((line) => line.includes(text));
  return at < 0 ? undefined : at + 1;
}

/** `[emerg] 12#12: unknown directive "x" in /…/nginx.conf:178` without what only a developer reads. */
function whyOf(stderr: string): string {
  const line = stderr.split("\n").find((text) => text.includes("[emerg]")) ?? stderr.split("\n")[0] ?? "";
  return line
    .replace(/^.*\[emerg\]\s+(?:\d+#\d+:\s+)?/, "")
    .replace(/ in \S+:\d+$/, "")
    .trim();
}
