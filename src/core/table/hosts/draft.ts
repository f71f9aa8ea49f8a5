/**
 * A Location before it becomes part of a Server, with facts that only routing and Problems need.
 */

import { defaultUpstream, type Location, type WeightedBackend } from "../../model/configuration.ts";
import { unannotated } from "../../policies/read.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { withoutCookie } from "../../policies/sessions/declaration.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Claim, PathMatch } from "../claim.ts";
import { standInOf } from "../upstreams/backend-uses.ts";
import type { Path } from "./path-routes.ts";

export interface Draft {
  readonly location: Location<FeatureValues>;
  readonly path: Path;
  /** The field of its path in its owner; empty for an implicit path. */
  readonly field: string;
  /** Undefined for the implicit root of the catch-all, which has no owner. */
  readonly claim: Claim | undefined;
}

const root: PathMatch = { text: "/", type: "prefix", loose: false };
/** The backends of a Location that the default backend answers. */
const noBackends: readonly WeightedBackend[] = [
  { upstream: defaultUpstream, key: "", service: "", port: "", weight: 1 },
];

export function isRoot({ path }: Draft): boolean {
  return path.path === root.text && path.type === root.type;
}

/** Makes a draft. `field` is the field of its path in its owner. */
export function draftOf(
  claim: Claim,
  { text, type }: PathMatch,
  backends: readonly WeightedBackend[],
  field = "",
): Draft {
  const { owner, uid, features, closed } = claim;
  const { rewrite } = features;
  const { namespace } = owner;
  return {
    claim,
    field,
    path: {
      path: text,
      type,
      regex: rewrite.regex,
      rewriteTarget: rewrite.target,
      denied: closed !== undefined,
      namespace,
    },
    location: {
      path: text,
      owner,
      ownerUid: uid,
      backends,
      features,
      standIn: standInOf(features),
      canaries: [],
      timed: asksForTimes(features),
      closed,
    },
  };
}

/**
 * Whether the Location needs recorded answer times, because its owner sets ewma. The Upstream's
 * oldest user decides whether ewma is used.
 */
export function asksForTimes({ loadBalance }: FeatureValues): boolean {
  return loadBalance.algorithm === "ewma";
}

/**
 * Returns the `/` of the catch-all from an owner that has only a default backend. A path without a
 * rule sets no affinity cookie, although other paths of the same Service may (RS-14.3).
 */
export function defaultRoot(claim: Claim, backend: WeightedBackend, settings: Settings): Draft {
  const features = { ...withoutCookie(claim.features, unannotated(settings)), ...withoutRedirects(settings) };
  return draftOf({ ...claim, features }, root, [backend]);
}

/**
 * Returns the `/` of a host without a rule for it. Without a `backend` the global default backend
 * answers.
 */
export function implicitRoot(oldest: Claim, backend: WeightedBackend | undefined, settings: Settings): Draft {
  const draft =
    backend === undefined
      ? draftOf(withoutStandIn(oldest), root, noBackends)
      : draftOf({ ...oldest, features: withoutCookie(oldest.features, unannotated(settings)) }, root, [backend]);
  return { ...draft, path: { ...draft.path, implicit: true } };
}

/** Returns the `/` for unknown hosts: the default backend, without annotations. */
export function unownedRoot(settings: Settings): Draft {
  const values = { ...unannotated(settings), ...withoutRedirects(settings) };
  const logs = { ...values.logs, access: settings.enableAccessLogForDefaultBackend };
  return {
    claim: undefined,
    field: "",
    path: { path: "/", type: "prefix", regex: false, rewriteTarget: "", denied: false, implicit: true },
    location: {
      path: "/",
      owner: undefined,
      ownerUid: undefined,
      backends: noBackends,
      features: { ...values, logs },
      standIn: undefined,
      canaries: [],
      timed: asksForTimes(values),
      closed: undefined,
    },
  };
}

/**
 * Returns the Claim without its own backend for errors, because the global default backend writes
 * its error pages itself (routing/implicit-root-and-its-owner).
 */
function withoutStandIn(claim: Claim): Claim {
  const { customErrors } = claim.features;
  if (customErrors.standIn === undefined) return claim;
  return { ...claim, features: { ...claim.features, customErrors: { ...customErrors, standIn: undefined } } };
}

/**
 * Returns the Claim without redirects and rewrites, which requests for unknown hosts do not get
 * (RS-4.7).
 */
function withoutRedirects(
  settings: Settings,
): Pick<FeatureValues, "rewrite" | "redirects" | "sslRedirect" | "appRoot"> {
  const { rewrite, redirects, sslRedirect, appRoot } = unannotated(settings);
  return { rewrite, redirects, appRoot, sslRedirect: { ...sslRedirect, whenConfigured: false, always: false } };
}
