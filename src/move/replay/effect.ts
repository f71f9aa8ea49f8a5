/**
 * Describes the effect on a request as a table of words, so that the effects of Ingresses and of
 * routes can be compared field by field. Names of Locations, Shapes and objects are left out,
 * because clients and backends do not see them.
 */

import type { DecideOptions } from "../../ask/matcher/decide.ts";
import type { End, Guard } from "../../ask/matcher/decision.ts";
import type { Served } from "../../ask/matcher/host.ts";
import type { AskedRequest } from "../../ask/matcher/request.ts";
import type { Location, Upstream } from "../../core/model/configuration.ts";
import { isAnyEnough } from "../../core/policies/any-enough.ts";
import type { AnyFeature } from "../../core/policies/declare.ts";
import { shapingAnswers } from "../../core/policies/hooks.ts";
import { type FeatureValues, featureList } from "../../core/policies/registry.ts";
import { issuesCookie } from "../../core/policies/sessions/declaration.ts";
import type { Passed } from "../convert/passthrough/passed.ts";
import { type Connection, connectionFields } from "./connection.ts";

/** The effect by field, in words that are shown to people and compared. */
export type Effect = ReadonlyMap<string, string>;

export interface World {
  readonly served: Served;
  readonly options: DecideOptions;
  /** `namespace/name` of the Service that answers if no path does; absent: the built-in one. */
  readonly defaultService?: string | undefined;
  /** Hosts of Ingresses whose TLS passes through, with their targets. */
  readonly passed: ReadonlyMap<string, Passed>;
}

/** Features that are compared by their effects on a request, and not by their values. */
const comparedByEffect: ReadonlySet<keyof FeatureValues> = new Set([
  ...(["canary", "rewrite", "appRoot", "aliases", "sslPassthrough", "sslRedirect", "redirects"] as const),
  // These concern streams and whole servers, and not a single request.
  ...(["streamSnippet", "serverSnippet"] as const),
  // The protocol may also depend on the backend (`connectionFields`).
  ...(["backendProtocol", "proxySsl"] as const),
]);

/**
 * The features that are compared here. Features of Upstreams are compared with the Upstream,
 * because several Ingresses may set them. Features of hosts are compared by their effects, or their
 * hosts stay with their Ingresses.
 */
const compared = featureList.filter(
  ([name, { scope }]) => !comparedByEffect.has(name) && scope !== "upstream" && scope !== "host",
);

const textOf = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/**
 * Returns the annotations that a field of an Effect comes from; none if the field is not a
 * feature.
 */
export function annotationsOfField(field: string): readonly string[] {
  const found = featureList.find(([, feature]) => `feature ${feature.name}` === field);
  return found === undefined
    ? []
    : Object.values((found[1] as AnyFeature).fields as Record<string, { key: string }>).map(({ key }) => key);
}

type Field = readonly [name: string, text: string];

const fieldsOf = new WeakMap<FeatureValues, readonly Field[]>();

/** Returns a field for each feature. The list is kept, because many requests have the same one. */
function featureFields({ features }: Pick<Location<FeatureValues>, "features">): readonly Field[] {
  const known = fieldsOf.get(features);
  if (known !== undefined) return known;
  const fields = compared.map(([name, feature]): Field => {
    const text = name === "customErrors" ? errorsText(features.customErrors) : textOf(features[name]);
    return [`feature ${feature.name}`, name === "satisfy" && !isAnyEnough(features) ? "all" : text];
  });
  fieldsOf.set(features, fields);
  return fields;
}

/** Returns the features that add headers to nginx's own answers in the Location. */
function answerFields({ features, closed }: Pick<Location<FeatureValues>, "features" | "closed">): readonly Field[] {
  if (closed !== undefined) return [];
  return shapingAnswers(features).map(([name, feature]) => [`feature ${feature.name}`, textOf(features[name])]);
}

/**
 * Returns the text of the errors. The list's origin, the Ingress or the ConfigMap, matters only
 * if the Ingress has a backend for errors.
 */
function errorsText({ own, ...errors }: FeatureValues["customErrors"]): string {
  return JSON.stringify({ ...errors, isForOwn: own && errors.standIn !== undefined });
}

