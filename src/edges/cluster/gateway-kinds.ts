/**
 * Finds out which kinds of the Gateway API the API server has, and whether it has RouteSettings.
 * Most clusters have none. Each kind may be installed or removed, or change its version, at any
 * time, so discovery is repeated.
 *
 * An API server that has just started may not know its own definitions for a moment. So a kind
 * counts as gone only when two lookups in a row miss it.
 */

import type { Clock } from "../../base/timing/clock.ts";
import {
  bundleVersion,
  type DefinitionVersions,
  versionsBeforeV1,
} from "../../core/model/gateway/definition-versions.ts";
import { gatewayGroup } from "../../core/model/gateway/objects.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import { type Answer, type Discoverer, isDenied, type Resource, resource, sleep, succeeded } from "../../kube/index.ts";
import {
  backendTLSPolicies,
  customResourceDefinitions,
  gatewayClasses,
  gateways,
  grpcRoutes,
  httpRoutes,
  listenerSets,
  referenceGrants,
  routeSettings,
  tcpRoutes,
  tlsRoutes,
  udpRoutes,
} from "../resources.ts";

export type GatewayKind = Resource<KubernetesObject>;

/** The kinds that the API server has. */
export interface ServedKinds {
  /** The watched kinds, with the version of each. */
  readonly served: readonly GatewayKind[];
  /** Kinds that exist only in a version that Sluice does not read. */
  readonly outdated: readonly string[];
  /** The versions of the definitions; undefined if no kind of the Gateway API is served. */
  readonly versions?: DefinitionVersions | undefined;
}

const beta = `${gatewayGroup}/v1beta1`;
const alphas = ["v1alpha3", "v1alpha2"].map((version) => `${gatewayGroup}/${version}`);

/** For each kind, the versions that Sluice reads, best first. */
export const gatewayKinds: readonly (readonly GatewayKind[])[] = [
  gatewayClasses,
  gateways,
  httpRoutes,
  referenceGrants,
  grpcRoutes,
  tlsRoutes,
  tcpRoutes,
  udpRoutes,
  listenerSets,
  backendTLSPolicies,
  routeSettings,
].map((best: GatewayKind) => [best, ...(versionsBeforeV1[best.kind] ?? []).map((version) => inVersion(best, version))]);

function inVersion(best: GatewayKind, version: string): GatewayKind {
  return resource({ ...best, apiVersion: `${gatewayGroup}/${version}` });
}

const lookMs = 30_000;
const soonMs = 1_000;
const certaintyMs = 5_000;

export interface GatewayKindsOptions {
  readonly client: Discoverer;
  readonly clock: Clock;
  /** Called with the first answer, and with each answer that differs from the previous one. */
  readonly found: (kinds: ServedKinds) => void;
}

export class GatewayKinds {
  readonly #options: GatewayKindsOptions;
  #found: ServedKinds | undefined;
  #isAsked = new AbortController();

  constructor(options: GatewayKindsOptions) {
    this.#options = options;
  }

  /** Whether the API server has answered at least once. */
  get areKnown(): boolean {
    return this.#found !== undefined;
  }

  /** Repeats discovery now, because a kind seems to be gone. */
  lookNow(): void {
    this.#isAsked.abort();
  }

  /** Repeats discovery until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    let isDoubted = false;
    while (!signal.aborted) {
      this.#isAsked = new AbortController();
      const answer = await this.#look(signal);
      if (signal.aborted) return;
      const isLess = answer.ok && this.#lacksSome(answer.value);
      if (answer.ok && (!isLess || isDoubted)) this.#take(answer.value);
      // Without the right to discovery, and before the first answer, there are no kinds.
      if (!answer.ok && this.#found === undefined && isDenied(answer.failure)) this.#take({ served: [], outdated: [] });
      isDoubted = isLess && !isDoubted;
      await this.#wait(isDoubted, signal);
    }
  }

  async #wait(isDoubted: boolean, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    if (isDoubted) return sleep(clock, certaintyMs, signal);
    if (this.#found === undefined) return sleep(clock, soonMs, signal);
    // Watches of several kinds may request this at once.
    await sleep(clock, soonMs, signal);
    await sleep(clock, lookMs - soonMs, AbortSignal.any([signal, this.#isAsked.signal]));
  }

  #lacksSome({ served }: ServedKinds): boolean {
    return this.#found?.served.some(({ kind }) => !served.some((one) => one.kind === kind)) ?? false;
  }

  #take(kinds: ServedKinds): void {
    const last = this.#found;
    this.#found = kinds;
    if (last === undefined || textOf(last) !== textOf(kinds)) this.#options.found(kinds);
  }

  /** Requests v1 and the group of RouteSettings, and earlier versions while a kind is missing. */
  async #look(signal: AbortSignal): Promise<Answer<ServedKinds>> {
    const offered = new Map<string, ReadonlySet<string>>();
    for (const version of [gatewayClasses.apiVersion, routeSettings.apiVersion, beta, ...alphas]) {
      if (!mayAdd(version, offered)) continue;
      const answer = await this.#options.client.kindsOf(version, signal);
      if (!answer.ok) return answer;
      offered.set(version, new Set(answer.value.map(({ name }) => name)));
    }
    const served = gatewayKinds.flatMap((versions) => versions.find((one) => has(offered, one)) ?? []);
    const missing = gatewayKinds
      .flatMap(([best]) => best ?? [])
      .filter(({ kind }) => !served.some((one) => one.kind === kind));
    const earlier = [beta, ...alphas].flatMap((version) => [...(offered.get(version) ?? [])]);
    const outdated = missing.filter(({ plural }) => earlier.includes(plural)).map(({ kind }) => kind);
    const versions = await this.#versions(served, signal);
    return versions.ok ? succeeded({ served, outdated, versions: versions.value }) : versions;
  }

  /** Reads the versions of the definitions, because discovery does not show their upgrade. */
  async #versions(
    served: readonly GatewayKind[],
    signal: AbortSignal,
  ): Promise<Answer<DefinitionVersions | undefined>> {
    const versions = new Map<string, string>();
    for (const { apiVersion, plural } of served) {
      const [group] = apiVersion.split("/");
      if (group !== gatewayGroup) continue;
      const name = `${plural}.${group}`;
      const answer = await this.#options.client.get(customResourceDefinitions, { name }, signal);
      if (answer.ok) versions.set(name, answer.value.metadata.annotations?.[bundleVersion] ?? "");
      else if (answer.failure.code === 403) return succeeded("unreadable");
      else if (!isDenied(answer.failure)) return answer;
    }
    return succeeded(versions.size === 0 ? undefined : versions);
  }
}

/** Whether the version may have kinds that the better ones lack. The first ones are always read. */
function mayAdd(version: string, offered: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const missing = gatewayKinds.filter((versions) => !versions.some((one) => has(offered, one)));
  if (version === beta) return missing.length > 0;
  if (!alphas.includes(version)) return true;
  // Without Gateways of v1 none of the other kinds is used.
  return has(offered, gateways) && missing.flat().some(({ apiVersion }) => apiVersion === version);
}

function has(offered: ReadonlyMap<string, ReadonlySet<string>>, { apiVersion, plural }: GatewayKind): boolean {
  return offered.get(apiVersion)?.has(plural) === true;
}

function textOf({ served, outdated, versions }: ServedKinds): string {
  const definitions = versions instanceof Map ? [...versions].flat() : [String(versions)];
  return [...served.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`), ...outdated, ...definitions].join();
}
