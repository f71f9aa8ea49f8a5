/**
 * All parts of a controller that use the API server: the checks at the start, the Snapshot, Events,
 * election and status. It opens at once and waits for the server in the background, so nginx need
 * not wait for it.
 */

import { inBackground } from "../../base/callbacks.ts";
import { bugWords } from "../../base/guarded.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { named } from "../../core/model/problem.ts";
import { onNamespaces, policyConfigMap } from "../../core/sources/host-policy/in-force.ts";
import { isOurs } from "../../core/sources/ingress/accept.ts";
import { Layer } from "../../core/sync/layer.ts";
import type { Listener, Source } from "../../core/sync/ports.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { type Cluster, openCluster } from "../../edges/cluster/cluster.ts";
import { pooledSource } from "../../edges/cluster/pooled-source.ts";
import { EventWriter } from "../../edges/events/event-writer.ts";
import type { Log } from "../../edges/log/log.ts";
import type { RuntimeMetrics } from "../../edges/metrics/runtime-metrics.ts";
import type { ServiceIngressOptions } from "../../edges/service-ingress/keep.ts";
import { companySelector } from "../../edges/status/sources.ts";
import { type ApiFailure, type Client, EventRecorder } from "../../kube/index.ts";
import type { Flags } from "../flags.ts";
import { completedSource } from "./chains.ts";
import { ClusterLog } from "./cluster-log.ts";
import type { Ending } from "./ending.ts";
import { type GatewaySide, kindsLog, openGatewaySide, refusedLog } from "./gateway-side.ts";
import { openLeadership } from "./leadership.ts";
import { addressedSource, type NameOptions } from "./names.ts";
import { type Around, checkCluster } from "./start-checks.ts";
import { statusTargets } from "./status-targets.ts";
import type { UnansweredWrites } from "./unanswered-writes.ts";

export interface ClusterSideOptions extends Pick<NameOptions, "lookup"> {
  readonly client: Client;
  readonly flags: Flags;
  /** The Ingresses that belong to this controller, and the objects that flags name. */
  readonly accept: TranslateOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: () => number;
  readonly metrics: RuntimeMetrics;
  /** Notes the requests of `client`. */
  readonly writes: UnansweredWrites;
  /** Ends the program if the cluster contradicts the flags. */
  readonly ending: Ending;
}

export interface ClusterSide {
  readonly source: Source;
  readonly onSecret: Cluster["onSecret"];
  /** The Pod and its surroundings; never resolves while the cluster contradicts the flags. */
  readonly around: Promise<Around>;
  /** Whether this replica acts for all of them. Without an election each acts for itself. */
  readonly leads: boolean;
  /** Undefined without an election. `name` is the identity in the Lease, as soon as it is known. */
  readonly leader: { readonly isOwn: boolean; readonly name?: string } | undefined;
  /** Writes Events, and the statuses of objects of the Gateway API. */
  readonly listener: Listener;
  /** Stops watching, clears the status if that is needed, and releases the Lease. */
  leave(): Promise<void>;
  /** Stops writing Events. */
  end(): Promise<void>;
}

/** The most time that clearing the status may take. */
const leaveMs = 60_000;

export function openClusterSide(options: ClusterSideOptions): ClusterSide {
  const { client, clock, log, ending } = options;
  const watching = new AbortController();
  const recording = new AbortController();
  const checked = checkCluster({ ...options, waiting: waitingLog(log) }, watching.signal);
  const around = checked.then((answer) => (answer.ok ? answer.around : new Promise<never>(() => {})));
  const endUnlessGood = checked.then((answer) => {
    if (!answer.ok && !watching.signal.aborted) ending.because(new Error(answer.why));
  });
  inBackground("the check of the cluster", endUnlessGood);

  const recorder = recorderOf(options);
  const recorded = recorder.run(recording.signal);
  const say: EventRecorder["record"] = (...event) => {
    if (!options.flags.disableSyncEvents) recorder.record(...event);
  };
  const gateways = openGatewaySide({ ...options, cluster: () => cluster, say });
  const cluster = openCluster(client, clusterOptions(options, gateways), watching.signal);
  cluster.onOptional((kind, key) => gateways.changed(kind, key));
  const pool = { addresses: options.accept.gateway.addresses, clock };
  const addressed = addressedSource(pooledSource(cluster, pool, watching.signal), options, watching.signal);
  const source = gated(
    completedSource(addressed, { ...options, asked: options.accept.asked }, watching.signal),
    around,
  );
  const events = eventWriter(options, recorder, source, around);
  source.onChange(() => events.look());

  const known = Promise.all([around, source.synced]).then(([{ own, notes }]) => {
    for (const note of notes) log.warn(note);
    return own;
  });
  const leadership = openLeadership(options, known, {
    signal: watching.signal,
    lead: (leads) => events.lead(leads),
    work: (own) => ({
      ...statusTargets(cluster, options.accept),
      serviceIngresses: serviceIngresses(options, cluster, say),
      found: gateways.foundIngressAddresses,
      keepGateways: (term, stop) => gateways.keep(term, stop, { ...own.name, selector: companySelector(own) }),
    }),
  });
  for (const work of [cluster.ended, recorded, leadership.ended]) work.catch((bug) => ending.crash(bug));

  return {
    source,
    onSecret: (key, look) => cluster.onSecret(key, look),
    around,
    get leads() {
      return leadership.leads;
    },
    get leader() {
      return leadership.leader;
    },
    listener: {
      problems: (all) => events.problems(all),
      synced: (report) => events.synced(report),
      statuses: (wanted, progress) => gateways.statuses(wanted, progress),
    },
    async leave() {
      watching.abort();
      await (leadership.leave(leaveMs) ?? cluster.ended);
    },
    async end() {
      recording.abort();
      await recorded;
    },
  };
}

