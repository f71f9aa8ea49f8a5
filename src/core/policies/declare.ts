/**
 * Declares annotation features: each has one file with one table in it. The declaration yields the
 * reading, the validation, the reference page, the table tests and, for a field with a
 * `directive`, the line in nginx.conf.
 *
 * The *fields* of a feature are the values of its annotations; its *value* is what the rest of
 * Sluice sees. They are the same unless the feature has a `resolve`, which may read Secrets,
 * ConfigMaps and Services and may refuse.
 */

import type { AskedPolicy } from "../kinds/asked.ts";
import type { Kind } from "../kinds/kind.ts";
import { bool } from "../kinds/words.ts";
import type { BackendTls } from "../model/backend-tls.ts";
import type { BackendProtocol, Filters } from "../model/filters.ts";
import type { BackendReference, HTTPRouteFilter, HTTPRouteRule } from "../model/gateway/objects.ts";
import type { ConfigMap, Secret, Service } from "../model/objects.ts";
import type { Consequence, ObjectName, Problem } from "../model/problem.ts";
import type { Fields as RecordFields } from "../model/records.ts";
import type { RouteTraits } from "../model/route-traits.ts";
import type { Setting } from "../settings/declare.ts";
import type { HeaderLine } from "../settings/header-lines.ts";
import { type Settings, settings } from "../settings/registry.ts";
import type { Capability } from "../tokens/capabilities.ts";
import type { AnswerHeader, Directive, Header, Place, Protocol, ServerPlace } from "../tokens/place.ts";
import type { Token, View } from "../tokens/token.ts";

export type Risk = "Low" | "Medium" | "High" | "Critical";

/**
 * The objects that a value holds for: the Locations of its Ingress, the whole Ingress, the Server
 * of its hosts, or the Upstream.
 */
export type Scope = "location" | "ingress" | "host" | "upstream";

/** What an annotation declares beside its key. */
export interface Declared<T> {
  /** A typical value, for the reference page. */
  readonly example: string;
  /** Older spellings, which are read when the key itself is absent or empty (RS-2.1). */
  readonly aliases?: readonly string[];
  readonly kind: Kind<T>;
  /** Replaces `kind` under --enable-annotation-validation=false: it allows more characters. */
  readonly loose?: Kind<T>;
  /** Replaces `kind` when permitted snippets declare variables, which a value may name as well. */
  readonly naming?: (declared: (name: string) => boolean) => Kind<T>;
  /** Whether it is nginx text, whose variables other annotations may name. */
  readonly declares?: true;
  /** Whether the value names an object in the namespace of its author. */
  readonly refers?: true;
  /**
   * The value when the annotation is absent, empty, or unreadable with consequence `default`. It
   * may only be absent if there need not be a value.
   */
  readonly fallback?: (settings: Settings) => T;
  /** The consequence of an unreadable value; `default` when not given. */
  readonly onBad?: Consequence;
  /** The annotation that it needs beside its feature's gate; null if it needs not even that. */
  readonly requires?: string | null;
  /**
   * Whether an empty value is an error and not the same as an absent one; an empty alias always
   * counts as absent (RS-32.27).
   */
  readonly emptyIsBad?: boolean;
  /** `Low` when not given. */
  readonly risk?: Risk;
  readonly doc: string;
  /**
   * The directive that prints the value if it differs from the http block's. A directive of the
   * proxy module is for HTTP backends; `grpc` is its name for gRPC backends. `live` says how the
   * value becomes data if that is possible (`Place.live`): as a route variable of that name,
   * without a line because the balancer sets it, or as arguments that a function binds. The
   * function returns undefined for a value that has to be text.
   */
  readonly directive?: {
    readonly name: string;
    readonly grpc?: string;
    readonly live?: Live<T>;
  };
}

type Live<T> = { readonly variable: string } | "balancer" | ((value: T, place: LivePlace) => Token | undefined);

export interface Field<T> extends Declared<T> {
  readonly key: string;
  readonly fallback: (settings: Settings) => T;
  readonly risk: Risk;
}

type Bind = Place["bind"];
type LivePlace = Pick<Place, "bind" | "ofGateway">;

// biome-ignore lint/suspicious/noExplicitAny: a table of fields of different types
export type Fields = Readonly<Record<string, Field<any>>>;

