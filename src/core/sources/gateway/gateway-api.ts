/**
 * The part of a turn that concerns the Gateway API, in the order in which its pieces depend on each
 * other.
 */
import type { Route } from "../../model/gateway/objects.ts";
import type { DesiredStatus } from "../../model/gateway/status.ts";
import type { ListenerPort } from "../../model/listeners.ts";
import { objectKey } from "../../model/objects.ts";
import type { Problem } from "../../model/problem.ts";
import type { StreamPort } from "../../model/streams.ts";
import { Table } from "../../model/table.ts";
import type { ClaimSource } from "../../table/claims.ts";
import type { Certificates } from "../../table/hosts/certificates.ts";
import type { CommonListener } from "../../table/hosts/listener/certificate-owners.ts";
import type { Contested } from "../../table/hosts/listener/contested.ts";
import type { LastGood } from "../../table/last-good.ts";
import type { TranslateOptions } from "../../table/options.ts";
import type { Problems } from "../../table/problems.ts";
import type { Turn } from "../../table/turn.ts";
import { BackendTlsPolicies } from "./backend-tls/policies.ts";
import { policyStatuses } from "./backend-tls/policy-statuses.ts";
import { RefusedHosts } from "./budget/refused-hosts.ts";
import { Gateways } from "./gateways.ts";
import { Grants } from "./grants.ts";
import { grpcRouteReader } from "./route/grpc-route.ts";
import { httpRouteReader } from "./route/http-route.ts";
import type { RouteReader } from "./route/reader.ts";
import { tcpRouteReader, tlsRouteReader, udpRouteReader } from "./route/stream-route.ts";
import { AllRouteSettings } from "./route-settings/route-settings.ts";
import { settingsStatuses } from "./route-settings/statuses.ts";
import { RouteSource } from "./route-source.ts";
import { sharedProblem } from "./shared-named.ts";

export class GatewayApi {
  readonly #grants: Grants;
  readonly #gateways: Gateways;
  readonly #policies: BackendTlsPolicies;
  readonly #settings: AllRouteSettings;
  readonly #refused = new RefusedHosts();
  readonly #requests: readonly RouteSource[];
  readonly #streams: readonly RouteSource[];
  readonly #problems: Problems;
  /** `namespace/name` of the Gateway that a flag names. */
  readonly #shared: string | undefined;
  #sharedProblem: Problem | undefined;
  /** Gateways and ListenerSets that have changed in this turn. */
  #parents: ReadonlySet<string> = new Set();
  /** Ports as they are placed, and the listeners among them on ports of Ingresses. */
  #placed: readonly [Table<ListenerPort>?, ReadonlyMap<string, CommonListener>?] = [];
  #ports = Table.empty<ListenerPort>();
  #statuses = Table.empty<DesiredStatus>();