/** Logs that the API server does not answer as expected and is asked again. */
function waitingLog(log: Log) {
  return ({ message, code }: ApiFailure, retryMs: number): void => {
    const refuses = code === 401 || code === 403;
    log.warn(
      { why: message, retry: `${Math.round(retryMs / 100) / 10}s` },
      refuses ? "the API server refuses, and the request is repeated" : "the API server is not reached",
    );
  };
}

function recorderOf({ client, clock, log }: ClusterSideOptions): EventRecorder {
  return new EventRecorder(client, {
    component: "nginx-ingress-controller",
    clock,
    report: ({ occurrence, failure }) =>
      log.debug({ reason: occurrence.reason, why: failure?.message ?? "there are too many" }, "an Event is left out"),
  });
}

function clusterOptions(options: ClusterSideOptions, gateways: GatewaySide): Parameters<typeof openCluster>[1] {
  const { flags, accept, clock, random, log, metrics } = options;
  const given = (...keys: readonly (string | undefined)[]) => keys.filter((key) => key !== undefined);
  const lines = new ClusterLog(log, clock);
  return {
    watchNamespace: flags.watchNamespace,
    watchNamespaceSelector: flags.watchNamespaceSelector,
    namespaceLabels: accept.hostPolicy === onNamespaces,
    named: {
      settings: accept.configMap,
      configMaps: given(
        accept.tcpServicesConfigMap,
        accept.udpServicesConfigMap,
        accept.gateway.services?.record,
        policyConfigMap(accept),
      ),
      secrets: given(accept.defaultSslCertificate),
      services: given(accept.defaultBackendService),
    },
    annotationsPrefix: accept.annotationsPrefix,
    wantedAddresses: (gateway) => gateways.addressesOf(gateway),
    kindsFound: kindsLog(log),
    kindsRefused: refusedLog(log),
    clock,
    random,
    report: (watch, event) => {
      lines.report(watch, event);
      metrics.reflected(watch.of.plural, event);
    },
    queued: (event) => metrics.queued("data", event),
  };
}

/** Returns the Source. It is ready only when the cluster fits the flags. */
function gated(source: Source, around: Promise<Around>): Source {
  const synced = Promise.all([around, source.synced]).then(() => {});
  return Object.assign(new Layer(source, (below) => below), { synced });
}

function eventWriter(
  { flags, accept, env, log }: ClusterSideOptions,
  recorder: EventRecorder,
  source: Source,
  around: Promise<Around>,
): EventWriter {
  const pod = { apiVersion: "v1", kind: "Pod", namespace: env.POD_NAMESPACE ?? "", name: env.POD_NAME ?? "" };
  let ownPod: typeof pod & { readonly uid?: string } = pod;
  const selfNamed = around.then(({ own }) => {
    if (own.uid !== undefined) ownPod = { ...pod, uid: own.uid };
  });
  inBackground("the look at the own Pod", selfNamed);
  const { configMap, tcpServicesConfigMap, udpServicesConfigMap } = accept;
  return new EventWriter({
    recorder,
    snapshot: () => source.snapshot(),
    isOurs: (ingress, { ingressClasses }) => isOurs(ingress, ingressClasses, accept),
    configMaps: [configMap, tcpServicesConfigMap, udpServicesConfigMap, policyConfigMap(accept)].filter(
      (key) => key !== undefined,
    ),
    ownPod: () => ownPod,
    syncEvents: !flags.disableSyncEvents,
    failed: (object, bug) =>
      log.error({ object: named(object), why: bugWords(bug) }, "Sluice failed on an Event; this is a bug in Sluice"),
  });
}

/** Returns the options of `--service-ingress`; undefined without it. */
function serviceIngresses(
  { client, flags, accept, clock, metrics }: ClusterSideOptions,
  cluster: Cluster,
  say: ServiceIngressOptions["say"],
): ServiceIngressOptions | undefined {
  if (!flags.serviceIngress || flags.serviceIngressHost === undefined) return undefined;
  return {
    client,
    accept,
    clock,
    hostPattern: flags.serviceIngressHost,
    queued: (event) => metrics.queued("service-ingress", event),
    snapshot: () => cluster.snapshot(),
    onChange: (listener) => cluster.onChange(listener),
    say,
  };
}
