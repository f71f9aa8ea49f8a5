/**
 * Handles a URL with a port on which nginx does not listen for Ingresses. A load balancer may lead
 * from one port to another, so a request to an unknown port is explained all the same; only one in
 * the other scheme ends here.
 */
import type { AskedRequest } from "../../matcher/request.ts";
import type { Arrival } from "../api/ask.ts";
import { endOf, step } from "./steps.ts";
import type { AskedWorld } from "./world.ts";

export function atItsPort(arrival: Arrival, { scheme, port }: AskedRequest, world: AskedWorld): Arrival {
  const { served, decide, flagsOf } = world;
  if (port === undefined || [...served.listenerPorts.values()].some((one) => one.port === port)) return arrival;
  const { http, https } = decide.ports;
  const isTls = scheme === "https";
  if ((isTls ? [443, https] : [80, http]).includes(port)) return arrival;
  if (port === 80 || port === http) return tlsOnPlain(port, port === 80 ? 443 : https);
  if (port === 443 || port === https) return plainOnTls(port, port === 443 ? 80 : http);
  const says = `nginx has ${http} for http and ${https} for https (${flagsOf}), and not ${port}; a load balancer or a mapped port in front of it may lead from ${port} to one of these`;
  return { ...arrival, steps: [step("at port", says), ...arrival.steps] };
}

function tlsOnPlain(port: number, right: number): Arrival {
  const why = `port ${port} takes plain http, so the TLS handshake fails`;
  const change = `write http, or the port ${right}, which takes https`;
  const steps = [step("answer", `refused: ${why}`), step("to change", change)];
  return { ...empty, changes: [change], end: { kind: "refused", why }, steps };
}

function plainOnTls(port: number, right: number): Arrival {
  const end = { kind: "answer", status: 400, why: `port ${port} takes https, and the request is plain http` } as const;
  const change = `write https, or the port ${right}, which takes http`;
  return { ...empty, changes: [change], end, steps: [step("answer", endOf(end)), step("to change", change)] };
}

const empty = { lost: [], guards: [], backends: [], settings: [], problems: [], errorPages: [] };
