/**
 * The Upstreams of Locations. Several hosts may share one with different values, so it is made from
 * all its uses. It is made again when one of them, its Service or its endpoints have changed.
 */

import { guarded } from "../../../base/guarded.ts";
import { defaultUpstream, defaultUpstreamLabel, type Upstream } from "../../model/configuration.ts";
import { Dependencies } from "../../model/dependencies.ts";
import { upstreamLabel } from "../../model/location.ts";
import { nameOf, type Service, type ServicePort } from "../../model/objects.ts";
import type { Problem } from "../../model/problem.ts";
import { bugProblem } from "../../model/problem.ts";
import { emptySnapshot, type Snapshot } from "../../model/snapshot.ts";
import { Table } from "../../model/table.ts";
import type { Claim } from "../claim.ts";
import type { TranslateOptions } from "../options.ts";
import type { Problems } from "../problems.ts";
import type { Turn } from "../turn.ts";
import { balanceOf, canaryBalance, decidingUse, overruled, roundRobin, type UpstreamUse } from "./balance.ts";
import type { EndpointsAnswer } from "./endpoints.ts";
import type { ServiceEndpoints } from "./service-endpoints.ts";

export class Upstreams {
  readonly #options: TranslateOptions;
  readonly #endpoints: ServiceEndpoints;
  readonly #problems: Problems;
  /** Uses by host and by id of the Upstream, because a host of 10,000 paths may use as many. */
  readonly #uses = new Map<string, ReadonlyMap<string, readonly UpstreamUse[]>>();
  readonly #hosts = new Dependencies();
  /** Upstreams by Service, and by the name that an ExternalName stands for. */
  readonly #byService = new Dependencies();
  readonly #byName = new Dependencies();
  readonly #canaries = new Dependencies();
  readonly #outdated = new Set<string>();
  #services: Snapshot["services"] = emptySnapshot.services;
  #all = Table.empty<Upstream>();

  constructor(options: TranslateOptions, endpoints: ServiceEndpoints, problems: Problems) {
    this.#options = options;
    this.#endpoints = endpoints;
    this.#problems = problems;
  }

  /** Upstreams by id, as of the last `renew`. */
  get all(): Table<Upstream> {
    return this.#all;
  }

