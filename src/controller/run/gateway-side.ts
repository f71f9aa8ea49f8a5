/**
 * The controller's work for the Gateway API beside the Snapshot: it writes the statuses, and a few
 * lines of log.
 */

import type { Clock } from "../../base/timing/clock.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import { tableOf } from "../../core/model/snapshot.ts";
import { unknownVersions } from "../../core/sources/gateway/versions.ts";
import type { Listener } from "../../core/sync/ports.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import type { Cluster } from "../../edges/cluster/cluster.ts";
import type { ServedKinds } from "../../edges/cluster/gateway-kinds.ts";
import type { Watch } from "../../edges/cluster/watches.ts";
import { GatewayServices } from "../../edges/gateway-services/keep.ts";
import type { OwnPods } from "../../edges/gateway-services/own-pods.ts";
import type { ServiceReason } from "../../edges/gateway-services/world.ts";
import type { Log } from "../../edges/log/log.ts";
import type { RuntimeMetrics } from "../../edges/metrics/runtime-metrics.ts";
import { type GatewayStatusEvent, GatewayStatuses } from "../../edges/status/gateway/keeper.ts";
import type { Client, Term } from "../../kube/index.ts";

export interface GatewaySideOptions {
  readonly client: Client;
  readonly accept: TranslateOptions;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly metrics: Pick<RuntimeMetrics, "queued" | "statusWritten" | "gateways" | "reflected">;
  /** Returns the cluster. It is called only after the start. */
  readonly cluster: () => Pick<Cluster, "object" | "snapshot" | "onChange">;
  readonly say: (about: KubernetesObject, type: "Normal" | "Warning", reason: ServiceReason, message: string) => void;
}

export interface GatewaySide {
  readonly statuses: Required<Listener>["statuses"];
  readonly addressesOf: GatewayStatuses["addressesOf"];
  readonly foundIngressAddresses: GatewayStatuses["foundIngressAddresses"];
  /** Reports that an object of an optional kind has changed, in its status or elsewhere. */
  changed(kind: string, key: string): void;
  /**
   * Writes statuses, and Services of Gateways if they are turned on, as long as this process leads.
   */
  keep(term: Term, stop: AbortSignal, own: OwnPods): Promise<void>;
}

export function openGatewaySide(options: GatewaySideOptions): GatewaySide {
  const { client, accept, clock, log, metrics, cluster } = options;
  const logged = statusLog(log);
  const statuses = new GatewayStatuses({
    client,
    controllerName: accept.gateway.controllerName,
    newest: (kind, key) => cluster().object(kind, key),
    *routes() {
      const snapshot = cluster().snapshot();
      for (const kind of ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"] as const) {
        for (const key of snapshot[tableOf[kind]].keys()) yield [kind, key];
      }
    },
    clock,
    report: (event) => {
      logged(event);
      metrics.statusWritten(event);
    },
    queued: (event) => metrics.queued("gateway-status", event),
  });
  metrics.gateways(() => statuses.figures);
  const services = openServices(options);
  return {
    statuses: (wanted, progress) => {
      statuses.take(wanted, progress);
      if (progress === "made") services?.take(wanted);
    },
    addressesOf: (gateway) => statuses.addressesOf(gateway),
    foundIngressAddresses: (addresses) => statuses.foundIngressAddresses(addresses),
    changed: (kind, key) => statuses.changed(kind, key),
    keep: async (term, stop, own) => {
      await Promise.all([statuses.keep(term, stop), services?.keep(term, stop, own)]);
    },
  };
}

/** Makes the keeper of Gateways' Services; undefined if no Gateway gets a Service of its own. */
function openServices(options: GatewaySideOptions): GatewayServices | undefined {
  const { client, accept, clock, random, log, metrics, cluster, say } = options;
  const { controllerName, services } = accept.gateway;
  if (services === undefined) return undefined;
  const failing = new Map<string, string>();
  return new GatewayServices({
    ...{ client, controllerName, clock, random, say },
    ports: services.ports,
    record: services.record,
    snapshot: () => cluster().snapshot(),
    newest: (kind, key) => cluster().object(kind, key),
    onChange: (listener) => cluster().onChange(listener),
    watched: (event) => {
      metrics.reflected("pods", event);
      if (event.kind !== "failed" || !event.denied) return;
      const why = event.failure.message;
      log.warn({ why }, "the Pods of the controller cannot be watched, so EndpointSlices of Gateways stay as they are");
    },
    failed: (object, { message }) => {
      if (failing.get(object) === message) return;
      failing.set(object, message);
      log.warn({ object, why: message }, "the Service of a Gateway cannot be written; trying again");
    },
    queued: (event) => metrics.queued("gateway-services", event),
  });
}

/** Logs a status that cannot be written: once for each reason, until the status is written. */
function statusLog(log: Log): (event: GatewayStatusEvent) => void {
  const failing = new Map<string, string>();
  return (event) => {
    const { object } = event;
    if (event.kind === "written") {
      failing.delete(object);
      log.debug({ object }, "a status was written");
      return;
    }
    const { message } = event.failure;
    // The API server's sentence names the object, but a missing right is the same reason for all
    // objects.
    const reason = event.failure.code === 403 ? "a right is missing" : `${object}: ${message}`;
    if ([...failing.values()].includes(reason)) return;
    failing.set(object, reason);
    log.warn({ object, why: message }, "the status of an object of the Gateway API cannot be written; trying again");
  };
}

/** Logs one line when kinds of the Gateway API appear, and one when they disappear. */
export function kindsLog(log: Log): (kinds: ServedKinds) => void {
  let before: ServedKinds = { served: [], outdated: [] };
  let unknownBefore: string | undefined;
  const named = ({ served }: ServedKinds) => served.map(({ kind }) => kind);
  return (kinds) => {
    const come = named(kinds).filter((kind) => !named(before).includes(kind));
    const gone = named(before).filter((kind) => !named(kinds).includes(kind));
    const old = kinds.outdated.filter((kind) => !before.outdated.includes(kind));
    before = kinds;
    if (come.length > 0)
      log.info({ kinds: come.join(", ") }, "the API server has kinds of the Gateway API; they are watched");
    if (gone.length > 0)
      log.info(
        { kinds: gone.join(", ") },
        "the API server does not have these kinds any more; their objects are not served",
      );
    if (old.length > 0)
      log.info(
        { kinds: old.join(", ") },
        "the API server has these kinds only in versions before v1, which are not read",
      );
    const unknown = kinds.versions && unknownVersions(kinds.versions);
    if (unknown !== undefined && unknown !== unknownBefore)
      log.warn({ why: unknown }, "the definitions of the Gateway API are of a version that Sluice does not know");
    unknownBefore = unknown;
  };
}

/**
 * Logs kinds that the API server refuses. One line names all kinds that an older role does not
 * permit.
 */
export function refusedLog(log: Log): (watches: readonly Watch[]) => void {
  return (watches) => {
    const kinds = watches.map(({ of }) => of.plural).join(", ");
    const consequence = [...new Set(watches.flatMap(({ without }) => without ?? []))].join("; ");
    log.info(
      { kinds, consequence },
      "the API server refuses to list kinds of the Gateway API; the requests are repeated",
    );
  };
}
