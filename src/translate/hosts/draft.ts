/** A Location on its way into a Server, with what routing and Problems want to know of it beside its text. */
import { unannotated } from "../../annotations/read.ts";
import type { FeatureValues } from "../../annotations/registry.ts";
import { defaultUpstream, type Location } from "../../model/configuration.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Claim } from "../claim.ts";
import type { NamedBackend } from "../ingress/backends.ts";
import type { TypedPath } from "../ingress/paths.ts";
import { standInOf } from "../upstreams/backend-uses.ts";
import type { Path } from "./path-routes.ts";

export interface Draft {
  readonly location: Location<FeatureValues>;
  readonly path: Path;
  /** Where its path stands in the Ingress; empty for what nobody wrote. */
  readonly field: string;
  /** Undefined: the implicit root of the catch-all, which is nobody's. */
  readonly claim: Claim | undefined;
}

const root: TypedPath = { text: "/", type: "prefix" };
const noBackend: NamedBackend = { upstream: defaultUpstream, key: "", service: "", port: "" };

export function isRoot({ path }: Draft): boolean {
  return path.path === root.text && path.type === root.type;
}

/** `field` is where its path stands in the Ingress. */
export function draftOf(claim: Claim, { text, type }: TypedPath, backend: NamedBackend, field = ""): Draft {
  const { rewrite } = claim.values;
  const { uid } = claim.ingress.metadata;
  const { namespace } = claim.object;
  return {
    claim,
    field,
    path: { path: text, type, regex: rewrite.regex, rewriteTarget: rewrite.target, denied: claim.denied, namespace },
    location: {
      path: text,
      ingress: { namespace: claim.object.namespace, name: claim.object.name, ...(uid === undefined ? {} : { uid }) },
      service: backend.service,
      servicePort: backend.port,
      features: claim.values,
      upstream: backend.upstream,
      standIn: standInOf(claim),
      canaries: [],
      timed: asksForTimes(claim.values),
      denied: claim.denied,
    },
  };
}

/** Times are noted where the Location or a canary of it asks for ewma; whether it gets it is up to the Upstream's oldest user. */
export function asksForTimes({ loadBalance }: FeatureValues): boolean {
  return loadBalance.algorithm === "ewma";
}

/** The `/` that an Ingress with nothing but a default backend gives the catch-all. */
export function defaultRoot(claim: Claim, backend: NamedBackend, settings: Settings): Draft {
  const values = { ...claim.values, ...withoutRedirects(settings) };
  return draftOf(withoutCookie({ ...claim, values }, settings), root, backend);
}

/** The `/` of a host where nobody has it: without a `backend` the global default one answers. */
export function implicitRoot(oldest: Claim, backend: NamedBackend | undefined, settings: Settings): Draft {
  const draft =
    backend === undefined
      ? draftOf(withoutStandIn(oldest), root, noBackend)
      : draftOf(withoutCookie(oldest, settings), root, backend);
  return { ...draft, path: { ...draft.path, implicit: true } };
}

/** What answers for unknown hosts: the default backend, with nobody's annotations. */
export function unownedRoot(settings: Settings): Draft {
  const values = { ...unannotated(settings), ...withoutRedirects(settings) };
  const logs = { ...values.logs, access: settings.enableAccessLogForDefaultBackend };
  return {
    claim: undefined,
    field: "",
    path: { path: "/", type: "prefix", regex: false, rewriteTarget: "", denied: false, implicit: true },
    location: {
      path: "/",
      ingress: { namespace: "", name: "" },
      service: "",
      servicePort: "",
      features: { ...values, logs },
      upstream: defaultUpstream,
      standIn: undefined,
      canaries: [],
      timed: asksForTimes(values),
      denied: false,
    },
  };
}

/** The global default backend writes its error pages itself (routing/implicit-root-and-its-owner). */
function withoutStandIn(claim: Claim): Claim {
  const { customErrors } = claim.values;
  if (customErrors.standIn === undefined) return claim;
  return { ...claim, values: { ...claim.values, customErrors: { ...customErrors, standIn: undefined } } };
}

/** A path of no rule issues no affinity cookie, whoever has the same Service and does (RS-14.3). */
function withoutCookie(claim: Claim, settings: Settings): Claim {
  if (claim.values.sessionAffinity.type === undefined) return claim;
  return { ...claim, values: { ...claim.values, sessionAffinity: unannotated(settings).sessionAffinity } };
}

/** Requests for unknown hosts are neither redirected nor rewritten (RS-4.7). */
function withoutRedirects(
  settings: Settings,
): Pick<FeatureValues, "rewrite" | "redirects" | "sslRedirect" | "appRoot"> {
  const { rewrite, redirects, sslRedirect, appRoot } = unannotated(settings);
  return { rewrite, redirects, appRoot, sslRedirect: { ...sslRedirect, whenConfigured: false, always: false } };
}