export type FieldValues<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/** Everything that a feature may read beside its fields; the Ingress depends on what is read. */
export interface Context {
  readonly ingress: ObjectName & { readonly namespace: string };
  readonly settings: Settings;
  /** The addresses that may be requested. */
  readonly asked: AskedPolicy;
  /** Whether the annotation of this field is present, readable and not empty. */
  given(field: string): boolean;
  /** Whether the annotation of this field is present and empty. */
  blank(field: string): boolean;
  /**
   * Whether a permitted snippet declares the variable: one of the Ingress, or one of the ConfigMap.
   */
  declares(variable: string): boolean;
  /**
   * Returns the reason why a reference to another namespace is not allowed; undefined if it is.
   * Each end of the reference has its own namespace.
   */
  readonly foreign: (kind: string, key: string) => string | undefined;
  /** Looks objects up by `namespace/name`. */
  secret(key: string): Secret | undefined;
  configMap(key: string): ConfigMap | undefined;
  service(key: string): Service | undefined;
}

export type Resolved<R> =
  | { readonly value: R; readonly problems?: readonly Problem[] }
  | { readonly refuse: Exclude<Consequence, "default">; readonly problem: Problem };

/** Returns the value of another feature of the same object. */
// biome-ignore lint/suspicious/noExplicitAny: the fields of the other feature do not matter
export type Other = <R>(feature: Feature<any, R>) => R;

/** The part of an annotation's effect that an nginx without Lua lacks, as with --mode=static. */
export interface LostWithoutLua {
  /** Whether all of the annotation's effect is lost. */
  readonly useless: boolean;
  readonly why: string;
}

