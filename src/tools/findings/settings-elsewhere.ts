/**
 * Finds a ConfigMap that looks like the one with the settings, while no file has the one that is
 * read. Otherwise its author learns only that snippets are off, although the file switches them on.
 */
import type { ConfigMap } from "../../core/model/objects.ts";
import type { Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { settingList } from "../../core/settings/registry.ts";

type Elsewhere = Extract<Problem, { readonly kind: "field-doubtful" }>;

/** `read` is the `namespace/name` of the ConfigMap that is read. */
export function settingsElsewhere({ configMaps }: Pick<Snapshot, "configMaps">, read: string | undefined): Elsewhere[] {
  if (read === undefined || configMaps.has(read)) return [];
  const usual = read.slice(read.indexOf("/") + 1);
  return [...configMaps].flatMap(([key, found]): Elsewhere[] => {
    const { name, namespace, labels } = found.metadata;
    const isControllers = labels?.["app.kubernetes.io/component"] === "controller";
    if ((name !== usual && !isControllers) || !hasSettings(found)) return [];
    const object = { kind: "ConfigMap", ...(namespace === undefined ? {} : { namespace }), name };
    const why = `its keys are not read, because the settings are those of ConfigMap ${read}; --configmap=${key} reads these`;
    return [{ object, kind: "field-doubtful", field: "metadata.name", why }];
  });
}

const settingKeys: ReadonlySet<string> = new Set(settingList.map(([, { key }]) => key));

const hasSettings = ({ data = {} }: ConfigMap): boolean => Object.keys(data).some((key) => settingKeys.has(key));
