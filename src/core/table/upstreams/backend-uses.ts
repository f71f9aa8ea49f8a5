/**
 * Collects the Services to which the paths of a host send requests. A missing Service or port is
 * reported once for each path that names it.
 */

import type { Problem } from "../../model/problem.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Claim, ClaimedBackend, ClaimedPath } from "../claim.ts";
import type { World } from "../world.ts";
import type { UpstreamUse } from "./balance.ts";
import { portsInWords, servicePortOf } from "./endpoints.ts";

export class BackendUses {
  readonly #world: World;
  readonly #problems: Problem[];
  readonly #all: UpstreamUse[] = [];
  readonly #known = new Set<string>();

  /** Adds its findings to `problems`. */
  constructor(world: World, problems: Problem[]) {
    this.#world = world;
    this.#problems = problems;
  }

  get all(): readonly UpstreamUse[] {
    return this.#all;
  }

  /**
   * Notes the backends of a path. Returns false if one of them is not a Service: such a path
   * makes no Location (RS-5.8).
   */
  ofPath(claim: Claim, { field, backends }: ClaimedPath): boolean {
    return backends.every((backend) => this.#use(claim, `${field}.${backend.part}`, backend, false));
  }

  /** Does the same for the default backend of a Claim. */
  ofDefault(claim: Claim, backend: ClaimedBackend): boolean {
    return this.#use(claim, backend.part, backend, true);
  }

  /** Notes the Service that answers for others of the Claim that have no endpoints. */
  ofStandIn(claim: Claim): void {
    const use = standInUse(claim);
    if (use !== undefined) this.#add(use);
  }

  #use(claim: Claim, field: string, backend: ClaimedBackend, asDefault: boolean): boolean {
    const { owner: object } = claim;
    const { mistake, upstream: id, key, port } = backend;
    if (mistake !== undefined) {
      this.#problems.push({ object, kind: "value-unusable", field, why: mistake, done: "the path is ignored" });
      return false;
    }
    const service = this.#world.service(key);
    if (service === undefined) this.#problems.push({ object, kind: "service-missing", field, service: key });
    else if (service.spec?.type !== "ExternalName" && servicePortOf(service, port) === undefined) {
      const has = portsInWords(service);
      this.#problems.push({ object, kind: "service-port-missing", field, service: key, port, has });
    }
    if (!this.#known.has(idOf(id, claim, asDefault)))
      this.#add({ id, service: key, port, claim, asDefault, relieves: undefined });
    return true;
  }

  #add(use: UpstreamUse): void {
    this.#all.push(use);
    this.#known.add(idOf(use.id, use.claim, use.asDefault));
  }
}

/** Returns an id for one Claim's use of an Upstream, by a path or as its default backend. */
const idOf = (upstream: string, { key }: Claim, asDefault: boolean): string => `${upstream} ${key} ${asDefault}`;

/** Returns the id of the Upstream of the Service that stands in for others without endpoints. */
export function standInOf({ customErrors: { standIn } }: FeatureValues): string | undefined {
  return standIn && `${standIn.namespace}/${standIn.service}/${standIn.port}`;
}

export function standInUse(claim: Claim): UpstreamUse | undefined {
  const id = standInOf(claim.features);
  const { standIn } = claim.features.customErrors;
  if (id === undefined || standIn === undefined) return undefined;
  const service = `${standIn.namespace}/${standIn.service}`;
  return { id, service, port: standIn.port, claim, asDefault: false, relieves: undefined };
}
