/**
 * Finds out where a Gateway requests client certificates: for all HTTPS listeners, or for those of
 * a port.
 */
import type { ClientTLS, Gateway, GatewayListener, ObjectReference } from "../../../model/gateway/objects.ts";
import type { ConfigMap } from "../../../model/objects.ts";
import { own } from "../../../model/own.ts";

export interface AskedClients {
  /** `spec.tls.frontend.default` or `spec.tls.frontend.perPort[0].tls`. */
  readonly field: string;
  readonly references: readonly ObjectReference[];
  /** The mode as written; empty for the default. */
  readonly mode: string;
  readonly lenient: boolean;
}

const modes: Readonly<Record<string, { readonly lenient: boolean }>> = {
  "": { lenient: false },
  AllowValidOnly: { lenient: false },
  AllowInsecureFallback: { lenient: true },
};

/**
 * Returns the validation of clients on a port; undefined if there is none. An entry for the port
 * replaces the default, even if it is empty.
 */
export function askedClients({ spec }: Gateway, port: number): AskedClients | undefined {
  const { frontend } = spec?.tls ?? {};
  const own = frontend?.perPort?.findIndex((one) => one.port === port) ?? -1;
  return own >= 0
    ? askedBy(frontend?.perPort?.[own]?.tls, `spec.tls.frontend.perPort[${own}].tls`)
    : askedBy(frontend?.default, "spec.tls.frontend.default");
}

/** Whether the mode is one of the Gateway API. */
export function isKnownMode({ mode }: AskedClients): boolean {
  return own(modes, mode) !== undefined;
}

/** Returns the fields that let in clients without a valid certificate. */
export function lenientFields({ spec }: Gateway): readonly string[] {
  const { frontend } = spec?.tls ?? {};
  const all = [
    askedBy(frontend?.default, "spec.tls.frontend.default"),
    ...(frontend?.perPort ?? []).map(({ tls }, at) => askedBy(tls, `spec.tls.frontend.perPort[${at}].tls`)),
  ];
  return all.flatMap((one) => (one?.lenient === true ? one.field : []));
}

/** What happens if nginx would load too many authorities. */
export const unservedListeners = "the listeners that ask for client certificates are not served";

/**
 * Returns the bytes of the authorities that nginx loads for the clients of these listeners, once
 * for each port. They may be the listeners of a ListenerSet of the Gateway.
 */
export function bytesLoaded(
  gateway: Gateway,
  listeners: readonly GatewayListener[],
  configMap: (key: string) => ConfigMap | undefined,
): number {
  const { namespace: home = "default" } = gateway.metadata;
  const ports = new Set(listeners.flatMap(({ protocol, port }) => (protocol === "HTTPS" ? port : [])));
  const asked = [...ports].flatMap((port) => askedClients(gateway, port)?.references ?? []);
  return asked.reduce(
    (sum, { namespace = home, name }) => sum + (configMap(`${namespace}/${name}`)?.data?.["ca.crt"]?.length ?? 0),
    0,
  );
}

function askedBy(tls: ClientTLS | undefined, field: string): AskedClients | undefined {
  const { validation } = tls ?? {};
  if (validation === undefined) return undefined;
  const { mode = "", caCertificateRefs = [] } = validation;
  return { field, references: caCertificateRefs, mode, lenient: own(modes, mode)?.lenient === true };
}

/**
 * Returns the ConfigMaps that a Gateway names for its clients, as `namespace/name`, whether or not
 * a listener needs them.
 */
export function authoritiesNamed({ metadata, spec }: Gateway): readonly string[] {
  const { namespace: home = "default" } = metadata;
  const { frontend } = spec?.tls ?? {};
  const all = [frontend?.default, ...(frontend?.perPort ?? []).map(({ tls }) => tls)];
  const named = all.flatMap((one) => one?.validation?.caCertificateRefs ?? []);
  return [...new Set(named.map(({ namespace = home, name }) => `${namespace}/${name}`))];
}
