/**
 * Finds the Endpoints behind one port of one Service (RS-9). An endpoint counts unless its ready
 * condition is false. One that is terminating but still serving counts only while no other is
 * ready, so a rollout never empties an Upstream.
 */
import { isIP } from "node:net";
import { whyNotAsked, whyNotHost } from "../../kinds/asked.ts";
import type { Endpoint } from "../../model/configuration.ts";
import type { EndpointSlice, Service, ServicePort } from "../../model/objects.ts";
import type { Table } from "../../model/table.ts";
import type { TranslateOptions } from "../options.ts";

export interface EndpointsQuestion {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  /** The port's number or name, as its owner wrote it. */
  readonly port: string;
  /** The port itself, if it is known already. */
  readonly declared?: ServicePort;
  /** Whether requests go to the Service's own address instead of its endpoints (RS-9.7). */
  readonly serviceUpstream: boolean;
  /** `TCP` for everything but UDP services. */
  readonly protocol: string;
  /** Addresses of ExternalName hosts. */
  readonly addresses: Table<readonly string[]>;
}

export type EndpointsAnswer =
  | {
      readonly kind: "endpoints";
      readonly endpoints: readonly Endpoint[];
      /** The number of endpoints that were read, only if there were more. */
      readonly most?: number;
    }
  | { readonly kind: "no-port" }
  | { readonly kind: "unusable"; readonly why: string };

export function endpointsOf(question: EndpointsQuestion, options: TranslateOptions): EndpointsAnswer {
  const { service, serviceUpstream } = question;
  if (service.spec?.type === "ExternalName") return externalEndpoints(question, options);
  const port = question.declared ?? servicePortOf(service, question.port);
  if (port === undefined) return { kind: "no-port" };
  const clusterIP = service.spec?.clusterIP ?? "";
  if (serviceUpstream && isIP(clusterIP) !== 0) {
    const why = whyNotAsked(clusterIP, port.port, options.asked);
    return why === undefined
      ? endpoints([{ address: clusterIP, port: port.port }])
      : { kind: "unusable", why: `its cluster IP is not asked: ${why}` };
  }
  const { found, most } = fromSlices(question, port, options);
  return { kind: "endpoints", endpoints: sorted(found), ...(most === undefined ? {} : { most }) };
}

/**
 * An EndpointSlice may have 20,000 ports, and each of its addresses is an endpoint on each of them:
 * one object can hold 300 million. So the number of pairs is limited for each port and for all
 * ports of a Service, but each port gets some.
 */
const [mostPairs, mostOfService, someOfPort] = [10_000, 100_000, 100];

function mostPairsOf({ spec }: Service): number {
  const fair = Math.floor(mostOfService / Math.max(1, spec?.ports?.length ?? 1));
  return Math.max(someOfPort, Math.min(mostPairs, fair));
}

/**
 * Returns the first TCP port whose number, target port or name equals the reference (RS-9.2). HTTP
 * does not run over UDP.
 */
export function servicePortOf({ spec }: Service, reference: string): ServicePort | undefined {
  return spec?.ports?.find(({ port, targetPort, name, protocol = "TCP" }) => {
    const isMeant = String(port) === reference || String(targetPort ?? "") === reference || (name ?? "") === reference;
    return isMeant && protocol === "TCP";
  });
}

/** The most ports of a Service that a message lists. */
const mostListed = 8;

/** Lists the ports of a Service for people: numbers, with names in brackets. */
export function portsInWords({ spec }: Service): string {
  const all = spec?.ports ?? [];
  const words = all.slice(0, mostListed).map(({ port, name, protocol = "TCP" }) => {
    const notes = [...(name ? [name] : []), ...(protocol === "TCP" ? [] : [protocol])];
    return notes.length === 0 ? String(port) : `${port} (${notes.join(", ")})`;
  });
  const more = all.length > mostListed ? ` and ${all.length - mostListed} more` : "";
  return `${words.join(", ") || "none"}${more}`;
}

interface FromSlices {
  readonly found: readonly Endpoint[];
  /** Given only if there were more. */
  readonly most?: number;
}

/**
 * Yields each address with each port of its slice, in order, one by one, because all of them may
 * exceed the memory.
 */
