/**
 * Builds one host's Server from its Claims, oldest first. Everything else that it needs comes from
 * `World`. It reports the objects that it used as `uses` and `secrets`, so that `Servers` knows
 * when to build it again.
 */

import { catchAll, type Location, type Route, type Server } from "../../model/configuration.ts";
import { backendOf } from "../../model/location.ts";
import type { Problem } from "../../model/problem.ts";
import { unannotated } from "../../policies/read.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { rewritesLate } from "../../policies/rewrite/declaration.ts";
import type { Claim } from "../claim.ts";
import type { UpstreamUse } from "../upstreams/balance.ts";
import type { World } from "../world.ts";
import { type Shadow, type Shadows, shadowsOf } from "./canaries.ts";
import { declaredLocations } from "./declared-locations.ts";
import { changedNeighbours, idlePassthrough } from "./doubts.ts";
import { asksForTimes, type Draft } from "./draft.ts";
import { draftsOf } from "./drafts.ts";
import { hostFeatures, hostlessOf } from "./features.ts";
import { withHostIdentity } from "./identity.ts";
import { nameProblems } from "./names.ts";
import { type HostOwner, hostOwner, overruledOf } from "./owner.ts";
import { routesOf } from "./routes.ts";
import { appRootOf, comingLater, strangersRoot } from "./sharing.ts";
import { aliasesOf, type HostTls, hasTls, isCovered, tlsOf } from "./tls.ts";
import { featuresFor } from "./weak-certificates.ts";

export interface BuiltServer {
  /** Undefined if the host has only canaries, which make no host (RS-3.8). */
  readonly server: Server<FeatureValues> | undefined;
  readonly uses: readonly UpstreamUse[];
  /** Keys of the Secrets that were searched for its certificate. */
  readonly secrets: readonly string[];
  readonly problems: readonly Problem[];
  /** The Problems about paths that the host's namesake has as well; absent if there are none. */
  readonly contested?: readonly Problem[];
  /** The object from which the host's certificate comes; absent if it has none. */
  readonly certifier?: Claim;
  /**
   * The Claim that configures TLS for the host, and its Secret; undefined if TLS is not
   * configured.
   */
  readonly tlsWinner?: string | undefined;
}

export function serverOf(host: string, all: readonly Claim[], world: World): BuiltServer {
  const ordinary = all.every(isOrdinary) ? all : all.filter(isOrdinary);
  const claims = withHostIdentity(ordinary, world.settings);
  const drafted = draftsOf(host, claims, world);
  const { drafts } = drafted;
  const shadowed = shadowedBy(all, host, drafts, world);
  const uses = drafted.uses.concat(shadowed.uses);
  const problems = drafted.problems.concat(shadowed.problems);
  if (drafts.length === 0) return { server: undefined, uses, secrets: [], problems };

  const owner = hostOwner(host, ordinary, world.settings);
  const hostless = hostlessOf(host, claims, owner);
  const tls = tlsOf(host, claims, world, owner);
  const tlsConfigured = tls.configured || isCovered(host, world, owner.oldest);
  const { aliases, redirectFrom } = namesOf(host, tls, world, owner);
  const deciding = claims.every(owner.mayDecide) ? claims : claims.filter(owner.mayDecide);
  const ofHost = hostFeatures(all.filter(owner.mayDecide), world.settings);
  const overruled = overruledOf(host, owner, all, ofHost, world.annotationsPrefix);
  const root = appRootOf(host, drafts, owner);
  const { routes, displaced } = routesOf(drafts.map(({ path }) => path));
  const passthrough = strangersRoot(host, ofHost, drafts, owner);
  const hostWide =
    passthrough.length === 0 ? ofHost : { ...ofHost, sslPassthrough: unannotated(world.settings).sslPassthrough };
  let routesByLocation: ReadonlyMap<number, readonly Route[]> | undefined;
  const routesAt = (at: number): readonly Route[] => {
    routesByLocation ??= Map.groupBy(routes, ({ location }) => location);
    return routesByLocation.get(at) ?? [];
  };
  const isForeign = declaredLocations(claims, ofHost);
  const shadowsAt = shadowed === unshadowed ? noneShadowed : Map.groupBy(shadowed.shadows, ({ main }) => main);
  const server: Server<FeatureValues> = {
    name: host,
    aliases,
    redirectFrom,
    certificate: tls.certificate,
    tlsConfigured,
    appRoot: root.appRoot,
    locations: drafts.map(({ location, claim }, at) => {
      const closed = claim && (hostless.closes(claim) ?? overruled.closes(claim));
      const shadows = shadowsAt.get(at) ?? [];
      const ownTls = !tlsConfigured && host !== catchAll && claim !== undefined && hasTls(claim);
      const ownUri = keptUri(location, () => routesAt(at));
      const kept = isForeign(location) ? { ...ownUri, ignoresAccelRedirect: true as const } : ownUri;
      return shadows.length === 0 && closed === undefined && !ownTls ? kept : changed(kept, shadows, closed, ownTls);
    }),
    routes,
    features: featuresFor(tls.weakness, hostWide, world.settings),
  };
  const allProblems = problems.concat(
    idlePassthrough(host, deciding, drafts, world),
    changedNeighbours(host, drafts),
    comingLater(host, drafts, displaced),
    hostless.problems,
    overruled.problems,
    root.problems,
    passthrough,
    tls.problems,
    nameProblems(host, deciding, world.wantedBy(host), world.ownerOf),
  );
  const tlsWinner = tls.winner && [tls.winner.key, tls.winner.since.created, tls.certificate].join(" ");
  return { server, uses, secrets: tls.secrets, problems: allProblems, tlsWinner, ...certifierOf(tls) };
}

