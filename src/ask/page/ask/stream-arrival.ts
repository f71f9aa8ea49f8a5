/** Makes the answer about a connection or a datagram that nginx's stream module takes. */

import { isIP } from "node:net";
import { pairsFor } from "../../../core/certificates/choice.ts";
import { percent } from "../../../core/kinds/measures.ts";
import { catchAll } from "../../../core/model/configuration.ts";
import { addressWithPort } from "../../../core/model/endpoint.ts";
import { named, type Problem } from "../../../core/model/problem.ts";
import type { GatewayStream } from "../../../core/model/streams.ts";
import {
  type AskedStream,
  namesOnPort,
  type StreamDecision,
  type StreamTarget,
  streamPorts,
} from "../../matcher/streams.ts";
import type { Arrival, AskedBackend, AskedCertificate, AskedStep } from "../api/ask.ts";
import { mistakenAt } from "./mistaken.ts";
import { changeSteps, problemStep, someOf, step } from "./steps.ts";
import { askedProblem, certificateOf, problemsOf } from "./words.ts";
import type { AskedWorld, Finding } from "./world.ts";

export function streamArrival(asked: AskedStream, decision: StreamDecision, world: AskedWorld): Arrival {
  const { protocol, place, name, owner, certificates, targets, refused } = decision;
  const certificate =
    certificates === undefined
      ? undefined
      : shown(pairsFor(name, certificates, world.served.certificates), asked, world);
  const services = targets.map(({ service }) => ({ kind: "Service", ...partsOf(service) }));
  const owners = owner !== undefined ? [owner] : place.kind === "gateway" ? place.owners : [];
  const problems = problemsOf(world.findings, [...owners, ...services]).filter(
    ({ problem }) => place.kind !== "config-map" || isAbout(problem, asked),
  );
  const changes = owner === undefined ? mistakenAt(asked, world) : [];
  const host = name === "" ? catchAll : name;
  const how = name === "" ? "nothing else" : name.startsWith("*.") ? "wildcard" : "name";
  const route = owner === undefined ? {} : { route: { owner, host, path: "", match: "name", when: "" } as const };
  return {
    ...(place.kind === "gateway" ? { listener: listenerOf(place, name) } : {}),
    host: { name: host, by: host, how },
    stream: protocol,
    lost: [],
    ...route,
    guards: [],
    backends: targets.map(backendOf),
    ...(certificate === undefined ? {} : { certificate }),
    settings: [],
    problems: problems.map(askedProblem),
    end: refused === undefined ? { kind: "proxied", standsIn: false } : { kind: "refused", why: refused },
    errorPages: [],
    changes,
    steps: [...stepsOf(decision, certificate, problems), ...changeSteps(changes)],
  };
}

type AtGateway = Extract<StreamDecision["place"], { readonly kind: "gateway" }>;

function listenerOf({ gateway, listener = "", address, listenPort }: AtGateway, hostname: string) {
  const name = listener.startsWith(`${gateway}/`) ? listener.slice(gateway.length + 1) : listener;
  return { gateway, name, hostname, port: listenPort, ...(address === undefined ? {} : { address }) };
}

function partsOf(service: string) {
  const [namespace = "", name = ""] = service.replace(/:[^:]*$/, "").split("/");
  return { namespace, name };
}

function backendOf({ service, share, endpoints }: StreamTarget): AskedBackend {
  const at = service.lastIndexOf(":");
  const of = { service: service.slice(0, Math.max(at, 0)), port: service.slice(at + 1) };
  const none = service === "" ? { unusable: "its Service cannot be used" } : {};
  return { ...of, share, endpoints: endpoints.map(addressWithPort), ...none };
}

function shown([first]: readonly string[], { host }: AskedStream, { served }: AskedWorld): AskedCertificate {
  const found = certificateOf(first, served, host);
  return found ?? { names: [], fits: false, why: "none can be used, so the handshake ends" };
}

const transports = { tcp: "TCP", udp: "UDP", tls: "TLS" } as const;

function stepsOf(
  decision: StreamDecision,
  certificate: AskedCertificate | undefined,
  problems: readonly Finding[],
): readonly AskedStep[] {
  const { protocol, place, name, owner, targets, refused } = decision;
  const whose = owner === undefined ? "none" : named(owner);
  return [
    ...placeSteps(decision),
    ...(protocol === "tls" ? [step("certificate", certificateWords(certificate))] : []),
    ...(place.kind === "gateway" ? [step("route", `${whose}, for ${name || "all names"}`)] : []),
    ...targets.map((target) => step("backend", backendWords(target, targets.length === 1, protocol))),
    ...problems.map(problemStep),
    step("answer", refused === undefined ? answerWords(decision) : `refused: ${refused}`),
  ];
}

