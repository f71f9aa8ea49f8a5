/**
 * Keeps the quarantine: what is set aside because nginx refused it, while its version is the one that was refused, with the
 * last good form that goes on in its place.
 */
import type { Ingress } from "../model/objects.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { LastGood } from "../translate/last-good.ts";
import { emptyQuarantine, type Quarantine, type Refusal, versionOf } from "../translate/quarantine.ts";
import { blame } from "./blame.ts";
import { Hunt, type Suspect } from "./hunt.ts";

export interface Refused {
  readonly stderr: string;
  readonly line: number | undefined;
  readonly conf: string;
  readonly records: ReadonlyMap<string, string>;
}

export class Detention {
  readonly #configMap: string | undefined;
  #quarantine: Quarantine;
  /** What stood before the hunt that is on: a suspect that is given back leaves the quarantine again. */
  #before: Quarantine = emptyQuarantine;
  #hunt: Hunt | undefined;

  /** `configMap` is the key of the controller's own. */
  constructor(configMap: string | undefined, quarantine: Quarantine = emptyQuarantine) {
    this.#configMap = configMap;
    this.#quarantine = quarantine;
  }

  get quarantine(): Quarantine {
    return this.#quarantine;
  }

  /** Forgets refusals of versions that are not there any more: what was changed gets another try. */
  review(snapshot: Snapshot): void {
    const { ingresses, settings } = this.#quarantine;
    const stale = [...ingresses].some(([key, { version }]) => this.#ingressVersion(snapshot, key) !== version);
    const staleSettings = [...settings].some(([key, { version }]) => this.#text(snapshot, key) !== version);
    if (!stale && !staleSettings) return;
    this.#quarantine = {
      ingresses: new Map(
        [...ingresses].filter(([key, { version }]) => this.#ingressVersion(snapshot, key) === version),
      ),
      settings: new Map([...settings].filter(([key, { version }]) => this.#text(snapshot, key) === version)),
    };
  }

  /**
   * nginx refused what was made of `snapshot`; `live` is what it serves. Gives the last good forms to go on with, or undefined
   * where nobody can be found whose absence would help.
   */
  refused(refused: Refused, snapshot: Snapshot, live: Snapshot, lastGood: LastGood): LastGood | undefined {
    const why = whyOf(refused.stderr);
    if (this.#hunt?.refused() !== true && !this.#begin(why, refused, snapshot, live)) return undefined;
    return this.#setAside(snapshot, live, lastGood);
  }

  /** nginx took it. Gives what to try next while a hunt is on. */
  accepted(snapshot: Snapshot, live: Snapshot, lastGood: LastGood): LastGood | undefined {
    if (this.#hunt === undefined) return undefined;
    if (this.#hunt.accepted()) return this.#setAside(snapshot, live, lastGood);
    this.#hunt = undefined;
    return undefined;
  }

  #begin(why: string, refused: Refused, snapshot: Snapshot, live: Snapshot): boolean {
    const hunt = this.#hunt ?? new Hunt(why);
    const known = hunt.setAside;
    if (this.#hunt === undefined) this.#before = this.#quarantine;
    this.#hunt = hunt;
    const settings = this.#changedSettings(snapshot, live).filter((suspect) => !known.has(suspect));
    if (settings.length > 0) return hunt.suspect(settings);
    const named = refused.line === undefined ? [] : blame(refused.conf, refused.line, refused.records).ingresses;
    const accused = [...named].map((key) => `ingress ${key}`).filter((suspect) => !known.has(suspect));
    if (accused.length > 0) {
      hunt.accuse(accused);
      return true;
    }
    const changed = snapshot.ingresses.changesSince(live.ingresses).filter(({ after }) => after !== undefined);
    if (hunt.suspect(changed.map(({ key }) => `ingress ${key}`).filter((suspect) => !known.has(suspect)))) return true;
    this.#hunt = undefined;
    return false;
  }

  #changedSettings(snapshot: Snapshot, live: Snapshot): Suspect[] {
    const [now, before] = [this.#data(snapshot), this.#data(live)];
    return Object.keys(now)
      .filter((key) => now[key] !== before[key])
      .map((key) => `setting ${key.toLowerCase()}`);
  }

  #setAside(snapshot: Snapshot, live: Snapshot, lastGood: LastGood): LastGood {
    const hunt = this.#hunt!;
    const ingresses = new Map<string, Refusal>();
    const settings = new Map<string, Refusal>();
    const goodTexts: Record<string, string> = { ...lastGood.settings };
    const good: [string, Ingress][] = [];
    for (const suspect of hunt.setAside) {
      const [kind, key = ""] = suspect.split(" ");
      if (kind === "setting") {
        const version = this.#text(snapshot, key);
        const before = this.#text(live, key);
        if (version !== undefined) settings.set(key, { version, why: hunt.why });
        if (before !== undefined && before !== version) goodTexts[key] = before;
      } else {
        const version = this.#ingressVersion(snapshot, key);
        const before = live.ingresses.get(key);
        if (version !== undefined) ingresses.set(key, { version, why: hunt.why });
        if (before !== undefined && versionOf(before) !== version) good.push([key, before]);
      }
    }
    this.#quarantine = {
      ingresses: new Map([...this.#before.ingresses, ...ingresses]),
      settings: new Map([...this.#before.settings, ...settings]),
    };
    return { ...lastGood, settings: goodTexts, ingresses: lastGood.ingresses.with(good) };
  }

  #ingressVersion(snapshot: Snapshot, key: string): string | undefined {
    const ingress = snapshot.ingresses.get(key);
    return ingress === undefined ? undefined : versionOf(ingress);
  }

  #text(snapshot: Snapshot, key: string): string | undefined {
    const data = this.#data(snapshot);
    const spelling = key in data ? key : Object.keys(data).find((one) => one.toLowerCase() === key);
    return spelling === undefined ? undefined : data[spelling];
  }

  #data(snapshot: Snapshot): Readonly<Record<string, string>> {
    return (this.#configMap === undefined ? undefined : snapshot.configMaps.get(this.#configMap)?.data) ?? {};
  }
}

/** `[emerg] 12#12: unknown directive "x" in /…/nginx.conf:178` without what only a developer reads. */
function whyOf(stderr: string): string {
  const line = stderr.split("\n").find((text) => text.includes("[emerg]")) ?? stderr.split("\n")[0] ?? "";
  return line
    .replace(/^.*\[emerg\]\s+(?:\d+#\d+:\s+)?/, "")
    .replace(/ in \S+:\d+$/, "")
    .trim();
}