  constructor(options: TranslateOptions, problems: Problems, certificates: Certificates) {
    this.#grants = new Grants(problems);
    this.#gateways = new Gateways(options, problems, this.#grants, certificates);
    this.#problems = problems;
    this.#shared = options.gateway.shared;
    this.#policies = new BackendTlsPolicies({
      systemAuthorities: options.gateway.systemAuthorities,
      checksNames: !options.lacks.has("upstreamSan"),
    });
    this.#settings = new AllRouteSettings(options, this.#grants);
    const sources = {
      grants: this.#grants,
      gateways: this.#gateways,
      policies: this.#policies,
      settings: this.#settings,
    };
    const sourceOf = <R extends Route>(reader: RouteReader<R>, refused?: RefusedHosts) =>
      new RouteSource(reader, options, problems, { ...sources, refused });
    this.#requests = [sourceOf(httpRouteReader, this.#refused), sourceOf(grpcRouteReader, this.#refused)];
    this.#streams = [sourceOf(tcpRouteReader), sourceOf(udpRouteReader), sourceOf(tlsRouteReader)];
  }

  /** The Claims of routes for requests, kind by kind. */
  get sources(): readonly ClaimSource[] {
    return this.#requests;
  }

  /** The Claims of routes for streams, kind by kind. */
  get streamSources(): readonly ClaimSource[] {
    return this.#streams;
  }

  get streamPorts(): readonly StreamPort[] {
    return this.#gateways.placement.streams;
  }

  get #routes(): readonly RouteSource[] {
    return [...this.#requests, ...this.#streams];
  }

  get ports(): Table<ListenerPort> {
    return this.#ports;
  }

  /** The listeners on shared ports, by id. It is the same map while nothing changes. */
  get commonListeners(): ReadonlyMap<string, CommonListener> {
    return this.#gateways.placement.common;
  }

  /**
   * Reads Gateways, grants and policies of this turn, before any route is read and after the
   * Secrets.
   */
  begin(turn: Turn): void {
    const granting = this.#grants.update(turn);
    const parents = this.#gateways.renew(turn, granting);
    this.#parents = parents;
    this.#reportShared(turn);
    const services = this.#policies.renew(turn);
    const settings = this.#settings.renew(turn, granting);
    this.#updatePorts(settings.size > 0 || turn.afresh);
    this.#refused.begin();
    for (const routes of this.#routes) {
      routes.begin({ parents, granting, services, settings });
      routes.weigh(turn);
    }
  }

  #updatePorts(isOther: boolean): void {
    const { ports, common } = this.#gateways.placement;
    const [placed, among] = this.#placed;
    if (!isOther && placed === ports && among === common) return;
    this.#placed = [ports, common];
    this.#ports = this.#settings.serversOn(ports, this.#ports, common);
  }

  #reportShared({ now: { snapshot } }: Turn): void {
    const name = this.#shared;
    if (name === undefined) return;
    const problem = sharedProblem(name, snapshot, this.#gateways.parent(`Gateway ${name}`) !== undefined);
    if (JSON.stringify(problem) === JSON.stringify(this.#sharedProblem)) return;
    this.#sharedProblem = problem;
    this.#problems.replace("flag shared-gateway", problem === undefined ? [] : [problem]);
  }

  /** Returns `objects` with the last good forms that replace refused Gateways and routes. */
  withStandIns(objects: LastGood["objects"]): LastGood["objects"] {
    const first = this.#settings.withStandIns(this.#gateways.withStandIns(objects));
    return this.#routes.reduce((kept, routes) => routes.withStandIns(kept), first);
  }

  /**
   * Returns the wanted statuses, after all routes were read. It also finds the Problems of
   * policies.
   */
  statuses(turn: Turn, contested: Contested): Table<DesiredStatus> {
    const classes = new Map<string, DesiredStatus | undefined>();
    for (const key of this.#statuses.keys()) if (key.startsWith("GatewayClass ")) classes.set(key, undefined);
    for (const [name, { status }] of this.#gateways.classes) classes.set(objectKey("GatewayClass", name), status);
    const counted = this.#routes.flatMap((routes) => [...routes.counted]);
    const entries = [
      ...classes,
      ...this.#gateways.statuses(counted, (id) => this.#routes.reduce((sum, routes) => sum + routes.attached(id), 0)),
      ...this.#routes.flatMap((routes) => routes.statuses(turn, contested)),
      ...policyStatuses(
        this.#policies,
        this.#routes.map(({ users }) => users),
        this.#problems,
        turn,
      ),
      ...settingsStatuses(
        { settings: this.#settings, gateways: this.#gateways, routes: this.#requests, problems: this.#problems },
        this.#parents,
        turn,
      ),
    ].filter(([key, status]) => !isSame(this.#statuses.get(key), status));
    if (entries.length > 0) this.#statuses = this.#statuses.with(entries);
    return this.#statuses;
  }
}

function isSame(one: DesiredStatus | undefined, other: DesiredStatus | undefined): boolean {
  if (one === other) return true;
  return (
    one !== undefined &&
    other !== undefined &&
    one.object === other.object &&
    JSON.stringify(one) === JSON.stringify(other)
  );
}