function placeSteps({ place, protocol, name, owner }: StreamDecision): AskedStep[] {
  const whose = owner === undefined ? "no object" : named(owner);
  if (place.kind === "config-map") return [step("port", `${transports[protocol]}, opened by ${whose}`)];
  if (place.kind === "passthrough")
    return [step("host", `${name}, whose TLS passes through (ssl-passthrough of ${whose})`)];
  const { listener } = place;
  return [gatewayStep({ ...place, protocol }), ...(listener === undefined ? [] : [step("listener", listener)])];
}

function gatewayStep({
  owners,
  address = "all addresses",
  protocol,
  listenPort,
}: Pick<GatewayStream, "owners" | "address" | "protocol" | "listenPort">): AskedStep {
  return step("gateway", `${owners.map(named).join(", ")}, on ${address}, ${transports[protocol]} port ${listenPort}`);
}

function certificateWords(certificate: AskedCertificate | undefined): string {
  if (certificate === undefined) return "that of the backend, because TLS passes through";
  const { secret, names, expires = "", fits, why = "" } = certificate;
  if (secret === undefined) return why;
  const misfit = fits ? "" : "; the name is not among them";
  return `Secret ${secret}, for ${names.join(", ")}, until ${expires.slice(0, 10)}${misfit}`;
}

function backendWords({ service, share, endpoints, tls }: StreamTarget, isOnly: boolean, protocol: string): string {
  const what = protocol === "udp" ? "clients" : "connections";
  const part = isOnly ? "" : `, ${percent(share)} of the ${what}`;
  const to = service === "" ? "no Service" : `Service ${service.replace(/:([^:]*)$/, ", port $1")}`;
  if (endpoints.length === 0) return `${to}${part}: refused, no endpoint is ready`;
  const checked = tls === undefined ? "" : `, over TLS with a certificate for ${tls}`;
  return `${to}${part}: ${someOf(endpoints.map(addressWithPort))}${checked}`;
}

function answerWords({ targets }: StreamDecision): string {
  const count = targets.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
  return count === 1 ? "that of the endpoint" : `that of one of ${count} endpoints`;
}

/** Returns the arrival of a connection that no stream takes. */
export function untaken(asked: AskedStream, world: AskedWorld): Arrival {
  const { served, decide, findings } = world;
  const { protocol, host, port } = asked;
  const names = protocol === "udp" ? [] : namesOnPort(served.streams, port, decide.ports);
  const others = streamPorts(served.streams);
  const kind = protocol === "udp" ? "UDP" : "TCP";
  const [why, change] =
    names.length > 0
      ? [`port ${port} takes TLS for other names`, `listeners and routes there have ${someOf(names)}; add ${host}`]
      : [`no stream has ${kind} port ${port}`, `streams have ${others.length === 0 ? "no port" : someOf(others)}`];
  const maps = protocol === "udp" ? world.options.udpServicesConfigMap : world.options.tcpServicesConfigMap;
  const problems = findings.filter(
    ({ problem }) => `${problem.object.namespace}/${problem.object.name}` === maps && isAbout(problem, asked),
  );
  const changes = [...mistakenAt(asked, world), change];
  const steps = [...problems.map(problemStep), step("answer", `refused: ${why}`), ...changeSteps(changes)];
  const empty = { lost: [], guards: [], backends: [], settings: [], errorPages: [] };
  const end = { kind: "refused", why } as const;
  return { ...empty, problems: problems.map(askedProblem), changes, end, steps };
}

/** Returns the arrival of a TLS connection whose name no listener of the stream takes. */
export function closedArrival(stream: GatewayStream, asked: AskedStream, world: AskedWorld): Arrival {
  const { host, port } = asked;
  const names = stream.hosts.map(({ hostname }) => hostname).sort();
  const isNamed = isIP(host) === 0;
  const taken = isNamed ? `the name ${host}` : "clients that send no name, as for an address";
  const why = `no TLS listener of port ${port} takes ${taken}, so the connection is closed`;
  const mending = isNamed ? `add ${host}` : "ask for one of these names";
  const changes = [...mistakenAt(asked, world), `listeners and routes there have ${someOf(names)}; ${mending}`];
  const steps = [gatewayStep(stream), step("answer", `refused: ${why}`), ...changeSteps(changes)];
  const empty = { lost: [], guards: [], backends: [], settings: [], problems: [], errorPages: [] };
  return { ...empty, changes, end: { kind: "refused", why }, steps };
}

/** Whether a ConfigMap's Problem is about this port. */
function isAbout(problem: Problem, { port }: AskedStream): boolean {
  return problem.object.kind === "ConfigMap" && "field" in problem && problem.field === `data.${port}`;
}