export interface Feature<F extends Fields, R> {
  readonly name: string;
  readonly scope: Scope;
  readonly fields: F;
  /** In dynamic mode its value is data: a change is live without a reload. */
  readonly live?: true;
  /**
   * The field that all others depend on. If its annotation is absent or empty, the others have no
   * effect. The author gets a Problem, and a bad value has no consequence.
   */
  readonly gate?: keyof F & string;
  /**
   * Whether a field has no effect, given the fields whose annotations are present and not empty. A
   * bad value of it is then only reported and has no consequence.
   */
  readonly idle?: (field: keyof F & string, has: (other: keyof F & string) => boolean) => boolean;
  /**
   * Returns, by field, why its annotation has no effect beside the values of this feature and of
   * others; undefined if it has one. The author gets a Problem.
   */
  readonly onlyWith?: { readonly [K in keyof F]?: (value: R, other: Other) => string | undefined };
  /**
   * By field: the part of its annotation's effect that is lost in an nginx without Lua; undefined
   * if none is.
   */
  readonly withoutLua?: { readonly [K in keyof F]?: (value: R) => LostWithoutLua | undefined };
  /**
   * The reason why its annotations cannot be used in RouteSettings, for all fields or by field;
   * absent if they can. The text completes the sentence "spec.<key> has no effect: ...".
   */
  readonly notOnRoutes?: string | { readonly [K in keyof F]?: string };
  /**
   * Whether RouteSettings of a listener may have it nevertheless, for all hosts with routes: all
   * its fields, or the listed ones.
   */
  readonly onListeners?: true | readonly (keyof F & string)[];
  /**
   * For a guard: combines the values of two RouteSettings that hold for one request, the inner one
   * first. Returns undefined if no single value can; then no request passes.
   */
  readonly both?: (one: R, other: R) => R | undefined;
  /**
   * Whether its annotations count in a canary, which has all others of the Ingress beside it. A
   * `host` feature may then be set by canaries for their host.
   */
  readonly countsInCanaries?: true;
  /**
   * Whether it guards its paths. If a guard has changed, a refused version of an Ingress answers
   * 503 instead of falling back to its last good form.
   */
  readonly guard?: true;
  /**
   * The capability of nginx that it needs. Without it the feature renders nothing, and each of its
   * annotations is a Problem.
   */
  readonly needs?: Capability;
  readonly resolve?: (values: FieldValues<F>, context: Context) => Resolved<R>;
  /**
   * For a `host` feature: whether this value sets something. The oldest Ingress of the host that
   * sets it wins.
   */
  readonly provides?: (value: R) => boolean;
  /** Whether requests to its Location cause further requests that may come back to it. */
  readonly asksOthers?: (value: R) => boolean;
  /** Whether clients have to identify themselves, or an auth service decides about them. */
  readonly identifies?: (value: R) => boolean;
  /** Whether it changes how requests are framed, so that other routes share no connections. */
  readonly framesRequests?: (value: R) => boolean;
  /** Whether nginx may answer a request before it would redirect it to https. */
  readonly mayAnswer?: (value: R) => boolean;
  /** Whether it reads the client's headers after the access phase, or may end that phase early. */
  readonly readsHeadersLate?: (value: R) => boolean;
  /** Whether the body of a request is kept, because it may be sent more than once. */
  readonly keepsBodies?: (value: R) => boolean;
  /** Values that its author may try next: the text has their shapes, so they need no reload. */
  readonly neighbours?: (value: R, settings: Settings) => readonly R[];
  /**
   * Its fields in the record of a Location (`src/core/model/records.ts`). Empty fields are left
   * out.
   */
  readonly record?: (value: R) => RecordFields<"location">;
  /**
   * Lines that depend on several fields. Only lines that differ from those of the defaults are
   * printed. With `bind`, values may be data; the number and order of lines is the same without it.
   */
  readonly directives?: (value: R, settings: Settings, protocol: Protocol, bind?: Bind) => readonly Directive[];
  /**
   * Its view in the location partial, under the feature's name in camelCase. Without it the partial
   * sees only its directives.
   */
  readonly view?: (value: R, place: Place, settings: Settings) => View;
  /**
   * Whether this value needs a `server` block for its host, because data cannot express it
   * (docs/ingress-nginx/traps.md). Only with `provides`.
   */
  readonly textServer?: (value: R) => boolean;
  /**
   * Its view in `server.tmpl`, under the feature's name, in the host's own server block; false
   * elsewhere.
   */
  readonly serverView?: (value: R, place: ServerPlace, settings: Settings) => View;
  /** Headers of the request to the backend, which are added to those of RS-23.2 or replace them. */
  readonly requestHeaders?: (value: R, place: Place, settings: Settings) => readonly Header[];
  /** Headers of the answer, which are added to the backend's or replace them. */
  readonly answerHeaders?: (value: R, place: Place, settings: Settings) => readonly AnswerHeader[];
  /** nginx text that its author wrote; empty if there is none. */
  readonly ownText?: (value: R) => string;
  /** Names of the variables that its text declares. */
  readonly declares?: (value: R) => readonly string[];
  /** The lines of its text about headers of requests and answers. */
  readonly headerLines?: (value: R) => readonly HeaderLine[];
  /** Its value for a route with these traits. */
  readonly forRoute?: (value: R, traits: RouteTraits) => R;
  /** The filters of routes that mean the same. */
  readonly ofRoutes?: OfRoutes<R>;
  /** Whether it changes answers that nginx gives itself, as with a slash that is added. */
  readonly shapesOwnAnswers?: (value: R) => boolean;
  /** Names of the route variables that `view` and `requestHeaders` bind. */
  readonly variables?: readonly string[];
}

/** What routes have in common with the annotations of a feature. */
export interface OfRoutes<R> {
  readonly filters?: readonly RouteFilter[];
  /** Reads a field of a rule; undefined if the rule lacks it. `field` is that of the rule. */
  readonly ofRule?: (rule: RuleFields, field: string, object: ObjectName) => RuleFieldRead | undefined;
  /** The value of the annotations as filters that do the same. */
  readonly asFilters?: (value: R) => Filters;
  /** Its fields in the record of a rule's changes, which the router itself needs. */
  readonly record?: (rule: Filters) => RecordFields<"filters">;
  /** Its fields in the record of later changes, for a rule and one of its backends. */
  readonly steering?: (rule: Filters, backend: Filters) => RecordFields<"steering">;
  /** What its filters need of the text of a location. */
  readonly traits?: (rule: Filters, backend: Filters) => RouteTraits;
  /** What the filters do, for people; empty if they do nothing. */
  readonly words?: (filters: Filters) => readonly string[];
  /** What it limits, if it changes neither requests nor answers. */
  readonly limits?: "timeout" | "retries";
}

/** The fields that rules of HTTPRoutes and of GRPCRoutes have in common. */
export type RuleFields = Omit<HTTPRouteRule, "matches">;

