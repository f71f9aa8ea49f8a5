/**
 * Builds the Servers: one for each host of a Claim, and one for the catch-all. A Server is built
 * again when its Claims, an object that it used, or the owner of a name that it wants has changed.
 * Other parts get the objects that it uses.
 */

import { guarded } from "../../../base/guarded.ts";
import { catchAll, type Server } from "../../model/configuration.ts";
import { Dependencies } from "../../model/dependencies.ts";
import { partsOf, servedKey } from "../../model/listeners.ts";
import { bugProblem } from "../../model/problem.ts";
import { Table } from "../../model/table.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Claim } from "../claim.ts";
import type { Claims } from "../claims.ts";
import type { Problems } from "../problems.ts";
import { type Turn, usersOfChanged } from "../turn.ts";
import type { UpstreamUse } from "../upstreams/balance.ts";
import type { Namesake, World } from "../world.ts";
import type { Certificates } from "./certificates.ts";
import { unownedRoot } from "./draft.ts";
import { needsOwnBlock } from "./features.ts";
import { type CertificatesShown, type CommonListener, certificatesShown } from "./listener/certificate-owners.ts";
import { Contested } from "./listener/contested.ts";
import { Namesakes } from "./listener/namesakes.ts";
import { listenerServer } from "./listener/server.ts";
import { Shadows } from "./listener/shadows.ts";
import { HostNames, wantedNames } from "./names.ts";
import { hostOwner } from "./owner.ts";
import { type BuiltServer, ordinaryDrafts, serverOf } from "./server.ts";
import { covers, hasTls, parentOf, tlsOf } from "./tls.ts";

/** The objects that a host's Server uses now; none if the host is gone. */
export interface HostUses {
  readonly host: string;
  readonly upstreams: readonly UpstreamUse[];
  /** `namespace/name` of Secrets. */
  readonly certificates: readonly string[];
}

/** The sources of Servers. */
export interface ServerSources {
  readonly claims: Claims;
  readonly certificates: Certificates;
  /** Whether the flag for TLS passthrough is on. */
  readonly sslPassthrough: boolean;
  /** Whether this nginx has paths only in its text. */
  readonly pathsAreText: boolean;
  readonly annotationsPrefix: string;
  /** Returns the listeners on shared ports, by id. It is the same map while nothing changes. */
  readonly commonListeners: () => ReadonlyMap<string, CommonListener>;
}

const nothing: BuiltServer = { server: undefined, uses: [], secrets: [], problems: [] };

export class Servers {
  readonly #sources: ServerSources;
  readonly #problems: Problems;
  readonly #services = new Dependencies();
  readonly #secrets = new Dependencies();
  readonly #parents = new Dependencies();
  readonly #names = new HostNames();
  readonly #namesakes = new Namesakes();
  readonly contested = new Contested();
  readonly #tlsWinners = new Map<string, string>();
  #all = Table.empty<Server<FeatureValues>>();
  readonly #shadows: Shadows;
  /** The object from which each host's certificate comes. */
  readonly #certifying = new Map<string, Claim>();
  #shown: CertificatesShown = { yielding: new Set(), problems: [] };

  constructor(sources: ServerSources, problems: Problems) {
    this.#sources = sources;
    this.#shadows = new Shadows(sources.claims);
    this.#problems = problems;
  }

  /** Servers by host. */
  get all(): Table<Server<FeatureValues>> {
    return this.#all;
  }

  /** The tables of routes in shadow, by the host that is served. */
  get shadows(): Table<Server<FeatureValues>> {
    return this.#shadows.all;
  }

  /**
   * Ids of listeners for whose hostname the namesake's certificate is shown. It is the same set
   * while nothing changes.
   */
  get yielding(): ReadonlySet<string> {
    return this.#shown.yielding;
  }

