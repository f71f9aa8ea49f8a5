/**
 * The answer of the running nginx about a request, as the Router of a decision. nginx's answer
 * names records, and their content comes from the Configuration from which they were made. If
 * the two do not fit, nginx has received other records meanwhile.
 */

import type { Route, Server } from "../../../core/model/configuration.ts";
import { type ListenerPort, serverKey } from "../../../core/model/listeners.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import type { Routed } from "../../../nginx/routed.ts";
import { lostWords } from "../../matcher/gateway/conditions.ts";
import { inOrder, namesAbove, type RouteLost, type RouteSearch, takesPath } from "../../matcher/gateway/match.ts";
import { type FoundHost, hostOf, type Served } from "../../matcher/host.ts";
import { type FoundPath, pathOf } from "../../matcher/path.ts";
import type { AskedRequest, ReadRequest } from "../../matcher/request.ts";
import { type AtListener, matcher, type Router } from "../../matcher/router.ts";
import type { AskedBackend } from "../api/ask.ts";
import { backendOf } from "./words.ts";

/** nginx's answers, by `ListenerPort.id`. The answer for the ports of Ingresses has the key "". */
export type Answers = ReadonlyMap<string, Routed>;

export class LiveRouter implements Router {
  readonly name = "nginx";
  readonly #answers: Answers;

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  /** Whether the Configuration has everything that nginx's answer names. */
  fits({ servers }: Served): boolean {
    const all = [...this.#answers.values()].flatMap((one) => [one, ...(one.rest === undefined ? [] : [one.rest])]);
    return all.every(({ host, location, lost = [] }) => {
      const named = [...(host === undefined ? [] : [{ host, location: location ?? 1 }]), ...lost];
      return named.every((one) => servers.get(one.host)?.locations[one.location - 1] !== undefined);
    });
  }

  /** nginx's answer at the ports of Ingresses, if no route of a Gateway gets the request. */
  get ingresses(): Routed | undefined {
    const routed = this.#answers.get("");
    return routed?.rest ?? routed;
  }

  at({ id }: ListenerPort): Routed | undefined {
    return this.#answers.get(id) ?? this.#answers.get("");
  }

  host(served: Served, host: string): FoundHost {
    const matched = hostOf(served, host);
    const routed = this.ingresses;
    const server = served.servers.get(routed?.host ?? "");
    if (server === undefined || server.listener !== undefined || server.name === matched.server.name) return matched;
    const how = server.name === "_" ? "nothing else" : server.name.startsWith("*.") ? "wildcard" : "alias";
    return { server, by: server.name, how, tls: routed?.set.route_tls === "1", certificate: server.certificate };
  }

  path(server: Server<FeatureValues>, uri: string): FoundPath {
    const routed = this.ingresses;
    if (routed?.host !== server.name) return pathOf(server, uri);
    if (routed.outcome === "undecided")
      return { kind: "unclear", pattern: "that nginx was trying when its time was over" };
    if (routed.location === undefined) return { kind: "nothing" };
    const at = routed.location - 1;
    const route = routeIn(server, at, uri, routed);
    const location = server.locations[at];
    if (route === undefined || location === undefined) return { kind: "nothing" };
    return { kind: "location", location, route, groups: routed.groups ?? [] };
  }

  listener(port: ListenerPort) {
    return port.listeners.find(({ id }) => id === this.at(port)?.listener);
  }

  isMisdirected(port: ListenerPort): boolean {
    return this.at(port)?.outcome === "misdirected";
  }

  route(served: Served, at: AtListener, request: ReadRequest, asked: AskedRequest): RouteSearch {
    const { servers } = served;
    const { port, listener } = at;
    const routed = this.at(port);
    const found = (host: string | undefined, location: number) => {
      const server = servers.get(host ?? "");
      const route = server && routeIn(server, location - 1, request.uri);
      return server && route && { server, route, location: server.locations[location - 1]! };
    };
    const lost = (routed?.lost ?? []).flatMap(({ host, location, ...rest }): RouteLost[] => {
      const one = found(host, location);
      const conditions = one?.route.conditions;
      if (one === undefined || conditions === undefined) return [];
      const { part, name } = rest;
      const why =
        part === undefined
          ? "its conditions do not hold"
          : lostWords(conditions, { part, ...(name === undefined ? {} : { name }) }, { request, asked });
      return [{ ...one, why }];
    });
    if (routed?.by === "ingress") {
      const { end } = matcher.route(served, at, request, asked);
      const leaves = end.kind === "ingress" || end.kind === "nothing";
      return { lost, end: leaves ? end : { kind: "ingress", why: "an Ingress has the request" } };
    }
    if (routed?.outcome === "undecided" && routed.location === undefined)
      return { lost, end: { kind: "unclear", pattern: "that nginx was trying when its time was over" } };
    const taken = routed?.location !== undefined ? found(routed.host, routed.location) : undefined;
    if (taken !== undefined) return { lost, end: { kind: "taken", taken } };
    const hosts = namesAbove(request.host).flatMap(
      (name) => servers.get(serverKey({ listener: listener.id, name })) ?? [],
    );
    return { lost, end: { kind: "nothing", hosts } };
  }

  /**
   * Returns the backends with their probabilities and endpoints. `words` has the rules of canaries,
   * by id of an Upstream.
   */
  backends(
    { upstreams = [] }: Routed,
    words: ReadonlyMap<string, Pick<AskedBackend, "when">>,
  ): readonly AskedBackend[] {
    return upstreams.map(({ upstream, share, endpoints: { list = [] } }) => {
      return { ...backendOf(upstream), share, ...words.get(upstream), endpoints: list };
    });
  }
}

/** Returns the route that matched the path. */
function routeIn(
  server: Server<FeatureValues>,
  location: number,
  uri: string,
  { pattern, slash }: Pick<Routed, "pattern" | "slash"> = {},
): Route | undefined {
  const { routes } = server;
  if (pattern !== undefined) return routes.filter(({ match }) => match === "regex")[pattern - 1];
  if (slash === true) return routes.find(({ match, path }) => match === "slash" && path === uri);
  return inOrder(server).find((route) => route.location === location && takesPath(route, uri) !== false);
}