/** A field of a rule, or the first mistake in it. */
export type RuleFieldRead =
  | {
      readonly ok: true;
      /** The filters of a match with this literal path. */
      readonly filtersAt: (path: string) => Filters;
      readonly notes: readonly Problem[];
    }
  | { readonly ok: false; readonly part: string; readonly why: string };

/** The backend that a filter names. */
export interface FoundBackend {
  readonly filter: HTTPRouteFilter;
  /** The id of an Upstream. */
  readonly upstream: string;
  readonly protocol: BackendProtocol | undefined;
  readonly tls: BackendTls | undefined;
  /** Whether it gets requests when they are over. */
  readonly isLate: boolean;
}

export interface FieldMistake {
  /** Below the field: `.set[0].name`. */
  readonly part: string;
  readonly why: string;
}

/** A filter of a rule or a backend. */
export interface RouteFilter {
  readonly type: string;
  readonly field: keyof HTTPRouteFilter;
  /** Whether it is refused for a single backend. */
  readonly isForRules?: true;
  /**
   * Returns the first mistake, below the field. `prefix` is the matched path, without a slash at
   * its end; undefined if the match is not a PathPrefix.
   */
  readonly mistake?: (filter: HTTPRouteFilter, prefix: string | undefined) => FieldMistake | undefined;
  /** Absent if the filter names another object, which is looked up elsewhere. */
  readonly read?: (filter: HTTPRouteFilter, prefix: string) => Filters;
  /** For a filter that names a backend, and that a list may have several times. */
  readonly ofBackends?: {
    readonly reference: (filter: HTTPRouteFilter) => BackendReference;
    /** The consequence if the backend cannot be used. */
    readonly done: string;
    /** Reads all filters of the list whose backends can be used. */
    readonly read: (found: readonly FoundBackend[]) => Filters;
  };
  /** Parts that have no effect. `field` is that of the filter. */
  readonly notes?: (filter: HTTPRouteFilter, field: string, object: ObjectName) => readonly Problem[];
}

/** Declares the annotation with this key. */
export function field<T>(
  key: string,
  declared: Declared<T> & (undefined extends T ? unknown : { readonly fallback: (settings: Settings) => NoInfer<T> }),
): Field<T> {
  return { key, risk: "Low", fallback: () => undefined as T, ...declared };
}

/**
 * Declares the annotation with the key of a setting, which is its default. The directive that the
 * setting prints in the http block is printed in a location with another value.
 */
export function ofSetting<N extends Exclude<keyof Settings, "followed">>(
  name: N,
  {
    live,
    ...declared
  }: Omit<Declared<Settings[N]>, "doc"> & { readonly doc?: string; readonly live?: Live<Settings[N]> },
): Field<Settings[N]> {
  const { key, doc, directive }: Setting<Settings[N]> = settings[name] as never;
  const [own, grpc] = [directive?.name ?? []].flat();
  const printed = own === undefined ? {} : { directive: { name: own, ...(grpc && { grpc }), ...(live && { live }) } };
  return { key, doc, risk: "Low", fallback: (all) => all[name], ...printed, ...declared };
}

/** Declares a text, which is empty without the annotation. */
export function textField(key: string, declared: Declared<string>): Field<string> {
  return field(key, { fallback: () => "", ...declared });
}

/** Declares a switch, which is off without the annotation. */
export function toggle(key: string, declared: Partial<Declared<boolean>> & Pick<Declared<boolean>, "doc">) {
  return field(key, { kind: bool, example: "true", fallback: () => false, ...declared });
}

/** Declares a feature whose value is its fields. */
export function feature<F extends Fields>(
  declared: Omit<Feature<F, FieldValues<F>>, "resolve">,
): Feature<F, FieldValues<F>> {
  return declared;
}

/** Declares a feature whose value is computed from its fields and from other objects. */
export function resolvedFeature<F extends Fields, R>(
  declared: Feature<F, R> & { readonly resolve: NonNullable<Feature<F, R>["resolve"]> },
): Feature<F, R> {
  return declared;
}

// biome-ignore lint/suspicious/noExplicitAny: one of a table of features of different types
export type AnyFeature = Feature<any, any>;

export type Features = Readonly<Record<string, AnyFeature>>;

export type ValuesOf<D extends Features> = {
  readonly [K in keyof D]: D[K] extends Feature<Fields, infer R>
    ? R
    : D[K] extends Feature<infer _F, infer R>
      ? R
      : never;
};
