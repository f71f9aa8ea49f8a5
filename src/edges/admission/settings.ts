/**
 * The operator's Settings for the webhook. They are read from the Snapshot as the sync reads them:
 * if the text cannot be read, the last good one stays in force.
 */
import type { ConfigMap } from "../../core/model/objects.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { readSettings } from "../../core/settings/read.ts";
import { defaultSettings, type Settings } from "../../core/settings/registry.ts";

export class PresentSettings {
  readonly #key: string | undefined;
  #configMap: ConfigMap | undefined;
  #texts: Readonly<Record<string, string>> = {};
  #settings: Settings = defaultSettings;

  /** `namespace/name` of the ConfigMap. If it is undefined, the defaults hold. */
  constructor(key: string | undefined) {
    this.#key = key;
  }

  /** Returns the same object as long as the ConfigMap is the same. */
  of({ configMaps }: Snapshot): Settings {
    const configMap = this.#key === undefined ? undefined : configMaps.get(this.#key);
    if (configMap === this.#configMap) return this.#settings;
    const data = configMap?.data ?? {};
    const { settings, kept } = readSettings(data, { kind: "ConfigMap", name: this.#key ?? "" }, this.#texts);
    const texts = Object.entries(data).map(([key, text]) => [key.toLowerCase(), text]);
    this.#texts = { ...Object.fromEntries(texts), ...kept };
    this.#configMap = configMap;
    this.#settings = settings;
    return settings;
  }
}
