/** The few kinds that the tests of the runtime itself use. */

import type { ConfigMap } from "../../../src/core/model/objects.ts";
import { type Client, resource } from "../../../src/kube/index.ts";
import { until } from "../../nginx/support/until.ts";
import { isRefusal } from "../../support/api-failures.ts";

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

const never = new AbortController().signal;

/** Creates or replaces the object, again if the server fails without a decision. */
export async function write(client: Client, object: ConfigMap): Promise<void> {
  await until(`ConfigMap ${object.metadata.name} is written`, async () => {
    const created = await client.create(configMaps, object, never);
    const isThere = !created.ok && created.failure.code === 409;
    const answer = isThere ? await client.update(configMaps, object, never) : created;
    if (!answer.ok && isRefusal(answer.failure)) throw new Error(answer.failure.message);
    return answer.ok;
  });
}
