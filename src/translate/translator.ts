/**
 * Snapshot in, Configuration and Problems out, with work in proportion to what changed. The Translator remembers the last
 * turn and, by its indices, which Claims, Servers, Upstreams and Certificates depend on a changed object. The memory is
 * invisible: `translate` with an empty one gives the same answer, and a property test holds the two together.
 *
 * The order of a turn is the order of dependence: Settings, Claims, Servers, then what the Servers use.
 */
import type { FeatureValues } from "../annotations/registry.ts";
import { certificateOf } from "../certificates/certificate.ts";
import {
  type Certificate,
  type Configuration,
  catchAll,
  defaultUpstream,
  defaultUpstreamLabel,
  type Server,
  type StreamServer,
  type Upstream,
} from "../model/configuration.ts";
import { Dependencies } from "../model/dependencies.ts";
import { type EndpointSlice, type Ingress, nameOf, type Secret } from "../model/objects.ts";
import { emptySnapshot, type Snapshot } from "../model/snapshot.ts";
import { Table, type TableChange } from "../model/table.ts";
import type { Problem } from "../problem.ts";
import { followedObjects, followedOf } from "../settings/followed.ts";
import { readSettings } from "../settings/read.ts";
import { defaultSettings, type Settings } from "../settings/registry.ts";
import { byAge, isOurs } from "./accept.ts";
import { balanceOf, canaryBalance, roundRobin, speakerOf, type UpstreamUse } from "./balance.ts";
import { type Claim, claimOf } from "./claim.ts";
import { type EndpointsAnswer, type EndpointsQuestion, endpointsOf } from "./endpoints.ts";
import { HostNames, wantedNames } from "./host-names.ts";
import { emptyLastGood, guardsDiffer, type LastGood } from "./last-good.ts";
import type { TranslateOptions } from "./options.ts";
import { emptyQuarantine, type Quarantine, versionOf } from "./quarantine.ts";
import { readIngress } from "./reading.ts";
import { parentOf, serverOf } from "./server.ts";
import { passthroughServers, portServers, type StreamWorld } from "./streams.ts";
import type { World } from "./world.ts";

export interface Inputs {
  readonly snapshot: Snapshot;
  readonly lastGood: LastGood;
  readonly quarantine: Quarantine;
}

export interface Translation {
  readonly configuration: Configuration<Settings, FeatureValues>;
  /** By the object that is at fault or the host they were found for, so that one change renews few of them. */
  readonly problems: Table<readonly Problem[]>;
  /** To be handed in again with the next Snapshot, and kept over a restart. */
  readonly lastGood: LastGood;
  /** Keys of the Ingresses that are ours, whether or not they are well written. */
  readonly accepted: ReadonlySet<string>;
}

export const emptyInputs: Inputs = { snapshot: emptySnapshot, lastGood: emptyLastGood, quarantine: emptyQuarantine };

/** A full translation, with no memory. */
export function translate(inputs: Inputs, options: TranslateOptions, fake: Certificate): Translation {
  return new Translator(options, fake).turn(inputs);
}

const noStaples = Table.empty<string>();

export class Translator {
  readonly #options: TranslateOptions;
  readonly #fake: Certificate;
  #inputs: Inputs = emptyInputs;
  #settings: Settings = defaultSettings;
  #lastGood: LastGood = emptyLastGood;
  #servers = Table.empty<Server<FeatureValues>>();
  #upstreams = Table.empty<Upstream>();
  #certificates = Table.empty<Certificate>();
  #problems = Table.empty<readonly Problem[]>();
  #streams: readonly StreamServer[] = [];
  #started = false;

  readonly #accepted = new Set<string>();
  readonly #withStreamSnippet = new Set<string>();
  readonly #claims = new Map<string, Claim>();
  readonly #uses = new Map<string, readonly UpstreamUse[]>();
  readonly #hostsOfClaim = new Dependencies();
  readonly #claimsByReference = new Dependencies();
  readonly #hostsByObject = new Dependencies();
  readonly #hostsByUpstream = new Dependencies();
  readonly #hostsByCertificate = new Dependencies();
  readonly #upstreamsByService = new Dependencies();
  readonly #canariesByUpstream = new Dependencies();
  readonly #slicesByService = new Dependencies();
  readonly #hostsByParent = new Dependencies();
  readonly #names = new HostNames();

