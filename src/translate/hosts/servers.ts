/**
 * The Servers, one for each host that Claims speak for and one for the catch-all. One is built again when its Claims have
 * changed, an object it looked at, or who has the names it would answer to; what it uses of others is handed on to them.
 */
import type { FeatureValues } from "../../annotations/registry.ts";
import { bugProblem, guarded } from "../../guarded.ts";
import { catchAll, type Server } from "../../model/configuration.ts";
import { Dependencies } from "../../model/dependencies.ts";
import { partsOf } from "../../model/listeners.ts";
import { Table } from "../../model/table.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Claim } from "../claim.ts";
import type { Claims } from "../claims.ts";
import type { Problems } from "../problems.ts";
import { type Turn, usersOfChanged } from "../turn.ts";
import type { UpstreamUse } from "../upstreams/balance.ts";
import type { World } from "../world.ts";
import type { Certificates } from "./certificates.ts";
import { listenerServer } from "./listener-server.ts";
import { HostNames, wantedNames } from "./names.ts";
import { hostOwner } from "./owner.ts";
import { type BuiltServer, serverOf } from "./server.ts";
import { covers, hasTls, parentOf, tlsOf } from "./tls.ts";

/** What the Server of a host uses now; nothing where it is gone. */
export interface HostUses {
  readonly host: string;
  readonly upstreams: readonly UpstreamUse[];
  /** `namespace/name` of Secrets. */
  readonly certificates: readonly string[];
}

/** Whom Servers are made of. */
export interface ServerSources {
  readonly claims: Claims;
  readonly certificates: Certificates;
  /** Whether the flag for TLS passthrough is on. */
  readonly sslPassthrough: boolean;
  /** Whether nginx here has paths in its text and nowhere else. */
  readonly pathsAreText: boolean;
  readonly annotationsPrefix: string;
}

const nothing: BuiltServer = { server: undefined, uses: [], secrets: [], problems: [] };

export class Servers {
  readonly #sources: ServerSources;
  readonly #problems: Problems;
  readonly #services = new Dependencies();
  readonly #secrets = new Dependencies();
  readonly #parents = new Dependencies();
  readonly #names = new HostNames();
  readonly #tlsSpeakers = new Map<string, string>();
  #all = Table.empty<Server<FeatureValues>>();

  constructor(sources: ServerSources, problems: Problems) {
    this.#sources = sources;
    this.#problems = problems;
  }

  /** By host. */
  get all(): Table<Server<FeatureValues>> {
    return this.#all;
  }

  /** Builds those again that may be different now. `spoken` are the hosts whose Claims have changed. */
  renew(turn: Turn, spoken: ReadonlySet<string>): HostUses[] {
    const outdated = this.#outdated(turn, spoken);
    const world = this.#world(turn);
    const built = new Map<string, Server<FeatureValues> | undefined>();
    const uses: HostUses[] = [];
    for (const host of outdated) {
      const { server, uses: upstreams, tlsSpeaker } = this.#build(host, world);
      built.set(host, server);
      uses.push({ host, upstreams, certificates: server?.certificate === undefined ? [] : [server.certificate] });
      if (host.startsWith("*.") && this.#isOtherTls(host, tlsSpeaker)) {
        for (const child of this.#parents.usersOf(host)) outdated.add(child);
      }
    }
    this.#all = this.#all.with(built);
    return uses;
  }

  /** Notes whose word the TLS of a wildcard is now, which counts for the hosts below it. */
  #isOtherTls(host: string, speaker: string | undefined): boolean {
    if (this.#tlsSpeakers.get(host) === speaker) return false;
    if (speaker === undefined) this.#tlsSpeakers.delete(host);
    else this.#tlsSpeakers.set(host, speaker);
    return true;
  }

  #outdated(turn: Turn, spoken: ReadonlySet<string>): Set<string> {
    const hosts = new Set(spoken);
    // All Claims have been read again then, so every host is among the spoken ones already.
    if (turn.afresh) hosts.add(catchAll);
    else {
      for (const host of usersOfChanged(this.#services, "Service", turn)) hosts.add(host);
      for (const host of usersOfChanged(this.#secrets, "Secret", turn)) hosts.add(host);
    }
    for (const host of hosts) this.#noteNames(host, turn.settings);
    for (const other of this.#names.concerned()) hosts.add(other);
    return hosts;
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
    const keeper = (ofListener ? undefined : world.ownerOf(host)) ?? host;
    const built =
      claims.length === 0 && host !== catchAll
        ? nothing
        : keeper === host
          ? builtWithoutBugs(host, claims, world)
          : keptByAlias(host, claims, keeper);
    const { server, uses, secrets, problems } = built;
    this.#parents.set(host, server === undefined || ofListener ? [] : parentsOf(server));
    this.#services.set(
      host,
      uses.map(({ service }) => service),
    );
    this.#secrets.set(host, secrets);
    this.#problems.tell(`host ${host}`, problems);
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
      // Asked of the Claims, not of the Server, which may not be built yet.
      isTlsConfigured: (wildcard, oldest) => this.#covers(wildcard, oldest, world),
    };
    return world;
  }

  #covers(wildcard: string, oldest: Claim | undefined, world: World): boolean {
    const claims = this.#sources.claims.of(wildcard).filter(isOrdinary);
    return (
      claims.some(hasTls) && covers(tlsOf(wildcard, claims, world, hostOwner(wildcard, claims, world.settings)), oldest)
    );
  }
}

/** A host that is an alias of an older host of another namespace stays that. */
function keptByAlias(host: string, claims: readonly Claim[], keeper: string): BuiltServer {
  const why = `${host} is another name of host ${keeper}, which an older ${claims[0]?.owner.kind} of another namespace has`;
  const done = "its paths there are not served";
  return {
    ...nothing,
    problems: claims.map(({ owner: object }) => ({ object, kind: "field-unusable", field: "spec.rules", why, done })),
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
 * The Server of all Claims that it can be made of. Where Sluice fails on them, the one whose absence helps is left out, the youngest
 * that does; where there is no such one, the host is not served.
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

/** The wildcards one level above the names of a Server, which decide with it whether TLS is configured for them. */
function parentsOf({ name, aliases, redirectFrom }: Server<FeatureValues>): string[] {
  const twin = redirectFrom === undefined ? [] : [redirectFrom.name];
  const names = [name, ...aliases.map((alias) => alias.name), ...twin];
  return names.map(parentOf).filter((parent) => parent !== undefined);
}
