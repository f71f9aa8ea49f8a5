/**
 * Searches for requests that Ingresses answer differently from the routes into which they were
 * converted. It makes each finding small: it drops one Ingress, annotation, path or header after
 * the other while the answers still differ.
 */

import { decide } from "../../../src/ask/matcher/decide.ts";
import { namesAbove } from "../../../src/ask/matcher/listeners.ts";
import { type AskedRequest, readRequest } from "../../../src/ask/matcher/request.ts";
import { catchAll } from "../../../src/core/model/configuration.ts";
import type { Converted } from "../../../src/move/convert/converted.ts";
import { effectsOf } from "../../../src/move/replay/proof.ts";
import { Draws } from "../draws.ts";
import { type BothSides, familyNames } from "./both-sides.ts";
import { client, differingFields, type Fields, targetOf } from "./client.ts";
import { isKnown } from "./known.ts";
import { type DrawnRequest, requestFrom } from "./requests.ts";
import { familyFrom, type IngressSketch } from "./worlds.ts";

/** The number of domains (families of Ingresses) on one nginx, and of requests to each of them. */
const familiesAtOnce = familyNames.length;
const requestsOfFamily = 60;
const atOnce = 8;

export interface World {
  readonly seed: number;
  readonly sketches: readonly IngressSketch[];
  readonly settings: Readonly<Record<string, string>>;
  readonly requests: readonly DrawnRequest[];
}

/** Data of the controller's ConfigMap. Each world draws one of them. */
const settings: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { hsts: "false", "ssl-redirect": "false" },
  { "custom-http-errors": "404,502", "use-forwarded-headers": "true" },
  { "force-ssl-redirect": "true", "http-redirect-code": "301", "proxy-body-size": "2k" },
  { "server-tokens": "true", "hide-headers": "X-Frame-Options", "proxy-real-ip-cidr": "192.0.2.0/24" },
  { "use-gzip": "true", "strict-validate-path-type": "false", "denylist-source-range": "198.51.100.0/24" },
];

export function worldOf(seed: number): World {
  const draw = new Draws(seed);
  const sketches = familyNames.slice(0, familiesAtOnce).flatMap((family) => familyFrom(draw, family));
  return worldFrom({ seed, sketches, settings: draw.of(settings) });
}

/**
 * Draws the requests of a world. They depend only on the seed and the Ingresses, so that a recorded
 * world gets the same requests again.
 */
export function worldFrom({ seed, sketches, settings }: Omit<World, "requests">): World {
  const draw = new Draws(seed);
  const families = [...Map.groupBy(sketches, ({ family }) => family).values()];
  const requests = families.flatMap((some) => Array.from({ length: requestsOfFamily }, () => requestFrom(draw, some)));
  return { seed, sketches, settings, requests };
}

/** A request that both sides answer differently although the conversion's proof found nothing. */
export interface Difference {
  readonly asked: DrawnRequest;
  readonly fields: readonly string[];
  readonly answers: readonly [Fields, Fields];
}

export interface Found {
  readonly differences: readonly Difference[];
  readonly asked: number;
  /** The number of requests for which the proof reports a difference. */
  readonly named: number;
  /** The number of requests to hosts that the conversion leaves to their Ingresses. */
  readonly kept: number;
}

export async function search({ sketches, settings, requests }: World, sides: BothSides): Promise<Found> {
  const made = await sides.serve(sketches, settings);
  const differences: Difference[] = [];
  let named = 0;
  for (let at = 0; at < requests.length; at += atOnce) {
    const found = await Promise.all(
      requests.slice(at, at + atOnce).map(async (asked): Promise<Difference[]> => {
        const expected = expectedOf(asked, made);
        if (expected === "named") named += 1;
        if (expected === "named") return [];
        const answers = await sides.ask(asked);
        const fields = [...expected, ...differingFields(...answers)];
        return fields.length === 0 || isKnown(fields, answers, isUnruled(asked, made))
          ? []
          : [{ asked, fields, answers }];
      }),
    );
    differences.push(...found.flat());
  }
  const kept = requests.filter(({ host }) => made.conversion.keptHosts.has(host)).length;
  return { differences, asked: requests.length, named, kept };
}

/**
 * Returns "named" if the report of the conversion names a difference for this request. Otherwise
 * it returns the fields in which the two Configurations differ although the report is silent.
 */
