/**
 * The kinds in a cluster with which other controllers may guard routes, such as a SecurityPolicy of
 * Envoy Gateway. They are found by their names, so that those of newer versions count as well;
 * `findings/foreign-guards.ts` decides about each object.
 */
import { sluiceGroup } from "../core/model/gateway/route-settings.ts";
import type { KubernetesObject } from "../core/model/objects.ts";
import { own } from "../core/model/own.ts";
import { tableOf } from "../core/model/snapshot.ts";
import type { Client, Resource } from "../kube/index.ts";

const mayGuard = /(?:Policy|Policies|Filter|Authentication|Plugin|EnvoyConfig|DestinationRule)$/;

/** Whether a group is of Kubernetes itself, or of the Gateway API. Experiments are not. */
const isOfKubernetes = (group: string): boolean => !group.includes(".") || /(?<!x-)\bk8s\.io$/.test(group);

/** Returns the kinds, in the version that the server prefers; none if it does not say. */
export async function otherKinds(
  client: Pick<Client, "groups" | "kindsOf">,
  signal: AbortSignal,
): Promise<readonly Resource<KubernetesObject>[]> {
  const groups = await client.groups(signal);
  if (!groups.ok) return [];
  const versions = groups.value.filter((version) => {
    const group = version.split("/")[0]!;
    return !isOfKubernetes(group) && group !== sluiceGroup;
  });
  const found = await Promise.all(
    versions.map(async (apiVersion) => {
      const kinds = await client.kindsOf(apiVersion, signal);
      const guards = kinds.ok
        ? kinds.value.filter(({ kind }) => mayGuard.test(kind) && own(tableOf, kind) === undefined)
        : [];
      return guards.map(({ name: plural, kind }) => ({ apiVersion, kind, plural, namespaced: true }));
    }),
  );
  return found.flat();
}
