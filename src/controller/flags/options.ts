/**
 * Turns flags into the options of all stages, in one place, so that `run`, `serve`, the tools on
 * files and the tests cannot differ.
 */

import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import type { DecideOptions } from "../../ask/matcher/decide.ts";
import type { AskedPolicy } from "../../core/kinds/asked.ts";
import { canonical } from "../../core/model/ip-address.ts";
import type { GatewayOptions, TranslateOptions } from "../../core/table/options.ts";
import type { RequestCounts } from "../../core/tokens/machine.ts";
import { type Command, defaultFlags, type Flags } from "../flags.ts";
import type { MachineFlags } from "../machine.ts";

/** The files with trusted authorities on Debian, Fedora, openSUSE and Alpine. */
const authorityFiles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * Returns the options of the translation. `namespace` is the controller's own. Without it no
 * Gateway gets a Service.
 */
export function translateOptions(
  flags: Flags,
  command: Command,
  zone: string | undefined,
  namespace?: string,
): TranslateOptions {
  const services = gatewayServices(flags, namespace);
  return {
    annotationsPrefix: flags.annotationsPrefix,
    ingressClass: flags.ingressClass ?? "",
    controllerClass: flags.controllerClass,
    ingressClassByName: flags.ingressClassByName,
    watchIngressWithoutClass: flags.watchIngressWithoutClass,
    disableCatchAll: flags.disableCatchAll,
    annotationValidation: flags.enableAnnotationValidation,
    deepInspect: flags.deepInspect,
    disableSvcExternalName: flags.disableSvcExternalName,
    configMap: named(flags.configmap),
    defaultBackendService: named(flags.defaultBackendService),
    defaultSslCertificate: named(flags.defaultSslCertificate),
    tcpServicesConfigMap: named(flags.tcpServicesConfigmap),
    udpServicesConfigMap: named(flags.udpServicesConfigmap),
    enableSslPassthrough: flags.enableSslPassthrough,
    hostPolicy: named(flags.hostPolicy),
    reservedPorts: new Map([...targetPorts(services), ...reservedPorts(flags)]),
    defaultServerPort: flags.defaultServerPort,
    asked: askedPolicy(flags, command),
    lacks: new Set(flags.mode === "static" ? ["lua" as const] : []),
    gateway: {
      controllerName: flags.gatewayControllerName,
      addresses: flags.gatewayAddresses,
      sharesPorts: command === "serve",
      ...(flags.sharedGateway ? { shared: flags.sharedGateway } : {}),
      httpPort: flags.httpPort,
      httpsPort: flags.httpsPort,
      systemAuthorities: authorityFiles.find((path) => existsSync(path)),
      ...(services === undefined ? {} : { services }),
    },
    zone: flags.enableTopologyAwareRouting ? zone : undefined,
  };
}

/** Returns the facts about the controller that `decide` needs. */
export function decideOptions({ healthCheckPath, defaultServerPort, httpPort, httpsPort, mode }: Flags): DecideOptions {
  const ports = { http: httpPort, https: httpsPort };
  const ownPaths = [healthCheckPath, "/nginx_status"];
  return { ownPaths, builtInPort: defaultServerPort, ports, isStatic: mode === "static" };
}

/**
 * Returns the flags on which the Machine depends. `logs` is where nginx writes logs whose path the
 * operator has not changed.
 */
export function machineFlags(
  flags: Flags,
  logs: { readonly accessLog: string; readonly errorLog: string },
): MachineFlags {
  return {
    mode: flags.mode,
    ports: {
      http: flags.httpPort,
      https: flags.httpsPort,
      defaultServer: flags.defaultServerPort,
      status: flags.statusPort,
      nameCheck: flags.nameCheckPort,
      stream: flags.streamPort,
    },
    healthPath: flags.healthCheckPath,
    passthrough: flags.enableSslPassthrough,
    talkative: flags.v >= 5,
    counts: flags.enableMetrics ? requestCounts(flags) : undefined,
    geoipDatabases: flags.maxmindEditionIds.map((edition) => `${flags.geoipFolder}/${edition}.mmdb`),
    ...logs,
  };
}

