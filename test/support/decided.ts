/**
 * The decision of the matcher about one request, as words for people and as the answers that nginx
 * may give by it. Tests that compare nginx with the matcher use it, and golden worlds keep it.
 */

import { canaryShares } from "../../src/ask/matcher/canaries.ts";
import { type DecideOptions, decide } from "../../src/ask/matcher/decide.ts";
import type { Decision, GatewayDecision } from "../../src/ask/matcher/decision.ts";
import type { Served } from "../../src/ask/matcher/host.ts";
import type { AskedRequest } from "../../src/ask/matcher/request.ts";
import { conditionWords } from "../../src/core/model/condition-words.ts";
import { catchAll, type Location, type Route, type Upstream } from "../../src/core/model/configuration.ts";
import { backendOf } from "../../src/core/model/location.ts";
import type { FeatureValues } from "../../src/core/policies/registry.ts";

/** A request and the place where it arrives. */
export interface Question {
  /** A Gateway with an address of its own; absent for the address of Ingresses. */
  readonly gateway?: string;
  readonly scheme: "http" | "https";
  /** The port of the URL; absent for the usual one. */
  readonly port?: number;
  readonly host: string;
  /** The name in the handshake; absent for the host, empty for none. */
  readonly sni?: string;
  readonly method: string;
  readonly target: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Decided {
  /** The host, path and conditions that decide, and the location. */
  readonly words: string;
  /**
   * Each answer that is possible: `ns/web /path` for a Service and the path that it gets, or a
   * status and the target of a redirect. Empty if only nginx can decide.
   */
  readonly answers: readonly string[];
}

export function decided(served: Served, question: Question, options: DecideOptions): Decided {
  const { gateway, headers, ...rest } = question;
  const asked: AskedRequest = { ...rest, headers: new Map(Object.entries(headers)) };
  const { atListeners: all, atHosts: ofIngresses } = decide(served, asked, options);
  const isHere = ({ listener, port }: GatewayDecision) =>
    gateway === undefined ? port.address === undefined : listener.gateway === gateway;
  const found = all.find(isHere);
  if (gateway !== undefined)
    return found === undefined ? { words: "no listener: 404", answers: ["404"] } : atGateway(found);
  if (found === undefined || found.passedOn !== undefined) return atIngresses(ofIngresses, asked);
  const here = atGateway(found);
  const share = found.path?.kind === "location" ? found.path.location.share : undefined;
  if (share === undefined || share === 1 || !isWanted(ofIngresses)) return here;
  const there = atIngresses(ofIngresses, asked);
  if (share === 0) return there;
  const answers = [...new Set([...here.answers, ...there.answers])].sort();
  return { words: `${here.words}; else ${there.words}`, answers };
}

/** Whether an Ingress would send the request to a Service, or redirect it. */
function isWanted({ host, path, request }: Decision): boolean {
  if (host?.how === "twin" || (host?.server.appRoot !== undefined && request?.uri === "/")) return true;
  if (path?.kind !== "location") return false;
  const { upstream, key, port } = backendOf(path.location);
  return upstream === `${key}/${port}`;
}

function atIngresses(decision: Decision, asked: AskedRequest): Decided {
  const { request, host, path, end } = decision;
  const by = host === undefined ? "" : `${host.how === "nothing else" ? "all hosts" : host.by} `;
  const place = path?.kind === "location" ? `${by}${locationWords(path.route, path.location)}` : by.trim();
  const of = (answers: readonly string[]): Decided => ({ words: wordsOf(place, answers), answers });
  if (end.kind === "unclear") return of([]);
  if (end.kind === "answer") return of([statusWords(end)]);
  const shares = canaryShares(end.canaries, asked);
  const rest = 1 - shares.reduce((sum, share) => sum + share, 0);
  const sent = end.rewritten ?? request!.requestUri.replace(/\?.*$/, "");
  return of([
    ...(rest > 0 ? [`${serviceOf(end.upstream)} ${sent}`] : []),
    ...end.canaries.flatMap(({ upstream }, at) => (shares[at]! > 0 ? [`${serviceOf(upstream)} ${sent}`] : [])),
  ]);
}

function atGateway({ request, listener, path, backends, end }: GatewayDecision): Decided {
  const taken = path?.kind === "location" ? path : undefined;
  const host = taken === undefined ? "" : taken.server.name === catchAll ? "all hosts " : `${taken.server.name} `;
  const place = `${listener.name}: ${host}${taken === undefined ? "" : locationWords(taken.route, taken.location)}`;
  const of = (answers: readonly string[]): Decided => ({ words: wordsOf(place, answers), answers });
  if (end.kind === "unclear") return of([]);
  if (backends.length === 0) return of(end.kind === "answer" ? [statusWords(end)] : []);
  const sent = (end.kind === "proxied" ? end.rewritten : undefined) ?? request!.requestUri.replace(/\?.*$/, "");
  const answers = backends.map(({ backend, upstream }) => {
    if (backend.unusable !== undefined) return String(taken?.location.unusableStatus ?? 500);
    return (upstream?.endpoints.length ?? 0) > 0 ? `${serviceOf(upstream)} ${sent}` : "503";
  });
  return of([...new Set(answers)]);
}

function statusWords({ status, location }: { readonly status: number; readonly location?: string }): string {
  return location === undefined ? String(status) : `${status} ${location}`;
}

/** Returns `namespace/name`, the beginning of the id. */
function serviceOf(upstream: Upstream | undefined): string {
  return upstream === undefined ? "none" : upstream.id.split(/[/ ]/).slice(0, 2).join("/");
}

function wordsOf(place: string, answers: readonly string[]): string {
  return `${place} -> ${answers.length === 0 ? "only nginx knows" : answers.join(" or ")}`;
}

function locationWords({ path, match, conditions }: Route, { owner }: Location<FeatureValues>): string {
  const words = conditionWords(conditions);
  const of = owner === undefined ? "nobody" : `${owner.kind} ${owner.namespace}/${owner.name}`;
  return `${path} (${match})${words === "" ? "" : ` with ${words}`} of ${of}`;
}
