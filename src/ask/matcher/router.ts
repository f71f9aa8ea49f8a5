/**
 * A Router finds the host and the route of a request. The matcher reads them from a Configuration;
 * the other Router holds the answer of the running nginx. The steps after the route, such as guards
 * and redirects, are the same for both.
 */

import type { Server } from "../../core/model/configuration.ts";
import type { Listener, ListenerPort } from "../../core/model/listeners.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { listenerFor, type RouteSearch, routeFor } from "./gateway/match.ts";
import { type FoundHost, hostOf, type Served } from "./host.ts";
import { type FoundPath, pathOf } from "./path.ts";
import type { AskedRequest, ReadRequest } from "./request.ts";

export interface Router {
  readonly name: "nginx" | "configuration";
  /** Finds the host at the ports of Ingresses. */
  host(served: Served, host: string): FoundHost;
  path(server: Server<FeatureValues>, uri: string): FoundPath;
  /** Returns the listener of a Gateway's port that takes the host; undefined if none does. */
  listener(port: ListenerPort, host: string): Listener | undefined;
  /** Whether the name in the handshake differs from the host and leads to another listener. */
  isMisdirected(port: ListenerPort, listener: Listener, name: string): boolean;
  route(served: Served, at: AtListener, request: ReadRequest, asked: AskedRequest): RouteSearch;
}

export interface AtListener {
  readonly port: ListenerPort;
  readonly listener: Listener;
  /** Whether Ingresses use the port, too. */
  readonly shared: boolean;
  /** See DecideOptions. */
  readonly ownPaths: readonly string[];
}

export const matcher: Router = {
  name: "configuration",
  host: hostOf,
  path: pathOf,
  listener: listenerFor,
  isMisdirected: (port, listener, name) => listenerFor(port, name)?.id !== listener.id,
  route: (served, at, request, asked) => routeFor(served, at, request, asked),
};
