/**
 * Checks the cluster before anything starts (process contract B 12 and 13). A Service or namespace
 * that a flag names and that does not exist is a mistake in the flags. It is reported at once,
 * because the controller would otherwise never be ready. A server that cannot be reached is tried
 * again without end: nginx may be serving the last good configuration meanwhile, and would end with
 * this program.
 */

import { dashed } from "../../base/dashed.ts";
import { type Clock, sleep } from "../../base/timing/clock.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import { namespaces, nodes, pods, services } from "../../edges/resources.ts";
import type { OwnPod } from "../../edges/status/sources.ts";
import {
  type Answer,
  type ApiFailure,
  type Client,
  nameOf,
  type ObjectName,
  ownReasons,
  type Resource,
} from "../../kube/index.ts";
import type { Flags } from "../flags.ts";

export type CheckedFlags = Pick<
  Flags,
  "defaultBackendService" | "publishService" | "watchNamespace" | "enableTopologyAwareRouting"
>;

export interface Around {
  readonly own: OwnPod & { readonly uid: string | undefined };
  /** The zone of this Node, if a flag needs it. */
  readonly zone: string | undefined;
  /** Sentences about missing things that are not needed. */
  readonly notes: readonly string[];
}

export type Checked = { readonly ok: true; readonly around: Around } | { readonly ok: false; readonly why: string };

export interface CheckOptions {
  readonly client: Pick<Client, "get">;
  readonly flags: CheckedFlags;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** The server did not answer or refused, and is tried again. */
  readonly waiting: (failure: ApiFailure, retryMs: number) => void;
}

export async function checkCluster(options: CheckOptions, signal: AbortSignal): Promise<Checked> {
  const { flags, env } = options;
  const { POD_NAME: name, POD_NAMESPACE: namespace } = env;
  if (!name || !namespace) return refused("the variables POD_NAME and POD_NAMESPACE must name this Pod");
  const get = <T extends KubernetesObject>(of: Resource<T>, at: ObjectName, refusals = mostRefusals) =>
    patiently(options, of, at, refusals, signal);

  for (const flag of ["defaultBackendService", "publishService"] as const) {
    const key = flags[flag];
    const answer = key === undefined ? undefined : await get(services, nameOf(key));
    if (answer?.ok === false) return refused(`--${dashed(flag)}: Service ${key} ${trouble(answer.failure)}`);
  }
  if (flags.watchNamespace !== undefined) {
    const answer = await get(namespaces, { name: flags.watchNamespace }, 1);
    // Rights in one namespace need not include reading the namespace itself.
    const missing = !answer.ok && answer.failure.code !== 403;
    if (missing) return refused(`--watch-namespace: namespace ${flags.watchNamespace} ${trouble(answer.failure)}`);
  }
  const pod = await get(pods, { namespace, name });
  if (!pod.ok) return refused(`POD_NAME and POD_NAMESPACE: Pod ${namespace}/${name} ${trouble(pod.failure)}`);
  const { metadata, spec } = pod.value;
  const own = { name: { namespace, name }, labels: metadata.labels ?? {}, uid: metadata.uid };
  if (!flags.enableTopologyAwareRouting) return { ok: true, around: { own, zone: undefined, notes: [] } };

  const node = await get(nodes, { name: spec?.nodeName ?? "" }, 1);
  const zone = node.ok ? node.value.metadata.labels?.["topology.kubernetes.io/zone"] : undefined;
  const why = node.ok ? "has no label topology.kubernetes.io/zone" : trouble(node.failure);
  const note = `--enable-topology-aware-routing: Node ${spec?.nodeName} ${why}; Endpoints of all zones are used`;
  return { ok: true, around: { own, zone, notes: zone === undefined ? [note] : [] } };
}

const firstWaitMs = 1_000;
const longestWaitMs = 5_000;
/** A server that has just started refuses everything for a moment. */
const mostRefusals = 5;

/**
 * Retries after a second, and then after intervals that grow by half each time. The last of
 * `refusals` refusals is final.
 */
async function patiently<T extends KubernetesObject>(
  { client, clock, waiting }: CheckOptions,
  of: Resource<T>,
  name: ObjectName,
  refusals: number,
  signal: AbortSignal,
): Promise<Answer<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await client.get(of, name, signal);
    if (answer.ok || signal.aborted || !canChange(answer.failure, attempt < refusals)) return answer;
    const retryMs = Math.min(longestWaitMs, firstWaitMs * 1.5 ** (attempt - 1));
    waiting(answer.failure, retryMs);
    await sleep(clock, retryMs, signal);
  }
}

/**
 * Whether another attempt may succeed: the server did not answer, is overloaded, or is still
 * starting, or something in between answered in its place.
 */
function canChange({ reason, code }: ApiFailure, mayBeRefused: boolean): boolean {
  if (code === 401 || code === 403) return mayBeRefused;
  const passing: readonly string[] = [ownReasons.unreachable, ownReasons.silent, ownReasons.unreadable];
  return passing.includes(reason) || code === 429 || code >= 500;
}

const trouble = ({ code, message }: ApiFailure) => (code === 404 ? "does not exist" : `cannot be read: ${message}`);

const refused = (why: string): Checked => ({ ok: false, why });
