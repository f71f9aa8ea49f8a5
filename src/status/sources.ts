/**
 * Where the addresses are read, anew for each round: from a flag, from a Service, or from the Nodes
 * that the controller's Pods run on.
 */
import { type Answer, type ApiFailure, type Client, nameOf, type ObjectName } from "../kubernetes/index.ts";
import type { Node } from "../model/objects.ts";
import { nodes, type Pod, pods, services } from "../resources.ts";
import { type Addresses, addressesOfNodes, addressesOfService, addressOf, sorted } from "./addresses.ts";

export type AddressSource = (signal: AbortSignal) => Promise<Answer<Addresses>>;

export interface SourceFlags {
  readonly publishStatusAddress: readonly string[] | undefined;
  /** `namespace/name`. */
  readonly publishService: string | undefined;
  readonly reportNodeInternalIpAddress: boolean;
}

/** The Pod this process runs in. */
export interface OwnPod {
  readonly name: ObjectName & { readonly namespace: string };
  readonly labels: Readonly<Record<string, string>>;
}

type Reader = Pick<Client, "get" | "list">;

/** The first of the flags that is given counts; without one the Nodes do. */
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
 * Labels that a workload's controller puts on its Pods, and that differ between versions or Pods of
 * one workload.
 */
const hashLabels = [
  "pod-template-hash",
  "controller-revision-hash",
  "pod-template-generation",
  "statefulset.kubernetes.io/pod-name",
  "apps.kubernetes.io/pod-index",
];

/**
 * Whether another Pod, of whatever version and in whatever phase, is a controller like this one.
 */
export async function hasCompany(client: Reader, own: OwnPod, signal: AbortSignal): Promise<Answer<boolean>> {
  const found = await podsLike(client, own, lastingLabels(own), signal);
  return found.ok ? { ok: true, value: found.value.length > 1 } : found;
}

/** Selects the Pods of a controller like this one, of whatever version. */
export function companySelector(own: OwnPod): PodSelector {
  return selectorOf(own, lastingLabels(own));
}

type PodSelector = { readonly labelSelector: string } | { readonly fieldSelector: string };

/** Labels that the Pods of all versions have. */
function lastingLabels({ labels }: OwnPod): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([label]) => !hashLabels.includes(label)));
}

/** Without a label, the own Pod alone. */
function selectorOf({ name }: OwnPod, labels: Readonly<Record<string, string>>): PodSelector {
  const labelSelector = Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(",");
  return labelSelector === "" ? { fieldSelector: `metadata.name=${name.name}` } : { labelSelector };
}

/** The Pods of the own namespace that carry all these labels. */
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

function isReady({ status }: Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  return status?.phase === "Running" && ready;
}

/** A Node that has gone is left out. */
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
