/**
 * Reads the addresses, again in each round: from a flag, from a Service, or from the Nodes on which
 * the controller's Pods run.
 */

import type { Node } from "../../core/model/objects.ts";
import { type Answer, type ApiFailure, type Client, nameOf, type ObjectName } from "../../kube/index.ts";
import { isReady, nodes, type Pod, pods, services } from "../resources.ts";
import { type Addresses, addressesOfNodes, addressesOfService, addressOf, sorted } from "./addresses.ts";

export type AddressSource = (signal: AbortSignal) => Promise<Answer<Addresses>>;

export interface SourceFlags {
  readonly publishStatusAddress: readonly string[] | undefined;
  /** `namespace/name`. */
  readonly publishService: string | undefined;
  readonly reportNodeInternalIpAddress: boolean;
}

/** The Pod in which this process runs. */
export interface OwnPod {
  readonly name: ObjectName & { readonly namespace: string };
  readonly labels: Readonly<Record<string, string>>;
}

type Reader = Pick<Client, "get" | "list">;

/** Returns the source. The first given flag counts; without one the Nodes count. */
export function addressSource(client: Reader, flags: SourceFlags, own: OwnPod): AddressSource {
  const { publishStatusAddress, publishService, reportNodeInternalIpAddress } = flags;
  if (publishStatusAddress !== undefined) {
    const addresses = sorted(publishStatusAddress.map(addressOf));
    return async () => ({ ok: true, value: addresses });
  }
  if (publishService !== undefined) {
    return async (signal) => {
      const answer = await client.get(services, nameOf(publishService), signal);
      return answer.ok ? { ok: true, value: addressesOfService(answer.value) } : answer;
    };
  }
  return async (signal) => {
    const found = await podsLike(client, own, own.labels, signal);
    if (!found.ok) return found;
    const names = found.value.filter(isReady).flatMap(({ spec }) => spec?.nodeName ?? []);
    const read = await nodesNamed(client, [...new Set(names)], signal);
    return read.ok ? { ok: true, value: addressesOfNodes(read.value, reportNodeInternalIpAddress) } : read;
  };
}

/**
 * Labels that a workload's controller adds to its Pods, and that differ between versions or Pods of
 * one workload.
 */
const hashLabels = [
  "pod-template-hash",
  "controller-revision-hash",
  "pod-template-generation",
  "statefulset.kubernetes.io/pod-name",
  "apps.kubernetes.io/pod-index",
];

/** Whether there is another Pod of this controller, of any version and in any phase. */
export async function hasCompany(client: Reader, own: OwnPod, signal: AbortSignal): Promise<Answer<boolean>> {
  const found = await podsLike(client, own, lastingLabels(own), signal);
  return found.ok ? { ok: true, value: found.value.length > 1 } : found;
}

/** Selects the Pods of this controller, of any version. */
export function companySelector(own: OwnPod): PodSelector {
  return selectorOf(own, lastingLabels(own));
}

type PodSelector = { readonly labelSelector: string } | { readonly fieldSelector: string };

/** Returns the labels that the Pods of all versions have. */
function lastingLabels({ labels }: OwnPod): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([label]) => !hashLabels.includes(label)));
}

/** Returns a selector. Without labels it selects only this Pod. */
function selectorOf({ name }: OwnPod, labels: Readonly<Record<string, string>>): PodSelector {
  const labelSelector = Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(",");
  return labelSelector === "" ? { fieldSelector: `metadata.name=${name.name}` } : { labelSelector };
}

/** Returns the Pods of this namespace that have all these labels. */
async function podsLike(
  client: Reader,
  own: OwnPod,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer<readonly Pod[]>> {
  const { namespace } = own.name;
  const answer = await client.list(pods, { namespace, ...selectorOf(own, labels) }, signal);
  return answer.ok ? { ok: true, value: answer.value.items } : answer;
}

/** Returns the Nodes with these names. A Node that is gone is left out. */
async function nodesNamed(
  client: Reader,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Answer<readonly Node[]>> {
  const answers = await Promise.all(names.map((name) => client.get(nodes, { name }, signal)));
  const failure = answers.flatMap((answer): ApiFailure[] =>
    answer.ok || answer.failure.code === 404 ? [] : [answer.failure],
  )[0];
  if (failure !== undefined) return { ok: false, failure };
  return { ok: true, value: answers.flatMap((answer) => (answer.ok ? [answer.value] : [])) };
}
