/**
 * Explains one request as one value: where it may arrive, which route takes it and why, what guards
 * it, and how it ends. nginx finds hosts and routes where it was asked, and else the matcher does;
 * all else comes from the Configuration.
 */
import { decide } from "../../decide/decide.ts";
import type { Decision } from "../../decide/decision.ts";
import { decideGateways, isApart } from "../../decide/gateway/gateway.ts";
import { type AskedRequest, readRequest } from "../../decide/request.ts";
import { matcher } from "../../decide/router.ts";
import type { Arrival, AskAnswer } from "../api/ask.ts";
import type { Explaining } from "./explaining.ts";
import { gatewayArrival } from "./gateway-arrival.ts";
import { ingressArrival } from "./ingress-arrival.ts";
import { endOf, step } from "./steps.ts";

export function explain(explaining: Explaining): AskAnswer {
  const { asked, live, note } = explaining;
  const { method, scheme, host, target, headers } = asked;
  return {
    version: 1,
    by: live === undefined ? "configuration" : "nginx",
    ...(note === undefined ? {} : { note }),
    request: { method, scheme, host, target, headerNames: [...headers.keys()].sort() },
    arrivals: arrivalsOf(explaining),
  };
}

/**
 * A Gateway with an address of its own is one beside Ingresses that have the host: the name's
 * address decides then.
 */
function arrivalsOf(explaining: Explaining): readonly Arrival[] {
  const { world, asked, live } = explaining;
  const { served, decide: options } = world;
  const router = live ?? matcher;
  const request = readRequest(asked);
  const decision = decide(served, asked, options, router);
  if (request === undefined) return [ingressArrival(explaining, decision, [])];
  const all = decideGateways(served, asked, request, options, router);
  const passedOn = all.filter((one) => one.passedOn !== undefined);
  const taking = all.filter((one) => one.passedOn === undefined);
  const gateways = taking.map((one) => gatewayArrival(explaining, one));
  if (all.length === 0 && isApart(served, asked, options)) return [nowhere(asked, request.host)];
  const hasHost = decision.host?.how !== "nothing else" && all.every(({ port }) => port.address !== undefined);
  const mayStay = taking.some(({ taken }) => taken?.location.share !== undefined) && reaches(decision);
  const comes = gateways.length === 0 || hasHost || mayStay;
  return comes ? [...gateways, ingressArrival(explaining, decision, passedOn)] : gateways;
}

/** Whether an Ingress has something to do for the request. */
function reaches({ end }: Decision): boolean {
  return end.kind !== "answer" || end.status < 404;
}

/** Only Gateways have the port, and none takes the host. */
function nowhere({ port }: AskedRequest, host: string): Arrival {
  const end = { kind: "answer", status: 404, why: `no listener on port ${port} takes the host ${host}` } as const;
  const empty = { lost: [], guards: [], backends: [], settings: [], problems: [], errorPages: [], changes: [] };
  return { ...empty, end, steps: [step("answer", endOf(end))] };
}
