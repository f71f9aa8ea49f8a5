/** The few kinds that the tests of the runtime itself use. */
import { resource } from "../../../src/kubernetes/index.ts";
import type { ConfigMap } from "../../../src/model/objects.ts";

export const configMaps = resource<ConfigMap>({
  apiVersion: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
});

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "default", name },
  data,
});