/** Returns the Locations of `serverOf` before canaries are added. */
export function ordinaryDrafts(host: string, all: readonly Claim[], world: World): readonly Draft[] {
  return draftsOf(host, withHostIdentity(all.filter(isOrdinary), world.settings), world).drafts;
}

const isOrdinary = ({ features }: Claim) => features.canary === undefined;

function certifierOf({ certificate, winner }: HostTls): Pick<BuiltServer, "certifier"> {
  return certificate === undefined || winner === undefined ? {} : { certifier: winner };
}

/** Returns the Locations that the canaries among the Claims shadow. */
function shadowedBy(all: readonly Claim[], host: string, drafts: readonly Draft[], world: World): Shadows {
  if (all.every(isOrdinary)) return unshadowed;
  const canaries = all.filter((claim) => !isOrdinary(claim));
  const mains = drafts.map(({ path, location, claim }) => ({ ...path, upstream: backendOf(location).upstream, claim }));
  return shadowsOf(host, canaries, mains, world);
}

const unshadowed: Shadows = { shadows: [], uses: [], problems: [] };
const noneShadowed: ReadonlyMap<number, readonly Shadow[]> = new Map();

/**
 * Returns the Location with the pattern that rewrites, if only one of its routes does. Only text
 * that does the rewriting itself needs the pattern.
 */
function keptUri(location: Location<FeatureValues>, routes: () => readonly Route[]): Location<FeatureValues> {
  if (!rewritesLate(location.features)) return location;
  const own = routes();
  const rewriting = own.filter((route) => "rewrite" in route && route.rewrite !== undefined);
  if (rewriting.length === 0) return { ...location, keepsUri: true };
  // For example, a Prefix `/foo` with the target `/foo` has two routes: it rewrites below `/foo/`
  // and leaves `/foo` unchanged.
  return rewriting.length < own.length ? { ...location, rewritesAt: rewriting[0]!.path } : location;
}

/** Returns a Location with its canaries, and with everything that these need. */
function changed(
  location: Location<FeatureValues>,
  shadows: readonly Shadow[],
  closed: Problem | undefined,
  ownTls: boolean,
): Location<FeatureValues> {
  return {
    ...location,
    canaries: shadows.map(({ canary }) => canary),
    timed: location.timed || shadows.some(({ claim }) => asksForTimes(claim.features)),
    closed: location.closed ?? closed,
    ...(ownTls ? { ownTls } : {}),
  };
}

/** Returns the wanted names that the host gets. */
function namesOf(
  host: string,
  tls: HostTls,
  world: World,
  { oldest }: HostOwner,
): Pick<Server<FeatureValues>, "aliases" | "redirectFrom"> {
  const { aliases, twin } = world.wantedBy(host);
  const wanted = twin === undefined ? aliases : [...aliases, twin];
  if (wanted.length === 0) return { aliases: [], redirectFrom: undefined };
  const own = wanted.filter((name) => world.ownerOf(name) === host);
  const named = aliasesOf(own, tls, world, oldest);
  return { aliases: named.filter(({ name }) => name !== twin), redirectFrom: named.find(({ name }) => name === twin) };
}
