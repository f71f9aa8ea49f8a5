/**
 * One host's Server from the Claims on it, oldest first. What it needs of the world beyond its Claims it asks `World`
 * for, and what it used it reports as `uses`, so that the translator knows when to build it again.
 */
import { unannotated } from "../annotations/read.ts";
import { type FeatureValues, featureList } from "../annotations/registry.ts";
import { certificateOf, isValidFor } from "../certificates/certificate.ts";
import { shown } from "../kinds/kind.ts";
import { regexMistake } from "../kinds/patterns.ts";
import { formOf } from "../kinds/server-names.ts";
import { type Alias, catchAll, defaultUpstream, type Location, type Server } from "../model/configuration.ts";
import type { IngressBackend } from "../model/objects.ts";
import type { Problem } from "../problem.ts";
import type { Settings } from "../settings/registry.ts";
import { backendOf, type NamedBackend } from "./backends.ts";
import type { UpstreamUse } from "./balance.ts";
import { type Shadow, shadowsOf } from "./canaries.ts";
import { type Claim, isCatchAllBackend } from "./claim.ts";
import { servicePortOf } from "./endpoints.ts";
import { guardedByOldest, literalPatterns } from "./host-doubts.ts";
import { withHostIdentity } from "./host-identity.ts";
import { nameProblems } from "./host-names.ts";
import { pathFault, typedPath } from "./paths.ts";
import { isRegexHost, type Path, routesOf } from "./routes.ts";
import type { World } from "./world.ts";

export interface BuiltServer {
  /** Undefined where only canaries speak for the host: they make none (RS-3.8). */
  readonly server: Server<FeatureValues> | undefined;
  readonly uses: readonly UpstreamUse[];
  /** Keys of the Secrets its certificate was looked for in. */
  readonly secrets: readonly string[];
  readonly problems: readonly Problem[];
}

interface Draft {
  readonly location: Location<FeatureValues>;
  readonly path: Path;
  /** Where its path stands in the Ingress; empty for what nobody wrote. */
  readonly field: string;
  /** Undefined: the implicit root of the catch-all, which is nobody's. */
  readonly claim: Claim | undefined;
}

