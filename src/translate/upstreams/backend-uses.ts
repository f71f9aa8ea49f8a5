/** The Services that the paths of a host send to, as they are named one after the other: a Service or port that is not there is told once a path. */
import type { IngressBackend } from "../../model/objects.ts";
import type { Problem } from "../../problem.ts";
import type { Claim } from "../claim.ts";
import { backendOf, type NamedBackend } from "../ingress/backends.ts";
import type { World } from "../world.ts";
import type { UpstreamUse } from "./balance.ts";
import { servicePortOf } from "./endpoints.ts";

export class BackendUses {
  readonly #world: World;
  readonly #problems: Problem[];
  readonly #all: UpstreamUse[] = [];

  /** What is to be told is added to `problems`. */
  constructor(world: World, problems: Problem[]) {
    this.#world = world;
    this.#problems = problems;
  }

  get all(): readonly UpstreamUse[] {
    return this.#all;
  }

  /** The backend that stands at `field` of a rule; undefined where it is no Service: such a path makes no Location (RS-5.8). */
  ofRule(claim: Claim, field: string, named: IngressBackend): NamedBackend | undefined {
    return this.#use(claim, field, named, false);
  }

  /** The same for the default backend of an Ingress. */
  ofDefault(claim: Claim, named: IngressBackend): NamedBackend | undefined {
    return this.#use(claim, "spec.defaultBackend", named, true);
  }

  /** The Service that answers for others of the Ingress that have no endpoints. */
  ofStandIn(claim: Claim): void {
    const id = standInOf(claim);
    const { standIn } = claim.values.customErrors;
    if (id === undefined || standIn === undefined) return;
    const service = `${claim.object.namespace}/${standIn.service}`;
    this.#all.push({ id, service, port: standIn.port, claim, asDefault: false, relieves: undefined });
  }

  #use(claim: Claim, field: string, named: IngressBackend, asDefault: boolean): NamedBackend | undefined {
    const { object } = claim;
    const answer = backendOf(named, object.namespace);
    if (!answer.ok) {
      this.#problems.push({ object, kind: "field-unusable", field, why: answer.why, done: "the path is ignored" });
      return undefined;
    }
    const { backend } = answer;
    const { upstream: id, key, port } = backend;
    const service = this.#world.service(key);
    if (service === undefined) this.#problems.push({ object, kind: "service-missing", field, service: key });
    else if (service.spec?.type !== "ExternalName" && servicePortOf(service, port) === undefined) {
      this.#problems.push({ object, kind: "service-port-missing", field, service: key, port });
    }
    const known = this.#all.some((use) => use.id === id && use.claim.key === claim.key && use.asDefault === asDefault);
    if (!known) this.#all.push({ id, service: key, port, claim, asDefault, relieves: undefined });
    return backend;
  }
}

/** Id of the Upstream of the Service that stands in where others have no endpoints. */
export function standInOf({ object, values }: Claim): string | undefined {
  const { standIn } = values.customErrors;
  return standIn && `${object.namespace}/${standIn.service}/${standIn.port}`;
}