function guardFields(guards: readonly Guard[]): readonly Field[] {
  // Clients see no difference between the annotations that send them to https.
  const wordsOf = ({ what, says }: Guard) => (what === "ssl-redirect" ? "" : says);
  return guards.map(
    (guard) => [`guard ${guard.what}`, `${guard.outcome} ${guard.status ?? ""} ${wordsOf(guard)}`] as const,
  );
}

/**
 * Returns how endpoints are chosen, without the path of a cookie, which may depend on the Location.
 */
function balanceText({ balance }: Pick<Upstream, "balance">): string {
  if (balance.algorithm !== "cookie") return textOf(balance);
  return JSON.stringify({ ...balance, cookie: { ...balance.cookie, path: "" } });
}

/** Returns the cookies of an answer. */
function cookieFields({ location: { features }, backends, cookiePath: path }: ToBackend): readonly Field[] {
  if (!issuesCookie(features)) return [];
  const paths = backends.flatMap(({ upstream, share }) =>
    share > 0 && upstream?.balance.algorithm === "cookie" ? [upstream.balance.cookie.path || path] : [],
  );
  return [["path of the cookie", [...new Set(paths)].join(", ")]];
}

export interface SharedBackend {
  readonly name: string;
  readonly connection: Connection;
  readonly share: number;
  readonly upstream: Upstream | undefined;
}

function backendFields(backends: readonly SharedBackend[]): readonly Field[] {
  const taking = backends.filter(({ share }) => share > 0);
  const shares = taking.map(({ name, share }) => `${name} ${Math.round(share * 1e6) / 1e4}%`).sort();
  return [
    ["backends", shares.join(", ")],
    ...connectionFields(taking.map(({ connection }) => connection)),
    ...taking.flatMap(({ name, upstream }): Field[] =>
      upstream === undefined
        ? [[`backend ${name}`, "no endpoint"]]
        : [
            [`backend ${name}`, upstream.endpoints.map(({ address, port }) => `${address}:${port}`).join(" ")],
            [`balance of ${name}`, balanceText(upstream)],
          ],
    ),
  ];
}

/** What both APIs know about a request that a backend gets. */
export interface ToBackend {
  readonly location: Location<FeatureValues>;
  readonly backends: readonly SharedBackend[];
  /** The path that the backend gets, if it is rewritten. */
  readonly rewritten: string | undefined;
  readonly transportSecurity: string;
  readonly certificate: readonly Field[];
  /** The path of a cookie that has no other path. */
  readonly cookiePath: string;
  readonly guards: readonly Guard[];
}

export function effectOfBackend(one: ToBackend): Effect {
  return new Map([
    ["answer", "of the backend"],
    ["path", one.rewritten ?? "as it came"],
    ["Strict-Transport-Security", one.transportSecurity],
    ...one.certificate,
    ...backendFields(one.backends),
    ...cookieFields(one),
    ...guardFields(one.guards),
    ...featureFields(one.location),
  ]);
}

/** Returns the effect of an answer of nginx itself. `location` is the one that shapes it. */
export function effectOfAnswer(
  end: End,
  certificate: readonly Field[],
  location: Location<FeatureValues> | undefined,
): Effect {
  const status = end.kind === "answer" ? end.status : 404;
  const target = end.kind !== "answer" || end.location === undefined ? "" : ` ${comparableLocation(end.location)}`;
  return new Map([
    ["answer", `${status}${target}`],
    ...certificate,
    ...(location === undefined ? [] : answerFields(location)),
  ]);
}

/**
 * Returns a Location header in a normal form: without the usual port, and with `/` in place of an
 * empty path.
 */
export function comparableLocation(location: string): string {
  return location
    .replace(/^(http:\/\/[^/?]+):80(?=[/?]|$)/, "$1")
    .replace(/^(https:\/\/[^/?]+):443(?=[/?]|$)/, "$1")
    .replace(/^(https?:\/\/[^/?]+)(?=\?|$)/, "$1/");
}

export const certificateField = (asked: AskedRequest, certificate: string): readonly Field[] =>
  asked.scheme === "https" ? [["certificate", certificate]] : [];