export function serverOf(host: string, all: readonly Claim[], world: World): BuiltServer {
  const ordinary = all.filter(({ values }) => values.canary === undefined);
  const claims = withHostIdentity(ordinary, world.settings);
  const canaries = all.filter(({ values }) => values.canary !== undefined);
  const problems: Problem[] = [];
  const uses: UpstreamUse[] = [];
  const drafts: Draft[] = [];
  const draftsByPath = new Map<string, Draft>();
  for (const claim of claims) {
    for (const { field, path } of claim.hosts.get(host) ?? []) {
      const typed = typedPath(path);
      const { type, text } = typed;
      const fault = pathFault(typed);
      if (fault !== undefined) {
        const done = "the path is ignored";
        problems.push({ object: claim.object, kind: "field-unusable", field: `${field}.path`, why: fault, done });
        continue;
      }
      const owner = draftsByPath.get(`${type} ${text}`);
      if (owner?.claim !== undefined) {
        problems.push({
          object: claim.object,
          kind: "path-taken",
          host: shownHost(host),
          path: text,
          by: owner.claim.object,
        });
        continue;
      }
      const backend = usedBackend(`${field}.backend`, path.backend, claim, false);
      if (backend === undefined) continue;
      const draft = draftOf(claim, text, type, backend, `${field}.path`);
      drafts.push(draft);
      draftsByPath.set(`${type} ${text}`, draft);
      problems.push(...patternAsCookiePath(claim, `${field}.path`));
    }
    useStandIn(claim);
  }
  if (isRegexHost(drafts.map(({ path }) => path))) dropBroken();
  else problems.push(...literalPatterns(host, claims));
  if (claims.length > 0 || host === catchAll) addRoot();
  const mains = drafts.map(({ path, location }) => ({ ...path, upstream: location.upstream }));
  const { shadows, ...found } = shadowsOf(host, canaries, mains, world);
  uses.push(...found.uses);
  problems.push(...found.problems);
  if (drafts.length === 0) return { server: undefined, uses, secrets: [], problems };

  for (const { object, values } of claims) {
    if (!values.sslPassthrough.on || world.sslPassthrough) continue;
    const why = "the controller runs without --enable-ssl-passthrough";
    problems.push({ object, kind: "annotation-useless", key: "ssl-passthrough", why });
  }
  problems.push(...changedNeighbours(host, drafts));
  const hostless = host === catchAll ? hostlessOf(claims) : { closed: false, problems: [] };
  problems.push(...hostless.problems);
  const tls = tlsOf(host, claims, world, problems);
  const { aliases, twin } = world.wantedBy(host);
  const own = [...aliases, ...(twin === undefined ? [] : [twin])].filter((name) => world.ownerOf(name) === host);
  const named = aliasesOf(own, tls, world);
  problems.push(...nameProblems(host, claims, { aliases, twin }, world.ownerOf));
  const server: Server<FeatureValues> = {
    name: host,
    aliases: named.filter(({ name }) => name !== twin),
    redirectFrom: named.find(({ name }) => name === twin),
    certificate: tls.certificate,
    tlsConfigured: tls.configured || isCovered(host, world),
    appRoot: appRootOf(drafts),
    locations: drafts.map(({ location, claim }, at) => ({
      ...withCanaries(
        location,
        shadows.filter(({ main }) => main === at),
      ),
      denied: location.denied || (hostless.closed && claim !== undefined),
    })),
    routes: routesOf(drafts.map(({ path }) => path)),
    features: hostFeatures(claims, world.settings),
  };
  return { server, uses, secrets: tls.secrets, problems };

  /** Where paths are regular expressions, one that does not compile is left out, or nginx would refuse all of them (RS-32.37). */
  function dropBroken(): void {
    for (const draft of drafts.filter(({ path }) => regexMistake(path.path) !== undefined)) {
      const { claim, field, path } = draft;
      const why = `${shown(path.path)} is no regular expression: ${regexMistake(path.path)}`;
      if (claim !== undefined)
        problems.push({ object: claim.object, kind: "field-unusable", field, why, done: "the path is ignored" });
      drafts.splice(drafts.indexOf(draft), 1);
    }
  }

  /** The implicit `/` (RS-3.6), and the default backend of the catch-all, which beats any rule for `/` (RS-4.7). */
  function addRoot(): void {
    const root = drafts.findIndex(({ path }) => path.path === "/" && path.type === "prefix");
    if (host === catchAll) {
      const backing = claims.find(({ ingress }) => isCatchAllBackend(ingress));
      const backend =
        backing && usedBackend("spec.defaultBackend", backing.ingress.spec!.defaultBackend!, backing, true);
      if (backing !== undefined && backend !== undefined) {
        if (root >= 0) drafts.splice(root, 1);
        const values = { ...backing.values, ...withoutRedirects(world.settings) };
        drafts.push(draftOf({ ...backing, values }, "/", "prefix", backend));
      } else if (root < 0) {
        drafts.push(unownedRoot(world.settings));
      }
      return;
    }
    const first = claims[0];
    if (root >= 0 || first === undefined) return;
    problems.push(...guardedByOldest(host, claims, world.settings));
    const own = first.ingress.spec?.defaultBackend;
    const backend = own && usedBackend("spec.defaultBackend", own, first, true);
    drafts.push(draftOf(backend === undefined ? withoutStandIn(first) : first, "/", "prefix", backend ?? noBackend));
  }

  /** The Service that answers for others of the Ingress that have no endpoints. */
  function useStandIn(claim: Claim): void {
    const id = standInOf(claim);
    const { standIn } = claim.values.customErrors;
    if (id === undefined || standIn === undefined) return;
    const service = `${claim.object.namespace}/${standIn.service}`;
    uses.push({ id, service, port: standIn.port, claim, asDefault: false, relieves: undefined });
  }

  /** Undefined where the backend is no Service: such a path makes no Location (RS-5.8). */
  function usedBackend(
    field: string,
    named: IngressBackend,
    claim: Claim,
    asDefault: boolean,
  ): NamedBackend | undefined {
    const { object } = claim;
    const answer = backendOf(named, object.namespace);
    if (!answer.ok) {
      problems.push({ object, kind: "field-unusable", field, why: answer.why, done: "the path is ignored" });
      return undefined;
    }
    const { backend } = answer;
    const { upstream: id, key, port } = backend;
    const service = world.service(key);
    if (service === undefined) problems.push({ object, kind: "service-missing", field, service: key });
    else if (service.spec?.type !== "ExternalName" && servicePortOf(service, port) === undefined) {
      problems.push({ object, kind: "service-port-missing", field, service: key, port });
    }
    const known = uses.some((use) => use.id === id && use.claim.key === claim.key && use.asDefault === asDefault);
    if (!known) uses.push({ id, service: key, port, claim, asDefault, relieves: undefined });
    return backend;
  }
}

