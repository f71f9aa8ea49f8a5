/**
 * Finds the ports and addresses of a Gateway in the record and its Service. nginx listens on target
 * ports as soon as the record has them. The addresses are those of the Service.
 */
import type { Gateway, GatewayAddress } from "../../../model/gateway/objects.ts";
import { isServiceOf, portKey } from "../../../model/gateway/services.ts";
import type { Service } from "../../../model/objects.ts";
import type { ObjectName, Problem } from "../../../model/problem.ts";
import type { GatewayOptions } from "../../../table/options.ts";
import { type Assignment, unsupportedType } from "../addresses.ts";
import type { GatewayReading } from "../reading.ts";
import { portsOf } from "./desired.ts";
import { serviceNameOf } from "./names.ts";

export interface ServiceWorld {
  readonly service: (key: string) => Service | undefined;
  /** The key of the Gateway. */
  readonly targets: Readonly<Record<string, number>>;
  readonly isExhausted: boolean;
  readonly options: GatewayOptions;
}

export function serviceAssignment(reading: GatewayReading, world: ServiceWorld): Assignment {
  const { gateway } = reading;
  const { targets, options } = world;
  const { namespace = "default", name } = gateway.metadata;
  const object = { kind: "Gateway", namespace, name };
  const unsupported = unsupportedType(gateway, object);
  const key = `${namespace}/${serviceNameOf(gateway)}`;
  const service = world.service(key);
  const base = { addresses: [], unsupported };
  if (service !== undefined && !isServiceOf(service, gateway, options.controllerName)) {
    const why = `Service ${key} exists and was not made for this Gateway`;
    const problem = fault(
      object,
      "claim-lost",
      "metadata.name",
      why,
      "it is left alone, and the Gateway has no address",
    );
    return {
      ...base,
      own: { targets, addresses: [] },
      lacking: { reason: "AddressNotAssigned", problem },
    };
  }
  const own = { targets, addresses: service === undefined ? [] : addressesOf(service) };
  // Missing ports of ListenerSets are reported in their own statuses, and do not affect the
  // Gateway's condition Programmed.
  const without = portsOf({ ...reading, sets: [] }).filter((port) => targets[portKey(port)] === undefined);
  if (without.length > 0 && world.isExhausted) {
    const { length } = options.services?.ports ?? [];
    const why = `all ${length} ports of --gateway-service-ports are in use, or were until less than ten minutes ago`;
    const done = `clients do not reach port ${without.map(({ port }) => port).join(", ")}`;
    const problem = fault(object, "limit-exceeded", "spec.listeners", why, done);
    return { ...base, own, lacking: { reason: "NoResources", problem } };
  }
  const waiting = without.length > 0 ? "a port of nginx" : own.addresses.length === 0 ? "an address" : undefined;
  return {
    ...base,
    own,
    lacking: undefined,
    ...(waiting === undefined ? {} : { waiting: `the Service ${key} waits for ${waiting}` }),
  };
}

/**
 * Whether the Gateway requests an address by value. Only the pool has such addresses, and it
 * refuses all others.
 */
export function asksForPool({ spec }: Gateway): boolean {
  return (spec?.addresses ?? []).some(({ type = "IPAddress", value = "" }) => type === "IPAddress" && value !== "");
}

function addressesOf(service: Service): readonly GatewayAddress[] {
  const { type = "ClusterIP", clusterIP = "", clusterIPs = [clusterIP] } = service.spec ?? {};
  if (type !== "LoadBalancer") {
    return clusterIPs.filter((ip) => ip !== "" && ip !== "None").map((value) => ({ type: "IPAddress", value }));
  }
  return (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }): GatewayAddress[] => {
    if (ip) return [{ type: "IPAddress", value: ip }];
    return hostname ? [{ type: "Hostname", value: hostname }] : [];
  });
}

function fault(
  object: ObjectName,
  kind: "claim-lost" | "limit-exceeded",
  field: string,
  why: string,
  done: string,
): Problem {
  return { object, kind, field, why, done };
}