/**
 * Returns the policy for addresses that nginx may connect to. `serve` runs backends on this
 * machine. In a cluster the operator lists the local ports that may be used.
 */
function askedPolicy(flags: Flags, command: Command): AskedPolicy {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return {
    loopback: command === "serve",
    loopbackPorts: new Set(flags.allowedLoopbackPorts),
    ownPorts: new Set(ownPorts(flags).map(([port]) => port)),
    ownAddresses: new Set(all.map(({ address }) => canonical(address))),
  };
}

/**
 * Returns the ports that TCP and UDP services may not use (RS-27.3), each with the listener that
 * has it.
 */
function reservedPorts(flags: Flags): ReadonlyMap<number, string> {
  return new Map([
    ...ownPorts(flags),
    [flags.sslPassthroughProxyPort, "the flag --ssl-passthrough-proxy-port"],
    [flags.httpsPort, "https"],
    [flags.httpPort, "http"],
  ]);
}

/** Returns the ports of the program's own listeners, each with words for its listener. */
const ownPorts = (flags: Flags): readonly (readonly [number, string])[] => [
  ...webhookPort(flags).map(([, port]) => [port, "the webhook"] as const),
  ...uiPort(flags),
  [flags.streamPort, "the flag --stream-port"],
  [flags.nameCheckPort, "the flag --name-check-port"],
  [flags.statusPort, "nginx's status server"],
  [flags.profilerPort, "the profiler"],
  [flags.healthzPort, "health and metrics"],
  [flags.defaultServerPort, "the built-in 404 server"],
];

function gatewayServices(flags: Flags, namespace: string | undefined): GatewayOptions["services"] {
  if (!flags.gatewayServices || !namespace) return undefined;
  const { first, last } = flags.gatewayServicePorts;
  const reserved = reservedPorts(flags);
  const range = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return {
    ports: range.filter((port) => !reserved.has(port)),
    prefixes: flags.gatewayMetadataPrefixes,
    record: `${namespace}/${flags.electionId}-gateway-ports`,
  };
}

function targetPorts(services: GatewayOptions["services"]): readonly (readonly [number, string])[] {
  return (services?.ports ?? []).map((port) => [port, "the flag --gateway-service-ports"] as const);
}

/**
 * Returns the webhook's port, which is reserved as well. Otherwise an nginx that a former
 * controller left behind might hold it, and the next controller could not start.
 */
export function webhookPort({ validatingWebhook }: Flags): readonly (readonly [string, number])[] {
  return validatingWebhook === undefined
    ? []
    : [["--validating-webhook", Number(validatingWebhook.replace(/^.*:/, ""))]];
}

/** Returns the port of the page, if it has one of its own. */
function uiPort({ uiPort: port }: Flags): [number, string][] {
  return port ? [[port, "the page"]] : [];
}

function named(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}

/**
 * Returns the settings of the request metrics. The defaults have fewer buckets than ingress-nginx,
 * and labels whose values do not multiply.
 */
export function requestCounts(flags: Flags): RequestCounts {
  const {
    metricsPerHost: perHost,
    metricsPerUndefinedHost: undefinedHosts,
    reportStatusClasses: statusClasses,
  } = flags;
  const full = flags.requestHistograms === "full";
  const usual = defaultFlags("run");
  const own = (name: "timeBuckets" | "lengthBuckets" | "sizeBuckets", few: readonly number[]) =>
    full || flags[name].join() !== usual[name].join() ? flags[name] : few;
  return {
    perHost,
    undefinedHosts: perHost && undefinedHosts,
    statusClasses,
    full,
    // With so few buckets the histograms of 1,000 Ingresses stay below the limit in
    // src/edges/metrics/request-metrics.ts.
    buckets: {
      time: own("timeBuckets", [0.01, 0.05, 0.25, 1, 5]),
      part: own("timeBuckets", [0.05, 0.5]),
      length: own("lengthBuckets", [1_000]),
      size: own("sizeBuckets", [100_000]),
    },
  };
}
