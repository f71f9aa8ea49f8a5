/**
 * Writes the metrics of each host's certificate, with the names and labels of ingress-nginx: its
 * expiry and its identity. Only the leader reports the expiry, so that an alert comes once. A host
 * that should have a certificate and has none of its own gets the default one. There may be as many
 * series as hosts, so this file writes the text itself, and only when a certificate or a host has
 * changed.
 */
import { type Certificate, type Configuration, catchAll } from "../../core/model/configuration.ts";
import type { DeclaredMetric } from "./declared.ts";
import { labelsText } from "./exposition.ts";

/**
 * The parts of a Configuration that have certificates, for any types of annotations and settings.
 */
export type Served = Pick<
  Configuration<unknown, unknown>,
  "servers" | "listenerPorts" | "upstreams" | "certificates" | "defaultCertificate" | "streams"
>;

const prefix = "nginx_ingress_controller_";
const expiryName = "ssl_expire_time_seconds";
const expiryHelp = "When the certificate of a host expires, in seconds since 1970.";
const infoName = "ssl_certificate_info";
const infoHelp = "A constant 1 with labels about the certificate of a host.";
const commonLabels = ["namespace", "class", "host", "secret_name", "identifier"];
const detailLabels = ["issuer_organization", "issuer_common_name", "serial_number", "public_key_algorithm"];

export const certificateDeclarations: readonly DeclaredMetric[] = [
  { name: `${prefix}${expiryName}`, type: "gauge", labels: commonLabels, help: expiryHelp },
  { name: `${prefix}${infoName}`, type: "gauge", labels: [...commonLabels, ...detailLabels], help: infoHelp },
];

interface Text {
  readonly of: Served;
  readonly expiry: string;
  readonly info: string;
}

export class CertificateMetrics {
  readonly #controllerClass: string;
  #text: Text | undefined;

  constructor(controllerClass: string) {
    this.#controllerClass = controllerClass;
  }

  /** Returns the metrics as text. `leads` says whether this controller acts for all replicas. */
  exposition(served: Served, leads: boolean): string {
    const { expiry, info } = this.#textOf(served);
    return leads ? expiry + info : info;
  }

  #textOf(of: Served): Text {
    const known = this.#text;
    const { servers, listenerPorts, streams, certificates, defaultCertificate } = of;
    const same =
      known?.of.servers === servers &&
      known.of.listenerPorts === listenerPorts &&
      known.of.streams === streams &&
      known.of.certificates === certificates &&
      known.of.defaultCertificate === defaultCertificate;
    if (same) return known;
    const hosts = [...new Map([...servedHosts(of)].map((one) => [`${one[0]} ${one[1].id}`, one])).values()];
    const expiry = hosts.map(
      ([host, one]) => `${prefix}${expiryName}{${this.#common(host, one)}} ${seconds(one.notAfter)}\n`,
    );
    const info = hosts.map(([host, one]) => `${prefix}${infoName}{${this.#common(host, one)},${detail(one)}} 1\n`);
    this.#text = {
      of,
      expiry: `${head(expiryName, expiryHelp)}${expiry.join("")}`,
      info: `${head(infoName, infoHelp)}${info.join("")}`,
    };
    return this.#text;
  }

  #common(host: string, { id, identity }: Certificate): string {
    const [namespace = "", name = ""] = id.includes("/") ? id.split("/") : [];
    return labelsText([
      ["namespace", namespace],
      ["class", this.#controllerClass],
      ["host", host],
      ["secret_name", name],
      ["identifier", `${identity.issuerSerialNumber}-${identity.serialNumber}`],
    ]);
  }
}

/** Returns when the first certificate expires; undefined if Sluice has made all of them. */
export function firstToExpire({ certificates }: Served): Date | undefined {
  let first: Date | undefined;
  for (const { notAfter } of certificates.values()) if (first === undefined || notAfter < first) first = notAfter;
  return first;
}

/**
 * Yields each host with its certificate, once: an Ingress and several listeners may have the same
 * host and Secret.
 */
function* servedHosts(served: Served): Iterable<readonly [string, Certificate]> {
  yield* hostsOfIngresses(served);
  yield* hostsOfListeners(served);
}

/** Yields the names of listeners, and those for which a stream ends TLS. */
function* hostsOfListeners({ listenerPorts, streams, certificates }: Served): Iterable<readonly [string, Certificate]> {
  const ofPorts = [...listenerPorts.values()].flatMap(({ listeners }) => listeners);
  const ofStreams = streams.flatMap((stream) => (stream.kind === "gateway" ? stream.hosts : []));
  for (const { hostname, certificates: ids = [] } of [...ofPorts, ...ofStreams]) {
    for (const id of ids) {
      const certificate = certificates.get(id);
      if (certificate !== undefined) yield [hostname === "" ? catchAll : hostname, certificate];
    }
  }
}

function* hostsOfIngresses({
  servers,
  certificates,
  defaultCertificate,
}: Served): Iterable<readonly [string, Certificate]> {
  for (const { listener, name, certificate, tlsConfigured } of servers.values()) {
    if (listener !== undefined) continue;
    const own = certificate === undefined ? undefined : certificates.get(certificate);
    if (own !== undefined) yield [name, own];
    else if (tlsConfigured || name === catchAll) yield [name, defaultCertificate];
  }
}

function detail({ identity }: Certificate): string {
  return labelsText([
    ["issuer_organization", identity.issuerOrganization],
    ["issuer_common_name", identity.issuerCommonName],
    ["serial_number", identity.serialNumber],
    ["public_key_algorithm", identity.keyAlgorithm],
  ]);
}

function head(name: string, help: string): string {
  return `# HELP ${prefix}${name} ${help}\n# TYPE ${prefix}${name} gauge\n`;
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
