/**
 * Explains one request as one value: where it may arrive, which route takes it and why, its guards,
 * and how it ends. All of it comes from a Configuration: that of a running controller or of files.
 */

import { addressWithPort } from "../../../core/model/endpoint.ts";
import type { ListenerPort } from "../../../core/model/listeners.ts";
import type { GatewayStream } from "../../../core/model/streams.ts";
import { decide } from "../../matcher/decide.ts";
import type { Decision, GatewayDecision } from "../../matcher/decision.ts";
import { isApart } from "../../matcher/listeners.ts";
import type { Ports } from "../../matcher/redirects.ts";
import { type AskedRequest, readRequest } from "../../matcher/request.ts";
import {
  type AskedStream,
  closedStreams,
  decideStreams,
  isAtIngresses,
  namesOnPort,
  type StreamDecision,
} from "../../matcher/streams.ts";
import type { Arrival, AskAnswer } from "../api/ask.ts";
import { arrivalOf } from "./arrival.ts";
import { atItsPort } from "./ports.ts";
import type { Asked } from "./question.ts";
import { gatewayReasons } from "./route-reasons.ts";
import { changeSteps, endOf, step } from "./steps.ts";
import { closedArrival, streamArrival, untaken } from "./stream-arrival.ts";
import type { AskedWorld, Explaining } from "./world.ts";

export function explain(explaining: Explaining): AskAnswer {
  const { method, scheme, host, target, headers } = explaining.asked;
  return {
    version: 1,
    request: { method, scheme, host, target, headerNames: [...headers.keys()].sort() },
    arrivals: arrivalsOf(explaining),
  };
}

/** Returns undefined if no stream takes the connection, so that it may be a request. */
export function explainStream({ request, stream }: Asked, world: AskedWorld): AskAnswer | undefined {
  if (stream === undefined) return undefined;
  const { protocol, host, port } = stream;
  const found = decideStreams(world.served, stream, world.decide.ports);
  if (found.length === 0 && request !== undefined && mayBeRequest(stream, world)) return undefined;
  const scheme = protocol === "any" ? "stream" : protocol;
  const written = addressWithPort({ address: host, port });
  return {
    version: 1,
    request: { method: "", scheme, host: written, target: "", headerNames: [] },
    arrivals: found.length === 0 ? [untaken(stream, world)] : found.map((one) => streamArrival(stream, one, world)),
  };
}

function mayBeRequest({ protocol, port }: AskedStream, { served, decide: { ports } }: AskedWorld): boolean {
  if (isUsual(port, ports) || [...served.listenerPorts.values()].some((one) => one.port === port)) return true;
  return protocol === "any" && namesOnPort(served.streams, port, ports).length === 0;
}

const isUsual = (port: number, { http, https }: Ports): boolean => [80, 443, http, https].includes(port);

/**
 * Returns the places where the request may arrive. A Gateway with its own address and Ingresses may
 * have the same host; then DNS decides.
 */
function arrivalsOf(explaining: Explaining): readonly Arrival[] {
  const { world, asked } = explaining;
  const { served, decide: options } = world;
  const request = readRequest(asked);
  const { atListeners, atHosts: decision } = decide(served, asked, options);
  const atIngresses = (passedOn: readonly GatewayDecision[]) =>
    atItsPort(arrivalOf(explaining, decision, passedOn), asked, world);
  if (request === undefined) return [atIngresses([])];
  const stream = streamOf(asked, request.host);
  const streams = decideStreams(served, stream, options.ports).filter(
    ({ protocol }) => asked.scheme === "https" || protocol === "tcp",
  );
  const first = streams.map((one) => streamArrival(stream, one, world));
  const all = atListeners.filter(({ port }) => !streams.some((one) => isAt(one, port)));
  const passedOn = all.filter((one) => one.passedOn !== undefined);
  const taking = all.filter((one) => one.passedOn === undefined);
  const gateways = [...first, ...taking.map((one) => arrivalOf(explaining, one))];
  const isElsewhere = first.length > 0 && !isUsual(stream.port, options.ports);
  if (isElsewhere || streams.some((one) => isAtIngresses(one, options.ports))) return gateways;
  if (all.length === 0 && !mayBeRequest({ ...stream, protocol: "any" }, world)) return [untaken(stream, world)];
  if (all.length === 0 && isApart(served, asked, options)) return [...first, nowhere(explaining, request.host)];
  const hasHost = decision.host?.how !== "nothing else" && all.every(({ port }) => port.address !== undefined);
  const mayStay =
    taking.some(({ path }) => path?.kind === "location" && path.location.share !== undefined) && reaches(decision);
  const comes = gateways.length === 0 || hasHost || mayStay;
  if (!comes) return gateways;
  const isNowhere = asked.scheme === "https" && gateways.length === 0 && !hasHost && !reaches(decision);
  const closed = isNowhere ? closedStreams(served.streams, stream, options.ports) : [];
  return [
    ...closed.map((one) => closedArrival(one, stream, world)),
    ...gateways,
    ...(isAddressOf(closed, stream.host) ? [] : [atIngresses(passedOn)]),
  ];
}

/** Whether the host is the address of one of these, so that the connection comes nowhere else. */
const isAddressOf = (streams: readonly GatewayStream[], host: string): boolean =>
  streams.some(({ address }) => address === host);

/** Returns the connection of a request. */
function streamOf({ scheme, port, sni }: AskedRequest, host: string): AskedStream {
  const https = scheme === "https";
  return { protocol: https ? "tls" : "tcp", host: sni ?? host, port: port ?? (https ? 443 : 80) };
}

/**
 * Whether the stream has the port of these listeners, so that no request for its name reaches them.
 */
function isAt({ place }: StreamDecision, { address, listenPort }: ListenerPort): boolean {
  return place.kind === "gateway" && place.address === address && place.listenPort === listenPort;
}

/** Whether an Ingress has an effect on the request. */
function reaches({ end }: Decision): boolean {
  return end.kind !== "answer" || end.status < 404;
}

/** Returns the arrival at a port that only Gateways use, if none takes the host. */
function nowhere(explaining: Explaining, host: string): Arrival {
  const { port } = explaining.asked;
  const changes = gatewayReasons(explaining);
  const end = { kind: "answer", status: 404, why: `no listener on port ${port} takes the host ${host}` } as const;
  const empty = { lost: [], guards: [], backends: [], settings: [], problems: [], errorPages: [], changes };
  return { ...empty, end, steps: [step("answer", endOf(end)), ...changeSteps(changes)] };
}