function fromSlices(
  { service, slices, protocol }: EndpointsQuestion,
  port: ServicePort,
  options: TranslateOptions,
): FromSlices {
  const ready: Endpoint[] = [];
  const draining: Endpoint[] = [];
  const found = () => (ready.length > 0 ? ready : draining);
  const most = mostPairsOf(service);
  let looked = 0;
  for (const slice of slices) {
    if (slice.addressType === "FQDN") continue;
    const numbers = slicePorts(slice, port, protocol);
    const zone = hintedZone(slice, options.zone);
    for (const { addresses, conditions, hints } of slice.endpoints ?? []) {
      if (zone !== undefined && hints?.forZones?.some(({ name }) => name === zone) !== true) continue;
      const isReady = conditions?.ready !== false;
      if (!isReady && !isDraining(conditions)) continue;
      for (const address of addresses) {
        for (const number of numbers) {
          if (looked++ >= most) return { found: found(), most };
          if (whyNotAsked(address, number, options.asked) !== undefined) continue;
          (isReady ? ready : draining).push({ address, port: number });
        }
      }
    }
  }
  return { found: found() };
}

function isDraining(conditions: { readonly serving?: boolean; readonly terminating?: boolean } | undefined): boolean {
  return conditions?.terminating === true && conditions.serving === true;
}

/**
 * Returns the ports of a slice that belong to the port of a Service: those of its name, all if
 * it has no name, or else its numeric target port (RS-9.3). A slice whose ports are all of another
 * protocol has none.
 */
function slicePorts(
  { ports = [] }: EndpointSlice,
  { name = "", targetPort, port }: ServicePort,
  protocol: string,
): number[] {
  const fallback =
    typeof targetPort === "number" ? targetPort : /^\d+$/.test(targetPort ?? "") ? Number(targetPort) : undefined;
  if (ports.length === 0) return [fallback ?? port];
  const found: number[] = [];
  let ofProtocol = false;
  for (const one of ports) {
    if ((one.protocol ?? "TCP") !== protocol) continue;
    ofProtocol = true;
    if ((name === "" || (one.name ?? "") === name) && one.port !== undefined) found.push(one.port);
  }
  return found.length > 0 || fallback === undefined || !ofProtocol ? found : [fallback];
}

/**
 * Returns the zone to prefer, if every endpoint of the slice has hints and some are for it
 * (RS-9.13).
 */
function hintedZone({ endpoints = [] }: EndpointSlice, zone: string | undefined): string | undefined {
  if (zone === undefined || endpoints.length === 0) return undefined;
  const hinted = endpoints.every(({ hints }) => (hints?.forZones?.length ?? 0) > 0);
  const ours = endpoints.some(({ hints }) => hints?.forZones?.some(({ name }) => name === zone) === true);
  return hinted && ours ? zone : undefined;
}

/**
 * Returns the addresses of the name (RS-9.5), on the target port of the Service's port, or on the
 * number in the reference if the Service has no such port. An IP literal is used as it is
 * (ingress-nginx has no peer then, RS-9.6).
 */
function externalEndpoints(
  { service, port, addresses }: EndpointsQuestion,
  options: TranslateOptions,
): EndpointsAnswer {
  if (options.disableSvcExternalName) return { kind: "unusable", why: "ExternalName Services are disabled by a flag" };
  const name = (service.spec?.externalName ?? "").toLowerCase();
  const bare = name.replace(/\.$/, "");
  if (isIP(bare) === 0 && !isDnsName(bare)) return { kind: "unusable", why: `externalName ${name} is not a DNS name` };
  const declared = servicePortOf(service, port);
  const target = Number(declared === undefined ? port : (declared.targetPort ?? declared.port));
  if (!Number.isInteger(target)) return { kind: "no-port" };
  const why = whyNotHost(bare, target, options.asked);
  if (why !== undefined) return { kind: "unusable", why: `externalName ${name} is not asked: ${why}` };
  const found = isIP(bare) !== 0 ? [bare] : addresses.get(name);
  if (found?.length === 0) return { kind: "unusable", why: `externalName ${name} has no address` };
  const refusals = (found ?? []).map((address) => whyNotAsked(address, target, options.asked));
  const usable = (found ?? []).filter((_, at) => refusals[at] === undefined);
  if (found !== undefined && usable.length === 0)
    return { kind: "unusable", why: `externalName ${name} is not asked: ${refusals[0]}` };
  return endpoints(usable.map((address) => ({ address, port: target })));
}

function isDnsName(name: string): boolean {
  return (
    name.length <= 253 &&
    /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/.test(name)
  );
}

const endpoints = (found: readonly Endpoint[]): EndpointsAnswer => ({ kind: "endpoints", endpoints: sorted(found) });

/** Sorts endpoints and removes duplicates, so that equal clusters give equal Upstreams. */
function sorted(found: readonly Endpoint[]): readonly Endpoint[] {
  // It is kept, and a list that grew keeps room for sixteen more.
  if (found.length < 2) return found.slice();
  const byText = new Map(found.map((endpoint) => [`${endpoint.address} ${endpoint.port}`, endpoint]));
  return [...byText.keys()].sort().map((text) => byText.get(text)!);
}
