/**
 * Keeps the Settings, which are read again when their ConfigMap, an object that it names, or
 * nginx's refusal of a key has changed. Only a changed value counts as a change: an edit of a
 * comment, or of a key without effect, invalidates nothing else.
 */
import { guarded } from "../../base/guarded.ts";
import type { AskedPolicy } from "../kinds/asked.ts";
import { nameOf } from "../model/objects.ts";
import type { ObjectName, Problem } from "../model/problem.ts";
import { bugProblem } from "../model/problem.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { whyNotGlobal } from "../settings/global-auth.ts";
import { readSettings } from "../settings/read.ts";
import { followedObjects, followedOf } from "../settings/read-followed.ts";
import { defaultSettings, type Settings } from "../settings/registry.ts";
import { emptyLastGood, type LastGood } from "./last-good.ts";
import type { TranslateOptions } from "./options.ts";
import type { Problems } from "./problems.ts";
import type { Inputs } from "./turn.ts";

export class SettingsInForce {
  readonly #configMap: string | undefined;
  readonly #asked: AskedPolicy;
  readonly #problems: Problems;
  #value: Settings = defaultSettings;
  #lastGood: LastGood["settings"] = emptyLastGood.settings;
  #isRead = false;

  /** `configMap` is `namespace/name`; without one the Settings are always the defaults. */
  constructor({ configMap, asked }: Pick<TranslateOptions, "configMap" | "asked">, problems: Problems) {
    this.#configMap = configMap;
    this.#asked = asked;
    this.#problems = problems;
  }

  get value(): Settings {
    return this.#value;
  }

  /** Texts that replace unreadable ones. */
  get lastGood(): LastGood["settings"] {
    return this.#lastGood;
  }

  /** Reads the Settings again if needed. Returns whether they have changed. */
  renew(before: Inputs, now: Inputs): boolean {
    this.#lastGood = now.lastGood.settings;
    const key = this.#configMap;
    if (key === undefined || (this.#isRead && !this.#mayDiffer(key, before, now))) return false;
    this.#isRead = true;
    const settings = guarded(
      () => this.#read(key, before, now),
      (bug) => {
        const object = { kind: "ConfigMap", ...nameOf(key) };
        this.#problems.replace(`ConfigMap ${key}`, [bugProblem(object, bug)]);
        return this.#value;
      },
    );
    if (JSON.stringify(settings) === JSON.stringify(this.#value)) return false;
    this.#value = settings;
    return true;
  }

  #mayDiffer(key: string, before: Inputs, now: Inputs): boolean {
    const objects = [`ConfigMap ${key}`, ...followedObjects(this.#value)];
    const isOther = (called: string) => objectCalled(called, before.snapshot) !== objectCalled(called, now.snapshot);
    return now.quarantine.settings !== before.quarantine.settings || objects.some(isOther);
  }

  #read(key: string, before: Inputs, { snapshot, quarantine }: Inputs): Settings {
    const object = { kind: "ConfigMap", ...nameOf(key) };
    const [old, data] = [before.snapshot, snapshot].map(({ configMaps }) => configMaps.get(key)?.data ?? {});
    const texts = Object.entries(old!).map(([spelled, text]) => [spelled.toLowerCase(), text]);
    const previous = { ...Object.fromEntries(texts), ...this.#lastGood };
    const { settings, problems, kept } = readSettings(data!, object, previous, quarantine.settings);
    const named = {
      configMap: (name: string) => snapshot.configMaps.get(name),
      secret: (name: string) => snapshot.secrets.get(name),
    };
    const { followed, problems: ofFollowed } = guarded(
      () => followedOf(settings, object, named),
      (bug) => ({ followed: this.#value.followed, problems: [bugProblem(object, bug)] }),
    );
    this.#lastGood = kept;
    const refused = this.#refusedAuth(settings, object);
    this.#problems.replace(`ConfigMap ${key}`, [
      ...problems,
      ...ofFollowed,
      ...(refused === undefined ? [] : [refused]),
    ]);
    return { ...settings, ...(refused === undefined ? {} : { globalAuthUrl: { kind: "refuse" as const } }), followed };
  }

  /**
   * Refuses an auth service on a port of Sluice itself; then no request passes. A Kind cannot check
   * this, because these ports depend on flags.
   */
  #refusedAuth({ globalAuthUrl }: Settings, object: ObjectName): Problem | undefined {
    const why = globalAuthUrl.kind === "ask" ? whyNotGlobal(globalAuthUrl.url, this.#asked) : undefined;
    if (why === undefined) return undefined;
    return { kind: "setting-unreadable", object, key: "global-auth-url", why, kept: "a refusal of every request" };
  }
}

/** Returns the object `Kind namespace/name`. */
function objectCalled(called: string, { configMaps, secrets }: Snapshot): unknown {
  const [kind, key = ""] = called.split(" ");
  return kind === "Secret" ? secrets.get(key) : configMaps.get(key);
}