function expectedOf(drawn: DrawnRequest, { proof, worlds }: Converted): "named" | readonly string[] {
  const asked = askedRequest(drawn);
  const { ofIngresses, ofRoutes } = worlds;
  const [now, after] = effectsOf(asked, ofIngresses, ofRoutes);
  const { host } = decide(ofIngresses.served, asked, ofIngresses.options).atHosts;
  const name = host?.server.name ?? catchAll;
  const deeper = namesAbove(asked.host).slice(1);
  const ofHost = proof.differences.filter(
    (one) =>
      one.host === (name === catchAll ? "all other hosts" : name) ||
      (one.kind === "wildcard-depth" && deeper.includes(one.host)),
  );
  if (now === undefined || after === undefined) return ofHost.some(({ kind }) => kind === "unclear") ? "named" : [];
  const different = differingFields(now, after);
  const answer = different.filter((field) => field === "answer");
  const fields = answer.length > 0 ? answer : different;
  // The report has one line for all differences below a wildcard, such as the certificate beside a
  // 400.
  const isDeeper = ofHost.some(({ kind, host }) => kind === "wildcard-depth" && deeper.includes(host));
  if (fields.length === 0) return isDeeper && readRequest(asked) === undefined ? "named" : [];
  const isNamed = isDeeper || fields.some((field) => ofHost.some((one) => one.field === field));
  return isNamed ? "named" : fields.map((field) => `not in the report: ${field}`);
}

/** Whether the routes answer 404 because none of their rules has the path. */
function isUnruled(drawn: DrawnRequest, { worlds: { ofIngresses, ofRoutes } }: Converted): boolean {
  const [, after] = effectsOf(askedRequest(drawn), ofIngresses, ofRoutes);
  return after?.get("answer") === "404";
}

function askedRequest({ secure, host, method, headers, ...drawn }: DrawnRequest): AskedRequest {
  const scheme = secure ? "https" : "http";
  // nginx leaves out headers whose names have other characters (ignore-invalid-headers).
  const read = Object.entries(headers).filter(([name]) => /^[a-z\d-]+$/i.test(name));
  return { scheme, host, target: targetOf(drawn), method, headers: new Map(read), client };
}

/** Returns the smallest world found in which both sides answer this request differently. */
export async function shrunk(world: World, { asked }: Difference, sides: BothSides): Promise<World> {
  let best: World = { ...world, requests: [asked] };
  const isBetter = async (next: World): Promise<boolean> => {
    const { differences } = await search(next, sides);
    if (differences.length > 0) best = next;
    return differences.length > 0;
  };
  const family = best.sketches.filter((one) => asked.host.endsWith(one.family));
  await isBetter({ ...best, sketches: family });
  await isBetter({ ...best, settings: {} });
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const next of smaller(best)) {
      isSmaller = await isBetter(next);
      if (isSmaller) break;
    }
  }
  return best;
}

/** Yields worlds that have one part less, the largest parts first. */
function* smaller(world: World): Generator<World> {
  const { sketches, requests } = world;
  const [request] = requests as readonly [DrawnRequest];
  for (const at of sketches.keys()) if (sketches.length > 1) yield { ...world, sketches: sketches.toSpliced(at, 1) };
  const withSketch = (at: number, one: Partial<IngressSketch>): World => ({
    ...world,
    sketches: sketches.with(at, { ...sketches[at]!, ...one }),
  });
  for (const [at, { annotations, rules, tls, defaultBackend, namespace }] of sketches.entries()) {
    for (const key of Object.keys(annotations)) yield withSketch(at, { annotations: without(annotations, key) });
    if (rules.length > 1) for (const nth of rules.keys()) yield withSketch(at, { rules: rules.toSpliced(nth, 1) });
    for (const [nth, { host, paths }] of rules.entries()) {
      if (paths.length < 2) continue;
      for (const n of paths.keys()) {
        yield withSketch(at, { rules: rules.with(nth, { host, paths: paths.toSpliced(n, 1) }) });
      }
    }
    if (tls) yield withSketch(at, { tls: false });
    if (defaultBackend !== "") yield withSketch(at, { defaultBackend: "" });
    if (namespace !== "ns") yield withSketch(at, { namespace: "ns" });
  }
  const withRequest = (one: Partial<DrawnRequest>): World => ({ ...world, requests: [{ ...request, ...one }] });
  for (const key of Object.keys(request.headers)) yield withRequest({ headers: without(request.headers, key) });
  if (request.query.length > 0) yield withRequest({ query: [] });
  if (request.body !== "") yield withRequest({ body: "" });
  if (request.method !== "GET") yield withRequest({ method: "GET" });
  if (request.secure) yield withRequest({ secure: false });
}

function without(texts: Readonly<Record<string, string>>, key: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => name !== key));
}
