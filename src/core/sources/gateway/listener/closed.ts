/**
 * Finds what closes a listener: fields that are, or may be, guards and that Sluice does not serve.
 * A closed listener keeps its hostname, because a route that belongs to a listener with a wider
 * hostname too would otherwise be served there without the guard.
 */
import type { ListenerSet } from "../../../model/gateway/listener-set.ts";
import type { Gateway, GatewayListener } from "../../../model/gateway/objects.ts";
import { isMapping } from "../../../model/mapping.ts";
import type { Owner } from "../../../model/owner.ts";
import type { Problem } from "../../../model/problem.ts";
import { isBelow, isFilled, strange, type UnknownField, unknownIn } from "../../../table/unknown-fields.ts";
import type { Fault } from "../conditions.ts";

export const listenersKey = "spec.listeners";
/** Decides which sets may attach, and no listener of the Gateway itself stands on it. */
const forSets = "spec.allowedListeners";
const forClients = "spec.tls.frontend";

const done = "the listener is not served";

/** Returns the reason why the listener is closed; undefined if it is not. */
export function closedBy(owner: Owner, source: Gateway | ListenerSet, at: number, gateway: Gateway): Fault | undefined {
  const listener = source.spec!.listeners![at]!;
  const field = `${listenersKey}[${at}]`;
  return (
    unservedFilters(owner, listener, field) ??
    unservedTls(owner, listener, field) ??
    unknownGuard(owner, source, field, gateway, listener) ??
    unservedAddress(owner, gateway)
  );
}

function unservedFilters(object: Owner, { filters }: GatewayListener, field: string): Fault | undefined {
  const requests = filters?.requests ?? [];
  if (requests.length === 0) return undefined;
  const [first] = requests;
  const type = isMapping(first) && typeof first.type === "string" ? `${first.type} ` : "";
  return fault(object, `${field}.filters.requests[0]`, `Sluice serves no filters of listeners, and ${type.trim()}`);
}

function unservedTls(object: Owner, { protocol, tls }: GatewayListener, field: string): Fault | undefined {
  const options = Object.keys(tls?.options ?? {});
  if (options.length > 0) {
    const one =
      options.length === 1
        ? "is not an option that Sluice knows, and it"
        : "are not options that Sluice knows, and they";
    return fault(object, `${field}.tls.options`, `${options.join(", ")} ${one}`);
  }
  if (!["HTTP", "TCP", "UDP"].includes(protocol) || !isFilled(tls)) return undefined;
  return unsupported(object, `${field}.tls`, `protocol ${protocol} has no TLS`);
}

function unknownGuard(
  owner: Owner,
  source: Gateway | ListenerSet,
  field: string,
  gateway: Gateway,
  listener: GatewayListener,
): Fault | undefined {
  const own = unknownIn(source).find((one) => one.mayGuard && isFor(one, field, source, listener));
  if (own !== undefined) return fault(owner, own.field);
  if (source === gateway) return undefined;
  const ofGateway = unknownIn(gateway).find((one) => one.mayGuard && isFor(one, undefined, gateway, listener));
  if (ofGateway === undefined) return undefined;
  const { namespace, name } = gateway.metadata;
  return fault(
    owner,
    "spec.parentRef",
    `Gateway ${namespace}/${name} has ${ofGateway.field}, which ${strange}, and it`,
  );
}

/**
 * Whether the listener stands on the field. `own` is the listener's own field in the object;
 * undefined for a listener of another object.
 */
function isFor(
  { field }: UnknownField,
  own: string | undefined,
  { spec }: Gateway | ListenerSet,
  { port, protocol }: GatewayListener,
): boolean {
  if (isBelow(field, listenersKey)) return own !== undefined && isBelow(field, own);
  if (isBelow(field, forSets)) return false;
  if (!isBelow(field, forClients)) return true;
  const perPort = (spec as Gateway["spec"])?.tls?.frontend?.perPort ?? [];
  const of = perPort.findIndex((_, at) => isBelow(field, `${forClients}.perPort[${at}]`));
  return (protocol === "HTTPS" || protocol === "TLS") && (of < 0 || perPort[of]!.port === port);
}

/**
 * Returns fields by which the Gateway may restrict its ListenerSets in a way that Sluice does not
 * know. If there is one, no set is attached.
 */
export function guardsOfSets(gateway: Gateway): readonly UnknownField[] {
  return unknownIn(gateway).filter(({ field, mayGuard }) => mayGuard && isBelow(field, forSets));
}

/** Returns the unknown fields that are no guards. */
export function ignoredFields(source: Gateway | ListenerSet): readonly UnknownField[] {
  return unknownIn(source).filter(({ mayGuard }) => !mayGuard);
}

/** An address with a routability is meant to be reachable from some clients alone. */
function unservedAddress(object: Owner, { spec, metadata }: Gateway): Fault | undefined {
  const at = unservedRoutability(spec);
  if (at < 0) return undefined;
  const field = `spec.addresses[${at}].routability`;
  const not = "is not served, and decides who can reach the Gateway";
  if (object.kind === "Gateway") return unsupported(object, field, not);
  return unsupported(
    object,
    "spec.parentRef",
    `Gateway ${metadata.namespace}/${metadata.name} has ${field}, which ${not}`,
  );
}

export function unservedRoutability(spec: Gateway["spec"]): number {
  return spec?.addresses?.findIndex(({ routability = "" }) => routability !== "") ?? -1;
}

function fault(object: Owner, field: string, what?: string): Fault {
  const problem: Problem = { object, kind: "guard-unknown", field, ...(what === undefined ? {} : { what }), done };
  return { reason: "UnsupportedValue", problem, keepsHosts: true };
}

function unsupported(object: Owner, field: string, why: string): Fault {
  const problem: Problem = { object, kind: "value-unsupported", field, why, done };
  return { reason: "UnsupportedValue", problem, keepsHosts: true };
}