/** Times are noted where the Location or a canary of it asks for ewma; whether it gets it is up to the Upstream's oldest user. */
function withCanaries(location: Location<FeatureValues>, shadows: readonly Shadow[]): Location<FeatureValues> {
  const asked = [location.features, ...shadows.map(({ claim }) => claim.values)];
  const timed = asked.some(({ loadBalance }) => loadBalance.algorithm === "ewma");
  return { ...location, canaries: shadows.map(({ canary }) => canary), timed };
}

/** RS-14.8: a cookie with a pattern for its path never comes back. */
function patternAsCookiePath({ object, values }: Claim, field: string): Problem[] {
  const { rewrite, sessionAffinity } = values;
  if (!rewrite.regex || sessionAffinity.type !== "cookie" || sessionAffinity.path !== "") return [];
  const why = "a regular expression is no Path for the affinity cookie";
  return [
    { object, kind: "field-unusable", field, why, done: "clients may not send it back; set session-cookie-path" },
  ];
}

/** The global default backend writes its error pages itself (routing/implicit-root-and-its-owner). */
function withoutStandIn(claim: Claim): Claim {
  const { customErrors } = claim.values;
  if (customErrors.standIn === undefined) return claim;
  return { ...claim, values: { ...claim.values, customErrors: { ...customErrors, standIn: undefined } } };
}

/** Id of its Upstream. */
function standInOf({ object, values }: Claim): string | undefined {
  const { standIn } = values.customErrors;
  return standIn && `${object.namespace}/${standIn.service}/${standIn.port}`;
}

const noBackend: NamedBackend = { upstream: defaultUpstream, key: "", service: "", port: "" };

function draftOf(claim: Claim, path: string, type: Path["type"], backend: NamedBackend, field = ""): Draft {
  const { rewrite } = claim.values;
  return {
    claim,
    field,
    path: { path, type, regex: rewrite.regex, rewriteTarget: rewrite.target },
    location: {
      path,
      ingress: { namespace: claim.object.namespace, name: claim.object.name },
      service: backend.service,
      servicePort: backend.port,
      features: claim.values,
      upstream: backend.upstream,
      standIn: standInOf(claim),
      canaries: [],
      timed: false,
      denied: claim.denied,
    },
  };
}

/** Requests for unknown hosts are neither redirected nor rewritten (RS-4.7). */
function withoutRedirects(
  settings: Settings,
): Pick<FeatureValues, "rewrite" | "redirects" | "sslRedirect" | "appRoot"> {
  const { rewrite, redirects, sslRedirect, appRoot } = unannotated(settings);
  return { rewrite, redirects, appRoot, sslRedirect: { ...sslRedirect, whenConfigured: false, always: false } };
}

/** What answers for unknown hosts: the default backend, with nobody's annotations. */
function unownedRoot(settings: Settings): Draft {
  const values = { ...unannotated(settings), ...withoutRedirects(settings) };
  const logs = { ...values.logs, access: settings.enableAccessLogForDefaultBackend };
  return {
    claim: undefined,
    field: "",
    path: { path: "/", type: "prefix", regex: false, rewriteTarget: "" },
    location: {
      path: "/",
      ingress: { namespace: "", name: "" },
      service: "",
      servicePort: "",
      features: { ...values, logs },
      upstream: defaultUpstream,
      standIn: undefined,
      canaries: [],
      timed: false,
      denied: false,
    },
  };
}

/** One Problem on the oldest Ingress that makes the paths of others regular expressions (RS-6.2). */
function changedNeighbours(host: string, drafts: readonly Draft[]): Problem[] {
  const turning = drafts.find(({ claim, path }) => claim !== undefined && isRegexHost([path]))?.claim;
  if (turning === undefined) return [];
  const others = drafts.filter(({ claim, path, location }) => {
    const plain = claim !== undefined && claim !== turning && location.upstream !== defaultUpstream;
    // everything is below /, as a pattern too
    return plain && path.path !== "/" && !isRegexHost([path]);
  });
  const neighbours = [...new Set(others.flatMap(({ claim }) => (claim === undefined ? [] : [claim.object])))];
  if (neighbours.length === 0) return [];
  const key = turning.values.rewrite.regex ? "use-regex" : "rewrite-target";
  return [{ object: turning.object, kind: "neighbours-changed", key, host: shownHost(host), neighbours }];
}

