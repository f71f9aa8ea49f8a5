/** Computes the Service that a Gateway should have. */
import { allowsKey } from "../../../kinds/gateway/metadata-prefixes.ts";
import type { Gateway } from "../../../model/gateway/objects.ts";
import {
  controllerAnnotation,
  copiedAnnotation,
  type DesiredService,
  type DesiredServicePort,
  portKey,
  type ServiceParameters,
  type TransportProtocol,
} from "../../../model/gateway/services.ts";
import type { ObjectName, Problem } from "../../../model/problem.ts";
import type { GatewayOptions } from "../../../table/options.ts";
import { allListeners, type GatewayReading, isUsable } from "../reading.ts";
import { serviceLabels, serviceNameOf } from "./names.ts";

type Prefixed = NonNullable<GatewayOptions["services"]>;

/** Returns undefined while the Gateway is being deleted, because its Service is deleted with it. */
export function desiredService(
  reading: GatewayReading,
  parameters: ServiceParameters | undefined,
  { controllerName, services }: GatewayOptions,
): DesiredService | undefined {
  if (services === undefined || reading.present.metadata.deletionTimestamp !== undefined) return undefined;
  const { gateway } = reading;
  const { labels = {}, annotations = {} } = gateway.spec?.infrastructure ?? {};
  const copied = { labels: allowed(labels, services), annotations: allowed(annotations, services) };
  const keys = Object.values(copied).map((some) => Object.keys(some).sort());
  return {
    name: serviceNameOf(gateway),
    ports: portsOf(reading),
    // Sluice's own entries come last, so that copied ones cannot override them.
    labels: { ...copied.labels, ...serviceLabels(gateway) },
    annotations: {
      ...copied.annotations,
      [controllerAnnotation]: controllerName,
      [copiedAnnotation]: keys.map((some) => some.join(",")).join(";"),
    },
    parameters,
  };
}

/**
 * Returns the ports on which listeners of the Gateway and its sets can be served, each once, in
 * their order.
 */
export function portsOf(reading: GatewayReading): readonly DesiredServicePort[] {
  const ports = allListeners(reading)
    .filter(isUsable)
    .map(({ listener: { port, protocol } }): DesiredServicePort => {
      const transport = transportOf(protocol);
      return { name: `${transport === "UDP" ? "udp" : "port"}-${port}`, port, protocol: transport };
    });
  const byKey = new Map(ports.map((one) => [portKey(one), one]));
  return [...byKey.values()].sort((one, other) => one.port - other.port || (one.name < other.name ? -1 : 1));
}

export function transportOf(protocol: string): TransportProtocol {
  return protocol === "UDP" ? "UDP" : "TCP";
}

/** Returns Problems about labels and annotations of `spec.infrastructure` that are not copied. */
export function uncopied({ spec }: Gateway, object: ObjectName, services: Prefixed): readonly Problem[] {
  const infrastructure = spec?.infrastructure ?? {};
  return (["labels", "annotations"] as const).flatMap((part): Problem[] => {
    const strange = Object.keys(infrastructure[part] ?? {}).filter((key) => !allowsKey(services.prefixes, key));
    if (strange.length === 0) return [];
    const why = `${strange.join(", ")} ${strange.length === 1 ? "has" : "have"} no prefix of --gateway-metadata-prefixes`;
    const done = `${strange.length === 1 ? "it is" : "they are"} not copied to the Service`;
    return [{ object, kind: "field-doubtful", field: `spec.infrastructure.${part}`, why: `${why}; ${done}` }];
  });
}

function allowed(all: Readonly<Record<string, string>>, { prefixes }: Prefixed): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => allowsKey(prefixes, key)));
}