  /** Sets the uses of `host`. */
  use(host: string, uses: readonly UpstreamUse[]): void {
    const byId = Map.groupBy(uses, ({ id }) => id);
    const ids = [...byId.keys()];
    for (const id of this.#hosts.usedBy(host)) this.#outdated.add(id);
    for (const id of ids) this.#outdated.add(id);
    this.#hosts.set(host, ids);
    if (uses.length === 0) this.#uses.delete(host);
    else this.#uses.set(host, byId);
  }

  /**
   * Makes Upstreams again that may have changed. `rolled` are the Services whose EndpointSlices
   * have changed.
   */
  renew(turn: Turn, rolled: Iterable<string>): void {
    this.#services = turn.now.snapshot.services;
    this.#noteChanges(turn, rolled);
    for (const id of [...this.#outdated]) for (const canary of this.#canaries.usersOf(id)) this.#outdated.add(canary);
    this.#all = this.#all.with([...this.#outdated].map((id) => [id, this.#upstreamOf(id)] as const));
    this.#outdated.clear();
  }

  #noteChanges({ before, now, afresh }: Turn, rolled: Iterable<string>): void {
    if (afresh) {
      this.#outdated.add(defaultUpstream);
      for (const id of this.#all.keys()) this.#outdated.add(id);
      return;
    }
    const add = (ids: Iterable<string>): void => {
      for (const id of ids) this.#outdated.add(id);
    };
    const { services, addresses } = now.snapshot;
    for (const { key } of services.changesSince(before.snapshot.services)) add(this.#byService.usersOf(key));
    for (const key of rolled) add(this.#byService.usersOf(key));
    for (const { key } of addresses.changesSince(before.snapshot.addresses)) add(this.#byName.usersOf(key));
  }

  #upstreamOf(id: string): Upstream | undefined {
    const make = () => (id === defaultUpstream ? this.#defaultUpstream() : this.#upstreamOfUses(id, this.#usesOf(id)));
    return guarded(make, (bug) => this.#withoutEndpoints(id, bug));
  }

  /**
   * Returns the Upstream of a Service on which Sluice failed. Without endpoints its paths answer
   * 503.
   */
  #withoutEndpoints(id: string, bug: Error): Upstream {
    const service = this.#usesOf(id)[0]?.service ?? this.#options.defaultBackendService ?? "";
    this.#problems.replace(`upstream ${id}`, [bugProblem({ kind: "Service", ...nameOf(service) }, bug)]);
    return { id, label: upstreamLabel(service), endpoints: [], balance: roundRobin };
  }

  #upstreamOfUses(id: string, uses: readonly UpstreamUse[]): Upstream | undefined {
    if (uses.length === 0) {
      this.#noteSource(id, undefined);
      this.#canaries.set(id, []);
      this.#problems.replace(`upstream ${id}`, []);
      return undefined;
    }
    const { service, port, claim, relieves, byNumber } = decidingUse(uses);
    this.#noteSource(id, service);
    this.#canaries.set(id, relieves === undefined ? [] : [relieves]);
    const relieved = relieves === undefined ? [] : this.#usesOf(relieves);
    const declared = byNumber === true ? portNumbered(this.#services.get(service), port) : undefined;
    const question = {
      port,
      ...(declared === undefined ? {} : { declared }),
      serviceUpstream: claim.features.serviceUpstream.on,
      protocol: "TCP",
    };
    const answer = this.#endpoints.of(service, question);
    this.#problems.replace(`upstream ${id}`, [...unusable(answer, service, claim), ...overruled(uses)]);
    return {
      id,
      label: upstreamLabel(`${service}/${port}`),
      endpoints: answer.kind === "endpoints" ? answer.endpoints : [],
      balance: relieved.length === 0 ? balanceOf(uses) : canaryBalance(uses, balanceOf(relieved)),
    };
  }

  /**
   * Returns the global default backend, or the built-in 404 server if that has no endpoints
   * (RS-8.1).
   */
  #defaultUpstream(): Upstream {
    const { defaultBackendService: key, defaultServerPort } = this.#options;
    this.#noteSource(defaultUpstream, key);
    const port = key === undefined ? undefined : this.#services.get(key)?.spec?.ports?.[0]?.port;
    const question = { port: String(port), serviceUpstream: false, protocol: "TCP" };
    const answer = key === undefined || port === undefined ? undefined : this.#endpoints.of(key, question);
    const found = answer?.kind === "endpoints" ? answer.endpoints : [];
    const endpoints = found.length > 0 ? found : [{ address: "127.0.0.1", port: defaultServerPort }];
    return { id: defaultUpstream, label: defaultUpstreamLabel, endpoints, balance: roundRobin };
  }

  #usesOf(id: string): UpstreamUse[] {
    return [...this.#hosts.usersOf(id)].flatMap((host) => this.#uses.get(host)?.get(id) ?? []);
  }

  /**
   * Notes the sources of an Upstream: its Service, and an ExternalName from which addresses come.
   */
  #noteSource(id: string, service: string | undefined): void {
    const name = service === undefined ? undefined : this.#services.get(service)?.spec?.externalName;
    this.#byService.set(id, service === undefined ? [] : [service]);
    this.#byName.set(id, name === undefined ? [] : [name.toLowerCase()]);
  }
}

function portNumbered(service: Service | undefined, port: string): ServicePort | undefined {
  return service?.spec?.ports?.find((one) => String(one.port) === port && (one.protocol ?? "TCP") === "TCP");
}

/** Returns the Problem of an unusable Service, for the owner that decides about the Upstream. */
function unusable(answer: EndpointsAnswer, service: string, { owner: object }: Claim): Problem[] {
  const problem = { object, field: `Service ${service}` };
  if (answer.kind === "unusable")
    return [{ ...problem, kind: "reference-unusable", why: answer.why, done: "it gets no requests" }];
  if (answer.kind !== "endpoints" || answer.most === undefined) return [];
  const why = `its EndpointSlices have more than ${answer.most} pairs of an address and a port`;
  return [{ ...problem, kind: "limit-exceeded", why, done: "the others get no requests" }];
}