/** An alias has the host's certificate if that covers it, and TLS is configured for it only then (RS-10.8, RS-11.2). */
function aliasesOf(
  names: readonly string[],
  { certificate }: { certificate: string | undefined },
  world: World,
): Alias[] {
  const secret = certificate === undefined ? undefined : world.secret(certificate);
  const read = secret && certificateOf(secret);
  return names.map((name) => {
    const covered = read?.ok === true && isValidFor(read.certificate, name);
    return { name, certificate: covered ? certificate : undefined, tlsConfigured: covered || isCovered(name, world) };
  });
}

/** Whether a wildcard above the name has TLS configured. */
function isCovered(name: string, world: World): boolean {
  const parent = parentOf(name);
  return parent !== undefined && world.isTlsConfigured(parent);
}

/** The wildcard one level above an exact name. */
export function parentOf(name: string): string | undefined {
  return formOf(name) === "exact" && name.includes(".") ? `*${name.slice(name.indexOf("."))}` : undefined;
}

/** Of several, the one of the longest path is heard (RS-12.3). */
function appRootOf(drafts: readonly Draft[]): string | undefined {
  const withRoot = drafts.filter(({ location }) => location.features.appRoot.path !== "");
  const longest = Math.max(...withRoot.map(({ path }) => path.path.length));
  return withRoot.find(({ path }) => path.path.length === longest)?.location.features.appRoot.path;
}

/** RS-10.1: the oldest Ingress with a TLS section decides; in it the entry that lists the host, else the first that fits. */
function tlsOf(host: string, claims: readonly Claim[], world: World, problems: Problem[]) {
  const claim = claims.find(({ ingress }) => (ingress.spec?.tls?.length ?? 0) > 0);
  if (host === catchAll || claim === undefined) return { configured: false, certificate: undefined, secrets: [] };
  const { namespace } = claim.object;
  const entries = [...claim.ingress.spec!.tls!.entries()].map(([at, { hosts, secretName }]) => ({
    field: `spec.tls[${at}].secretName`,
    lists: hosts?.some((name) => name.toLowerCase() === host) === true,
    secret: secretName === undefined || secretName === "" ? undefined : `${namespace}/${secretName}`,
  }));
  const listing = entries.filter(({ lists }) => lists);
  const candidates = listing.length > 0 ? listing.slice(0, 1) : entries;
  const secrets = candidates.flatMap(({ secret }) => (secret === undefined ? [] : [secret]));
  for (const { field, secret, lists } of candidates) {
    if (secret === undefined) continue;
    const found = world.secret(secret);
    const read = found === undefined ? ({ ok: false, why: "not found" } as const) : certificateOf(found);
    if (!read.ok) problems.push({ object: claim.object, kind: "secret-unusable", field, secret, why: read.why });
    else if (isValidFor(read.certificate, host)) return { configured: true, certificate: secret, secrets };
    else if (lists) {
      const names = read.certificate.names.join(", ") || "no name at all";
      problems.push({ object: claim.object, kind: "certificate-misfit", secret, host, names });
    }
  }
  return { configured: true, certificate: undefined, secrets };
}

const hostScoped = featureList.filter(([, { provides }]) => provides !== undefined);

/** For each feature that holds for a host as a whole, the value of the oldest Ingress that says something (RS-3.5). */
function hostFeatures(claims: readonly Claim[], settings: Settings): FeatureValues {
  const plain = unannotated(settings);
  const heard: Record<string, unknown> = {};
  for (const [name, { provides }] of hostScoped) {
    const speaker = claims.find(({ values }) => provides!(values[name]));
    if (speaker !== undefined) heard[name] = speaker.values[name];
  }
  return Object.keys(heard).length === 0 ? plain : { ...plain, ...heard };
}

/**
 * The catch-all cannot be a server block of its own, so what needs one has no effect there; where it guards, its paths are
 * closed instead (client certificates for rules without a host).
 */
function hostlessOf(claims: readonly Claim[]): { readonly closed: boolean; readonly problems: readonly Problem[] } {
  const meant = hostScoped.flatMap(([name, feature]) =>
    claims
      .filter(({ values }) => feature.textServer?.(values[name]) === true)
      .map(({ object }) => ({ object, feature })),
  );
  return {
    closed: meant.some(({ feature }) => feature.guard === true),
    problems: meant.map(({ object, feature }) => ({
      object,
      kind: "field-unusable",
      field: "spec.rules",
      why: `${feature.name} needs a host, and a rule has none`,
      done: feature.guard === true ? "paths without a host answer 503" : "it has no effect there",
    })),
  };
}

function shownHost(host: string): string {
  return host === catchAll ? "*" : host;
}
