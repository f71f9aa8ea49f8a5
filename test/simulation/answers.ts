/**
 * Questions to nginx and their answers as values that can be compared: who owns the path, which
 * guards a request meets, and which endpoints may get it.
 */
import { canaryShares } from "../../src/ask/matcher/canaries.ts";
import { type DecideOptions, decide } from "../../src/ask/matcher/decide.ts";
import type { Decision } from "../../src/ask/matcher/decision.ts";
import type { Served } from "../../src/ask/matcher/host.ts";
import type { AskedRequest } from "../../src/ask/matcher/request.ts";
import type { Location } from "../../src/core/model/configuration.ts";
import type { FeatureValues } from "../../src/core/policies/registry.ts";

export interface Probe {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly target: string;
}

export interface Answer {
  /** The owner of the path, the guards, and what the request gets, without endpoints. */
  readonly way: string;
  /** `address:port` of all endpoints that may get it. */
  readonly endpoints: readonly string[];
  /** The namespaces whose Services may get it. */
  readonly tenants: readonly string[];
  /** The login, certificate or address that is asked for; empty if the path is open to all. */
  readonly guards: string;
  /** The fingerprint of the certificate in the handshake; empty over http. */
  readonly certificate: string;
  /** The owner of the path and the guards, without what the request gets. */
  readonly place: string;
  /** Whether the workers lack the text for the newest form of the host. */
  readonly isFormer?: true;
  /** Whether a request may reach a backend. */
  readonly isProxied: boolean;
}

/** The ports of the simulated controllers. */
export const decideOptions: DecideOptions = {
  ownPaths: ["/healthz", "/nginx_status"],
  builtInPort: 8181,
  ports: { http: 80, https: 443 },
};

const guarding = new Set(["basic-auth", "external-auth", "client-certificate", "access-lists"]);

/** Returns the answer, and the Location that gives it. */
export function decided(
  served: Served,
  probe: Probe,
  certificate: string | undefined,
): { readonly answer: Answer; readonly location: Location<FeatureValues> | undefined } {
  const asked: AskedRequest = { ...probe, method: "GET", headers: new Map(), client: "198.51.100.7" };
  const { atListeners, atHosts } = decide(served, asked, decideOptions);
  const found = atListeners.find(({ port }) => port.address === undefined);
  const decision = found === undefined || found.passedOn !== undefined ? atHosts : found;
  const shown = probe.scheme === "https" ? (certificate ?? "none") : "";
  const location = decision.path?.kind === "location" ? decision.path.location : undefined;
  return { answer: { ...answerOf(decision, asked), certificate: shown }, location };
}

function answerOf(decision: Decision, asked: AskedRequest): Omit<Answer, "certificate"> {
  const { host, path, guards, backends, end } = decision;
  const taken = path?.kind === "location" ? path : undefined;
  const owner = taken?.location.owner;
  const words = guards.filter(({ what }) => guarding.has(what)).map(({ what, outcome }) => `${what} ${outcome}`);
  const shares = end.kind === "proxied" ? canaryShares(end.canaries, asked) : [];
  const upstreams =
    end.kind !== "proxied"
      ? []
      : backends.length > 1
        ? backends.flatMap(({ upstream }) => upstream ?? [])
        : [
            end.upstream,
            ...end.canaries.flatMap(({ upstream }, at) => (shares[at]! > 0 && upstream ? [upstream] : [])),
          ];
  const unusable = backends.filter(({ backend, upstream }) => backend.unusable || !upstream?.endpoints.length).length;
  const place = [
    host?.by ?? "no host",
    owner === undefined ? "nobody" : `${owner.kind} ${owner.namespace}/${owner.name}`,
    taken?.route.path ?? "",
    ...words,
  ].join(" | ");
  const way = [
    place,
    end.kind === "answer" ? `${end.status} ${end.location ?? ""}` : end.kind,
    ...upstreams.map(({ id }) => id).sort(),
    end.kind === "proxied" ? (end.rewritten ?? "") : "",
    unusable > 0 && end.kind === "proxied" ? `${unusable} unusable` : "",
  ].join(" | ");
  return {
    ...{ place, way },
    endpoints: upstreams.flatMap(({ endpoints }) => endpoints.map(({ address, port }) => `${address}:${port}`)).sort(),
    tenants: [...new Set(upstreams.map(({ id }) => id.split("/")[0]!))],
    guards: words.join(", "),
    isProxied: end.kind === "proxied",
  };
}

/** The answer of workers without records. */
export const unfilled: Answer = {
  place: "",
  way: "503: no records",
  endpoints: [],
  tenants: [],
  guards: "",
  certificate: "",
  isProxied: false,
};