  /**
   * Builds the Servers again that may have changed. `changed` are the hosts whose Claims have
   * changed.
   */
  renew(turn: Turn, changed: ReadonlySet<string>): HostUses[] {
    this.contested.begin();
    const outdated = this.#outdated(turn, changed);
    const world = this.#world(turn);
    const built = new Map<string, Server<FeatureValues> | undefined>();
    const uses: HostUses[] = [];
    const build = (host: string) => {
      const { server, uses: upstreams, tlsWinner } = this.#build(host, world);
      built.set(host, server);
      uses.push({ host, upstreams, certificates: server?.certificate === undefined ? [] : [server.certificate] });
      if (host.startsWith("*.") && this.#isOtherTls(host, tlsWinner)) {
        for (const child of this.#parents.usersOf(host)) outdated.add(child);
      }
    };
    // Hosts of listeners come after their namesakes, whose paths they read.
    for (const host of outdated) if (!isOfListener(host)) build(host);
    this.#all = this.#all.with(built);
    for (const host of this.#namesakes.concerned(outdated, this.#names)) outdated.add(host);
    for (const host of outdated) if (isOfListener(host) && servedKey(host) === undefined) build(host);
    this.#all = this.#all.with(built);
    this.#shadows.renew(outdated, world);
    this.#showCertificates();
    return uses;
  }

  #showCertificates(): void {
    const shown = certificatesShown(this.#sources.commonListeners(), (name) => {
      const host = this.#names.ownerOf(name) ?? "";
      const [server, claim] = [this.#all.get(host), this.#certifying.get(host)];
      return server && claim && { server, claim };
    });
    const text = ({ yielding, problems }: CertificatesShown) => JSON.stringify([[...yielding], problems]);
    if (text(shown) === text(this.#shown)) return;
    this.#shown = shown;
    this.#problems.replace("certificates of listeners", shown.problems);
  }

  /**
   * Notes which object now configures the TLS of a wildcard, because hosts below the wildcard
   * depend on it.
   */
  #isOtherTls(host: string, winner: string | undefined): boolean {
    if (this.#tlsWinners.get(host) === winner) return false;
    if (winner === undefined) this.#tlsWinners.delete(host);
    else this.#tlsWinners.set(host, winner);
    return true;
  }

  #outdated(turn: Turn, changed: ReadonlySet<string>): Set<string> {
    const hosts = new Set(changed);
    // All Claims were read again then, so every host is already in `changed`.
    if (turn.afresh) hosts.add(catchAll);
    else {
      for (const host of usersOfChanged(this.#services, "Service", turn)) hosts.add(host);
      for (const host of usersOfChanged(this.#secrets, "Secret", turn)) hosts.add(host);
    }
    for (const host of this.#namesakes.begin(this.#sources.commonListeners(), this.#keys())) hosts.add(host);
    for (const host of hosts) this.#noteNames(host, turn.settings);
    for (const other of this.#names.concerned()) hosts.add(other);
    return hosts;
  }

  *#keys(): Iterable<string> {
    yield* this.#all.keys();
    yield* this.#shadows.all.keys();
  }

  #noteNames(host: string, settings: Settings): void {
    if (isOfListener(host)) return;
    const claims = this.#sources.claims.of(host).filter(isOrdinary);
    const wanted = guarded(
      () => (claims.length === 0 ? undefined : wantedNames(host, claims, settings)),
      () => ({ aliases: [], twin: undefined }),
    );
    this.#names.set(host, wanted);
  }

  #build(host: string, world: World): BuiltServer {
    const claims = this.#sources.claims.of(host);
    const ofListener = isOfListener(host);
    if (claims.length === 0) this.#namesakes.forget(host);
    const keeper = (ofListener ? undefined : world.ownerOf(host)) ?? host;
    const built =
      claims.length === 0 && host !== catchAll
        ? nothing
        : keeper === host
          ? builtWithoutBugs(host, claims, world)
          : keptByAlias(host, claims, keeper);
    const { server, uses, secrets, problems } = built;
    if (built.certifier === undefined) this.#certifying.delete(host);
    else this.#certifying.set(host, built.certifier);
    this.contested.note(host, built.contested ?? []);
    this.#parents.set(host, server === undefined || ofListener ? [] : parentsOf(server));
    this.#services.set(
      host,
      uses.map(({ service }) => service),
    );
    this.#secrets.set(host, secrets);
    this.#problems.replace(`host ${host}`, problems);
    return built;
  }

  #world({ now, settings }: Turn): World {
    const { certificates, sslPassthrough, pathsAreText, annotationsPrefix } = this.#sources;
    const world: World = {
      settings,
      sslPassthrough,
      pathsAreText,
      annotationsPrefix,
      service: (key) => now.snapshot.services.get(key),
      secret: (key) => certificates.secret(key),
      brokenSecret: (key) => certificates.broken(key),
      wantedBy: (host) => this.#names.wantedBy(host),
      ownerOf: (name) => this.#names.ownerOf(name),
      namesakeOf: (key) => this.#namesakeOf(key, world),
      // This is read from the Claims, because the Server may not be built yet.
      isTlsConfigured: (wildcard, oldest) => this.#covers(wildcard, oldest, world),
    };
    return world;
  }

  #namesakeOf(key: string, world: World): Namesake | undefined {
    const found = this.#namesakes.find(key, this.#names);
    if (found === undefined) return undefined;
    const { host } = found;
    const server = this.#all.get(host);
    if (server === undefined) return undefined;
    if (found.redirects) return { host, paths: [unownedRoot(world.settings)], isApart: false };
    const isApart = host !== catchAll && needsOwnBlock(server.features);
    const paths = ordinaryDrafts(host, this.#sources.claims.of(host), world);
    // They differ if Sluice has failed on one of the Claims.
    const isSame = paths.every(({ path }, at) => server.locations[at]?.path === path.path);
    return isSame ? { host, paths, isApart } : undefined;
  }

  #covers(wildcard: string, oldest: Claim | undefined, world: World): boolean {
    const claims = this.#sources.claims.of(wildcard).filter(isOrdinary);
    return (
      claims.some(hasTls) && covers(tlsOf(wildcard, claims, world, hostOwner(wildcard, claims, world.settings)), oldest)
    );
  }
}

/** Returns the Problems of a host that stays an alias of an older host in another namespace. */
function keptByAlias(host: string, claims: readonly Claim[], keeper: string): BuiltServer {
  const why = `${host} is another name of host ${keeper}, which an older ${claims[0]?.owner.kind} of another namespace has`;
  const done = "its paths there are not served";
  return {
    ...nothing,
    problems: claims.map(({ owner: object }) => ({ object, kind: "claim-lost", field: "spec.rules", why, done })),
  };
}

/** Whether the key is that of a host on a listener of a Gateway. */
function isOfListener(host: string): boolean {
  return partsOf(host).listener !== undefined;
}

function isOrdinary({ features }: Claim): boolean {
  return features.canary === undefined;
}

/**
 * Builds the Server from the Claims. If Sluice fails on them, it leaves out the youngest Claim
 * whose absence helps; if there is none, the host is not served.
 */
function builtWithoutBugs(host: string, claims: readonly Claim[], world: World): BuiltServer {
  const built = attempt(host, claims, world);
  if (!(built instanceof Error)) return built;
  for (const culprit of claims.toReversed()) {
    const others = claims.filter((claim) => claim !== culprit);
    const rest = others.length === 0 && host !== catchAll ? nothing : attempt(host, others, world);
    if (rest instanceof Error) continue;
    return { ...rest, problems: [...rest.problems, bugProblem(culprit.owner, built)] };
  }
  return { ...nothing, problems: claims.map(({ owner }) => bugProblem(owner, built)) };
}

function attempt(host: string, claims: readonly Claim[], world: World): BuiltServer | Error {
  return guarded<BuiltServer | Error>(
    () => (isOfListener(host) ? listenerServer(host, claims, world) : serverOf(host, claims, world)),
    (bug) => bug,
  );
}

/**
 * Returns the wildcards one label above the names of a Server, which also decide whether TLS is
 * configured for them.
 */
function parentsOf({ name, aliases, redirectFrom }: Server<FeatureValues>): string[] {
  const twin = redirectFrom === undefined ? [] : [redirectFrom.name];
  const names = [name, ...aliases.map((alias) => alias.name), ...twin];
  return names.map(parentOf).filter((parent) => parent !== undefined);
}