  constructor(options: TranslateOptions, fake: Certificate) {
    this.#options = options;
    this.#fake = fake;
  }

  turn(inputs: Inputs): Translation {
    const before = this.#inputs;
    this.#inputs = inputs;
    this.#lastGood = inputs.lastGood;
    const { snapshot } = inputs;
    const dirtyHosts = new Set<string>();
    const dirtyUpstreams = new Set<string>();
    const dirtyCertificates = new Set<string>();

    const everything = this.#readSettings(before) || !this.#started;
    for (const key of this.#dirtyClaims(before, everything)) this.#renewClaim(key, dirtyHosts);
    if (everything) for (const host of this.#servers.keys()) dirtyHosts.add(host);
    if (everything) dirtyHosts.add(catchAll);

    for (const { key } of snapshot.services.changesSince(before.snapshot.services)) {
      for (const host of this.#hostsByObject.usersOf(`Service ${key}`)) dirtyHosts.add(host);
      for (const id of this.#upstreamsByService.usersOf(key)) dirtyUpstreams.add(id);
      if (key === this.#options.defaultBackendService) dirtyUpstreams.add(defaultUpstream);
    }
    for (const { key, after } of snapshot.secrets.changesSince(before.snapshot.secrets)) {
      this.#keepGoodSecret(key, before.snapshot.secrets.get(key), after);
      for (const host of this.#hostsByObject.usersOf(`Secret ${key}`)) dirtyHosts.add(host);
      dirtyCertificates.add(key);
    }
    this.#buildServers(dirtyHosts, dirtyUpstreams, dirtyCertificates);

    for (const key of this.#servicesOfSlices(before.snapshot.endpointSlices)) {
      for (const id of this.#upstreamsByService.usersOf(key)) dirtyUpstreams.add(id);
    }
    for (const { key: name } of snapshot.addresses.changesSince(before.snapshot.addresses)) {
      for (const id of this.#upstreamsByService.usersOf(`name ${name}`)) dirtyUpstreams.add(id);
    }
    if (everything) {
      dirtyUpstreams.add(defaultUpstream);
      for (const id of this.#upstreams.keys()) dirtyUpstreams.add(id);
    }
    const relieving = [...dirtyUpstreams].flatMap((id) => [...this.#canariesByUpstream.usersOf(id)]);
    for (const id of relieving) dirtyUpstreams.add(id);
    this.#upstreams = this.#upstreams.with([...dirtyUpstreams].map((id) => [id, this.#upstreamOf(id)] as const));
    this.#certificates = this.#certificates.with(
      [...dirtyCertificates].map((key) => [key, this.#certificateOf(key)] as const),
    );
    this.#streams = this.#streamsSince(before.snapshot, before.quarantine.ports);
    this.#started = true;
    return this.#translation();
  }

  #translation(): Translation {
    return {
      configuration: {
        settings: this.#settings,
        servers: this.#servers,
        upstreams: this.#upstreams,
        certificates: this.#certificates,
        defaultCertificate: this.#defaultCertificate(),
        staples: this.#settings.enableOcsp ? this.#inputs.snapshot.staples : noStaples,
        streams: this.#streams,
        streamSnippets: this.#streamSnippets(),
      },
      problems: this.#problems,
      lastGood: this.#lastGood,
      accepted: this.#accepted,
    };
  }

  /** Whether the Settings changed, which makes everything that was read by them void. */
  #readSettings(before: Inputs): boolean {
    const key = this.#options.configMap;
    if (key === undefined) return false;
    const { snapshot, quarantine } = this.#inputs;
    const [old, now] = [before.snapshot.configMaps.get(key), snapshot.configMaps.get(key)];
    const followed = followedObjects(this.#settings).some(
      (one) => objectOf(before.snapshot, one) !== objectOf(snapshot, one),
    );
    const refused = quarantine.settings !== before.quarantine.settings;
    if (old === now && !followed && !refused && this.#started) return false;
    const object = { kind: "ConfigMap", ...nameOf(key) };
    const texts = Object.entries(old?.data ?? {}).map(([spelled, text]) => [spelled.toLowerCase(), text]);
    const previous = { ...Object.fromEntries(texts), ...this.#lastGood.settings };
    const { settings: own, problems, kept } = readSettings(now?.data ?? {}, object, previous, quarantine.settings);
    const read = followedOf(own, object, {
      configMap: (name) => snapshot.configMaps.get(name),
      secret: (name) => snapshot.secrets.get(name),
    });
    const settings = { ...own, followed: read.followed };
    this.#lastGood = { ...this.#lastGood, settings: kept };
    this.#report(`ConfigMap ${key}`, [...problems, ...read.problems]);
    if (JSON.stringify(settings) === JSON.stringify(this.#settings)) return false;
    this.#settings = settings;
    return true;
  }

  #dirtyClaims(before: Inputs, everything: boolean): Set<string> {
    const { snapshot, quarantine, lastGood } = this.#inputs;
    const classes = snapshot.ingressClasses !== before.snapshot.ingressClasses;
    if (everything || classes) return new Set([...this.#accepted, ...snapshot.ingresses.keys()]);
    const dirty = new Set<string>();
    const add = ({ key }: TableChange<unknown>) => dirty.add(key);
    snapshot.ingresses.changesSince(before.snapshot.ingresses).forEach(add);
    for (const key of changedKeys(quarantine.ingresses, before.quarantine.ingresses)) dirty.add(key);
    lastGood.ingresses.changesSince(before.lastGood.ingresses).forEach(add);
    for (const [kind, table] of [
      ["Secret", "secrets"],
      ["ConfigMap", "configMaps"],
      ["Service", "services"],
    ] as const) {
      for (const { key } of (snapshot[table] as Table<unknown>).changesSince(
        before.snapshot[table] as Table<unknown>,
      )) {
        for (const claim of this.#claimsByReference.usersOf(`${kind} ${key}`)) dirty.add(claim);
      }
    }
    return dirty;
  }

  /** Reads one Ingress again; hosts it spoke for, or speaks for now, become dirty. */
  #renewClaim(key: string, dirtyHosts: Set<string>): void {
    const { snapshot } = this.#inputs;
    const previous = this.#claims.get(key);
    const ingress = snapshot.ingresses.get(key);
    const ours = ingress !== undefined && isOurs(ingress, snapshot.ingressClasses, this.#options);
    if (ours) this.#accepted.add(key);
    else this.#accepted.delete(key);
    const claim = ours ? this.#readClaim(key, ingress, previous) : this.#forget(key);
    if (claim === undefined) this.#claims.delete(key);
    else this.#claims.set(key, claim);
    if ((claim?.values.streamSnippet.text ?? "") === "") this.#withStreamSnippet.delete(key);
    else this.#withStreamSnippet.add(key);
    for (const host of this.#hostsOfClaim.usedBy(key)) dirtyHosts.add(host);
    this.#hostsOfClaim.set(key, [...(claim?.hosts.keys() ?? [])]);
    for (const host of this.#hostsOfClaim.usedBy(key)) dirtyHosts.add(host);
  }

  #forget(key: string): undefined {
    this.#claimsByReference.set(key, []);
    this.#lastGood = { ...this.#lastGood, ingresses: this.#lastGood.ingresses.with([[key, undefined]]) };
    this.#report(`Ingress ${key}`, []);
    return undefined;
  }

  /** A version that is refused leaves its last good form in force, unless that would loosen what guards its paths. */
  #readClaim(key: string, ingress: Ingress, previous: Claim | undefined): Claim | undefined {
    const reading = this.#read(ingress);
    const refusal = this.#inputs.quarantine.ingresses.get(key);
    const refused = refusal !== undefined && refusal.version === versionOf(ingress) ? refusal : undefined;
    const problems = [...reading.problems];
    if (refused !== undefined) {
      problems.push({ object: { kind: "Ingress", ...nameOf(key) }, kind: "nginx-refused", why: refused.why });
    }
    this.#report(`Ingress ${key}`, problems);
    this.#claimsByReference.set(key, reading.references);
    const keep = (good: Ingress | undefined) => {
      if (this.#lastGood.ingresses.get(key) === good) return;
      this.#lastGood = { ...this.#lastGood, ingresses: this.#lastGood.ingresses.with([[key, good]]) };
    };
    if (reading.verdict !== "reject" && refused === undefined) {
      keep(undefined);
      return claimOf(ingress, reading, false);
    }
    const good = this.#lastGood.ingresses.get(key) ?? (previous?.denied === false ? previous.ingress : undefined);
    if (good === undefined || good.metadata.uid !== ingress.metadata.uid || good === ingress) return undefined;
    keep(good);
    const loosened = guardsDiffer(good, ingress, this.#options.annotationsPrefix);
    return claimOf(loosened ? ingress : good, this.#read(good), loosened);
  }

  #read(ingress: Ingress) {
    return readIngress(ingress, this.#inputs.snapshot, this.#settings, this.#options);
  }

  #buildServers(dirty: Set<string>, dirtyUpstreams: Set<string>, dirtyCertificates: Set<string>): void {
    for (const host of [...dirty]) for (const other of this.#noteNames(host)) dirty.add(other);
    for (const host of dirty) {
      const wasTls = this.#servers.get(host)?.tlsConfigured;
      this.#buildServer(host, dirtyUpstreams, dirtyCertificates);
      if (host.startsWith("*.") && this.#servers.get(host)?.tlsConfigured !== wasTls) {
        for (const child of this.#hostsByParent.usersOf(host)) dirty.add(child);
      }
    }
  }

  /** Hosts that may win or lose a name because of how `host` is now. */
  #noteNames(host: string): ReadonlySet<string> {
    const claims = this.#claimsOf(host).filter(({ values }) => values.canary === undefined);
    return this.#names.set(host, claims.length === 0 ? undefined : wantedNames(host, claims));
  }

  /** Oldest first. */
  #claimsOf(host: string): Claim[] {
    const claims = [...this.#hostsOfClaim.usersOf(host)].map((key) => this.#claims.get(key)!);
    return claims.sort((a, b) => byAge(a.ingress, b.ingress));
  }

  #buildServer(host: string, dirtyUpstreams: Set<string>, dirtyCertificates: Set<string>): void {
    const claims = this.#claimsOf(host);
    const gone = claims.length === 0 && host !== catchAll;
    const before = this.#hostsByUpstream.usedBy(host);
    const built = gone ? undefined : serverOf(host, claims, this.#world());
    const uses = built?.uses ?? [];
    const ids = [...new Set(uses.map(({ id }) => id))];
    this.#servers = this.#servers.with([[host, built?.server]]);
    this.#uses.set(host, uses);
    if (gone) this.#uses.delete(host);
    const { server } = built ?? {};
    this.#hostsByParent.set(host, server === undefined ? [] : parentsOf(server));
    this.#hostsByObject.set(host, [
      ...uses.map(({ service }) => `Service ${service}`),
      ...(built?.secrets.map((key) => `Secret ${key}`) ?? []),
    ]);
    this.#hostsByUpstream.set(host, ids);
    for (const id of [...before, ...ids]) dirtyUpstreams.add(id);
    for (const { id, service, relieves } of uses) {
      this.#upstreamsByService.set(id, this.#servicesOf(service));
      if (relieves !== undefined) this.#canariesByUpstream.set(id, [relieves]);
    }
    for (const key of this.#hostsByCertificate.usedBy(host)) dirtyCertificates.add(key);
    this.#hostsByCertificate.set(host, server?.certificate === undefined ? [] : [server.certificate]);
    for (const key of this.#hostsByCertificate.usedBy(host)) dirtyCertificates.add(key);
    this.#report(`host ${host}`, built?.problems ?? []);
  }

  #world(): World {
    const { snapshot } = this.#inputs;
    return {
      settings: this.#settings,
      service: (key) => snapshot.services.get(key),
      secret: (key) => this.#usableSecret(key),
      sslPassthrough: this.#options.enableSslPassthrough,
      wantedBy: (host) => this.#names.wantedBy(host),
      ownerOf: (name) => this.#names.ownerOf(name),
      isTlsConfigured: (wildcard) => this.#hasTls(wildcard),
    };
  }

  /** Asked of the Claims, not of the Server, which may not be built yet. */
  #hasTls(host: string): boolean {
    const claims = [...this.#hostsOfClaim.usersOf(host)].map((key) => this.#claims.get(key)!);
    return claims.some(({ ingress, values }) => values.canary === undefined && (ingress.spec?.tls?.length ?? 0) > 0);
  }

  #upstreamOf(id: string): Upstream | undefined {
    if (id === defaultUpstream) return this.#defaultUpstream();
    const uses = this.#usesOf(id);
    if (uses.length === 0) {
      this.#upstreamsByService.set(id, []);
      this.#canariesByUpstream.set(id, []);
      this.#report(`upstream ${id}`, []);
      return undefined;
    }
    const { service, port, claim, relieves } = speakerOf(uses);
    const relieved = relieves === undefined ? [] : this.#usesOf(relieves);
    const answer = this.#answer(service, { port, serviceUpstream: claim.values.serviceUpstream.on, protocol: "TCP" });
    this.#report(`upstream ${id}`, unusable(answer, service, claim));
    return {
      id,
      label: `${service}/${port}`.replaceAll("/", "-"),
      endpoints: answer.kind === "endpoints" ? answer.endpoints : [],
      balance: relieved.length === 0 ? balanceOf(uses) : canaryBalance(uses, balanceOf(relieved)),
    };
  }

  #usesOf(id: string): UpstreamUse[] {
    const hosts = [...this.#hostsByUpstream.usersOf(id)];
    return hosts.flatMap((host) => this.#uses.get(host)?.filter((use) => use.id === id) ?? []);
  }

  /** The global default backend, or the built-in 404 server where that has no endpoints (RS-8.1). */
  #defaultUpstream(): Upstream {
    const key = this.#options.defaultBackendService;
    const port = key === undefined ? undefined : this.#inputs.snapshot.services.get(key)?.spec?.ports?.[0]?.port;
    this.#upstreamsByService.set(defaultUpstream, key === undefined ? [] : this.#servicesOf(key));
    const question = { port: String(port), serviceUpstream: false, protocol: "TCP" };
    const answer = key === undefined || port === undefined ? undefined : this.#answer(key, question);
    const found = answer?.kind === "endpoints" ? answer.endpoints : [];
    const endpoints = found.length > 0 ? found : [{ address: "127.0.0.1", port: this.#options.defaultServerPort }];
    return { id: defaultUpstream, label: defaultUpstreamLabel, endpoints, balance: roundRobin };
  }

  #answer(key: string, question: Omit<EndpointsQuestion, "service" | "slices" | "addresses">): EndpointsAnswer {
    const { services, endpointSlices, addresses } = this.#inputs.snapshot;
    const service = services.get(key);
    if (service === undefined) return { kind: "no-port" };
    const slices = [...this.#slicesByService.usersOf(key)].sort().map((slice) => endpointSlices.get(slice)!);
    return endpointsOf({ ...question, service, slices, addresses }, this.#options);
  }

  /** The Service itself, and the name its addresses come from where it is an ExternalName. */
  #servicesOf(key: string): string[] {
    const external = this.#inputs.snapshot.services.get(key)?.spec?.externalName;
    return external === undefined ? [key] : [key, `name ${external.toLowerCase()}`];
  }

  #streamSnippets(): string[] {
    const claims = [...this.#withStreamSnippet].map((key) => this.#claims.get(key)!);
    return claims.sort((a, b) => byAge(a.ingress, b.ingress)).map(({ values }) => values.streamSnippet.text);
  }

  /** The streams of before, as long as nothing that they could depend on has changed. */
  #streamsSince(before: Snapshot, refusedPorts: Quarantine["ports"]): readonly StreamServer[] {
    const { tcpServicesConfigMap, udpServicesConfigMap, enableSslPassthrough, reservedPorts } = this.#options;
    const { snapshot, quarantine } = this.#inputs;
    const maps = [["tcp", tcpServicesConfigMap] as const, ["udp", udpServicesConfigMap] as const];
    if (!enableSslPassthrough && maps.every(([, key]) => key === undefined)) return this.#streams;
    const same = (["services", "endpointSlices", "addresses"] as const).every(
      (kind) => before[kind] === snapshot[kind],
    );
    const sameMaps = maps.every(
      ([, key]) => key === undefined || before.configMaps.get(key) === snapshot.configMaps.get(key),
    );
    const samePorts = refusedPorts === quarantine.ports;
    if (same && sameMaps && samePorts && !enableSslPassthrough && this.#started) return this.#streams;
    const world: StreamWorld = {
      service: (key) => snapshot.services.get(key),
      endpoints: (key, declared, protocol) =>
        this.#answer(key, { port: String(declared.port), declared, serviceUpstream: false, protocol }),
      reserved: reservedPorts,
      refusal: (port, text) => {
        const refused = quarantine.ports.get(port);
        return refused?.version === text ? refused.why : undefined;
      },
    };
    const streams: StreamServer[] = [];
    for (const [kind, key] of maps) {
      if (key === undefined) continue;
      const object = { kind: "ConfigMap", ...nameOf(key) };
      const { servers, problems } = portServers(kind, snapshot.configMaps.get(key)?.data ?? {}, object, world);
      streams.push(...servers);
      this.#report(`${kind} services`, problems);
    }
    if (enableSslPassthrough) streams.push(...passthroughServers(this.#servers, world));
    return JSON.stringify(streams) === JSON.stringify(this.#streams) ? this.#streams : streams;
  }

  #servicesOfSlices(before: Table<EndpointSlice>): Set<string> {
    const services = new Set<string>();
    for (const { key, before: old, after } of this.#inputs.snapshot.endpointSlices.changesSince(before)) {
      for (const slice of [old, after]) {
        const service = slice && serviceOf(slice);
        if (service !== undefined) services.add(service);
      }
      const service = after && serviceOf(after);
      this.#slicesByService.set(key, service === undefined ? [] : [service]);
    }
    return services;
  }

  #certificateOf(key: string): Certificate | undefined {
    if (!this.#hostsByCertificate.isUsed(key)) return undefined;
    const secret = this.#usableSecret(key);
    const read = secret && certificateOf(secret);
    return read?.ok === true ? read.certificate : undefined;
  }

  #defaultCertificate(): Certificate {
    const key = this.#options.defaultSslCertificate;
    const secret = key === undefined ? undefined : this.#usableSecret(key);
    const read = secret && certificateOf(secret);
    return read?.ok === true ? read.certificate : this.#fake;
  }

  /** The Secret as it is, or the last good one where its content is no usable pair. */
  #usableSecret(key: string): Secret | undefined {
    const secret = this.#inputs.snapshot.secrets.get(key);
    return secret === undefined ? undefined : (this.#lastGood.secrets.get(key) ?? secret);
  }

  #keepGoodSecret(key: string, before: Secret | undefined, after: Secret | undefined): void {
    const broken = after !== undefined && isPair(after) && !certificateOf(after).ok;
    const previous = this.#lastGood.secrets.get(key) ?? before;
    const good = broken && previous !== undefined && certificateOf(previous).ok ? previous : undefined;
    this.#lastGood = { ...this.#lastGood, secrets: this.#lastGood.secrets.with([[key, good]]) };
  }

  #report(owner: string, problems: readonly Problem[]): void {
    if (problems.length === 0 && !this.#problems.has(owner)) return;
    this.#problems = this.#problems.with([[owner, problems.length === 0 ? undefined : problems]]);
  }
}

/** Told on the Ingress that decides about the Upstream. */
function unusable(answer: EndpointsAnswer, service: string, { object }: Claim): Problem[] {
  if (answer.kind !== "unusable") return [];
  return [
    { object, kind: "field-unusable", field: `Service ${service}`, why: answer.why, done: "it gets no requests" },
  ];
}

/** The wildcards one level above the names of a Server, which decide with it whether TLS is configured for them. */
function parentsOf({ name, aliases, redirectFrom }: Server<FeatureValues>): string[] {
  const names = [
    name,
    ...aliases.map((alias) => alias.name),
    ...(redirectFrom === undefined ? [] : [redirectFrom.name]),
  ];
  return names.map(parentOf).filter((parent) => parent !== undefined);
}

function serviceOf({ metadata }: EndpointSlice): string | undefined {
  const service = metadata.labels?.["kubernetes.io/service-name"];
  return service === undefined ? undefined : `${metadata.namespace}/${service}`;
}

/** The object that is called `Kind namespace/name`. */
function objectOf({ configMaps, secrets }: Snapshot, called: string): unknown {
  const [kind, key = ""] = called.split(" ");
  return kind === "Secret" ? secrets.get(key) : configMaps.get(key);
}

function isPair({ data }: Secret): boolean {
  return data?.["tls.crt"] !== undefined || data?.["tls.key"] !== undefined;
}

function changedKeys<T>(now: ReadonlyMap<string, T>, before: ReadonlyMap<string, T>): string[] {
  if (now === before) return [];
  return [...new Set([...now.keys(), ...before.keys()])].filter((key) => now.get(key) !== before.get(key));
}
