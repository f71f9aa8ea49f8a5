/**
 * How an annotation feature is declared: one file per feature, one table in it. Reading,
 * validation, the reference page, the table tests and, for a field with a `directive`, its line in
 * nginx.conf all come out of the declaration.
 *
 * A feature's *fields* are what the annotations say; its *value* is what the rest of Sluice sees.
 * They are the same unless the feature has a `resolve`, which may look at Secrets, ConfigMaps and
 * Services and may refuse.
 */

import type { Capability } from "../directives/capabilities.ts";
import type { AnswerHeader, Directive, Header, Place, Protocol, ServerPlace } from "../directives/place.ts";
import type { View } from "../directives/token.ts";
import type { AskedPolicy } from "../kinds/asked.ts";
import type { Kind } from "../kinds/kind.ts";
import type { ConfigMap, Secret, Service } from "../model/objects.ts";
import type { Fields as RecordFields } from "../model/records.ts";
import type { Consequence, ObjectName, Problem } from "../problem.ts";
import type { HeaderLine } from "../settings/header-lines.ts";
import type { Settings } from "../settings/registry.ts";

export type Risk = "Low" | "Medium" | "High" | "Critical";

/**
 * The scope of a value: its Ingress's Locations, the whole Ingress, the Server of its hosts, or the
 * Upstream.
 */
export type Scope = "location" | "ingress" | "host" | "upstream";

export interface Field<T> {
  readonly key: string;
  /** A value that an Ingress would have, for the reference page. */
  readonly example: string;
  /** Older spellings, read when the key itself is absent or empty (RS-2.1). */
  readonly aliases?: readonly string[];
  readonly kind: Kind<T>;
  /**
   * Read instead where the operator has switched --enable-annotation-validation off: more
   * characters, the same type.
   */
  readonly loose?: Kind<T>;
  /**
   * The Kind where permitted snippets declare variables: an author may name those in a value, too.
   */
  readonly naming?: (declared: (name: string) => boolean) => Kind<T>;
  /** Whether it is nginx text, whose variables the Ingress's other annotations may name. */
  readonly declares?: true;
  /** Whether it names an object, in the namespace of who says it. */
  readonly refers?: true;
  /** The value when the annotation is absent, empty, or unreadable with consequence `default`. */
  readonly fallback: (settings: Settings) => T;
  /** The consequence of an unreadable value; `default` when not given. */
  readonly onBad?: Consequence;
  /**
   * Whether an empty value is an error instead of absent; that of an alias is always absent
   * (RS-32.27).
   */
  readonly emptyIsBad?: boolean;
  readonly risk: Risk;
  readonly doc: string;
  /**
   * The directive that prints the value where it differs from the http block's. One of the proxy
   * module is for HTTP backends; `grpc` is its name for gRPC backends. Where values may be data
   * (`Place.live`), `live` says how this one is: a route variable of that name, which the line
   * names, or no line at all, because the balancer sets it.
   */
  readonly directive?: {
    readonly name: string;
    readonly grpc?: string;
    readonly live?: { readonly variable: string } | "balancer";
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a table of fields of different types
export type Fields = Readonly<Record<string, Field<any>>>;

export type FieldValues<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/**
 * The surroundings that a feature may look at besides its own fields. Looking at an object makes
 * the Ingress depend on it.
 */
export interface Context {
  readonly ingress: ObjectName & { readonly namespace: string };
  readonly settings: Settings;
  /** Which addresses may be asked. */
  readonly asked: AskedPolicy;
  /** Whether the annotation of this field is there, readable and not empty. */
  given(field: string): boolean;
  /** Whether the annotation of this field is there with nothing in it. */
  blank(field: string): boolean;
  /**
   * Whether a permitted snippet, the Ingress's own or one of the ConfigMap, declares the variable.
   */
  declares(variable: string): boolean;
  /**
   * Why an object of another namespace may not be named; undefined where it may. Each end of the
   * reference is in a namespace of its own.
   */
  readonly foreign: (kind: string, key: string) => string | undefined;
  /** By `namespace/name`. */
  secret(key: string): Secret | undefined;
  configMap(key: string): ConfigMap | undefined;
  service(key: string): Service | undefined;
}

export type Resolved<R> =
  | { readonly value: R; readonly problems?: readonly Problem[] }
  | { readonly refuse: Exclude<Consequence, "default">; readonly problem: Problem };

/** Gives the value of another feature in the same object. */
// biome-ignore lint/suspicious/noExplicitAny: the fields of the other feature do not matter
export type Other = <R>(feature: Feature<any, R>) => R;

/** The loss of an annotation in an nginx without Lua, as with --mode=static. */
export interface LostWithoutLua {
  /** Whether nothing is left of what the annotation asks for. */
  readonly useless: boolean;
  readonly why: string;
}

export interface Feature<F extends Fields, R> {
  readonly name: string;
  readonly scope: Scope;
  readonly fields: F;
  /** All it says is data in dynamic mode: a change is live without a reload. */
  readonly live?: true;
  /**
   * The field without which all others mean nothing: where its annotation is absent or empty, a bad
   * value of theirs only is said.
   */
  readonly gate?: keyof F & string;
  /**
   * Whether a field means nothing beside the others whose annotations are there and not empty: a
   * bad value of it only is said then.
   */
  readonly idle?: (field: keyof F & string, has: (other: keyof F & string) => boolean) => boolean;
  /**
   * The reason by field why its annotation does nothing beside the values of this feature and of
   * others; undefined where it does something. The author gets a Problem.
   */
  readonly onlyWith?: { readonly [K in keyof F]?: (value: R, other: Other) => string | undefined };
  /**
   * The loss by field of its annotation in an nginx without Lua; undefined where it loses nothing.
   */
  readonly withoutLua?: { readonly [K in keyof F]?: (value: R) => LostWithoutLua | undefined };
  /**
   * Why its annotations cannot be served in RouteSettings, for all fields or by field; absent where
   * they can. The words end the sentence "spec.<key> has no effect: ...".
   */
  readonly notOnRoutes?: string | { readonly [K in keyof F]?: string };
  /**
   * For a guard: the value that holds what two say, which stand in different RouteSettings for one
   * request, the inner one first; undefined where no value does, and then no request passes.
   */
  readonly both?: (one: R, other: R) => R | undefined;
  /**
   * Whether its annotations count in a canary, which has the settings of the Ingress beside it for
   * all else.
   */
  readonly heardOfCanaries?: true;
  /**
   * Whether it guards its paths: where it changed, a refused version of an Ingress answers 503 and
   * not its last good form.
   */
  readonly guard?: true;
  /**
   * The ability of nginx that it needs: without that nothing of it is rendered, and each of its
   * annotations is a Problem.
   */
  readonly needs?: Capability;
  readonly resolve?: (values: FieldValues<F>, context: Context) => Resolved<R>;
  /**
   * For a `host` feature: whether this value sets something. The oldest Ingress of the host that
   * sets it wins.
   */
  readonly provides?: (value: R) => boolean;
  /** Whether canaries may set it for their host, too. Only with `provides`. */
  readonly ofCanaries?: true;
  /** Whether requests to its Location make requests that may come back to it. */
  readonly asksOthers?: (value: R) => boolean;
  /**
   * Whether requests look otherwise than Sluice alone frames them, so that others must not share
   * their connections.
   */
  readonly framesRequests?: (value: R) => boolean;
  /** Whether its text means something only in a location that stands under its path. */
  readonly needsPath?: (value: R) => boolean;
  /** Whether its paths are patterns, whose groups texts may name. */
  readonly hasGroups?: (value: R) => boolean;
  /** Whether its text names groups of the path by number. */
  readonly namesGroups?: (value: R) => boolean;
  /** Whether nginx answers with a redirect, and no backend is asked. */
  readonly redirectsAway?: (value: R) => boolean;
  /**
   * Whether nginx rewrites the path in the location itself, in dynamic mode too, and not before it.
   */
  readonly rewritesLate?: (value: R, other: Other) => boolean;
  /** Whether answers that somebody else gave are kept for its paths. */
  readonly keepsAnswers?: (value: R) => boolean;
  /** Whether its paths issue the cookie of their Upstream's affinity. */
  readonly issuesCookie?: (value: R) => boolean;
  /**
   * For a `host` feature: whether its text limits the bodies of all paths that do not do so
   * themselves.
   */
  readonly limitsBodies?: (value: R) => boolean;
  /** For a `host` feature: whether clients may show a certificate. */
  readonly verifiesClients?: (value: R) => boolean;
  /**
   * For a `host` feature: whether every client has to show a certificate, for which a request
   * without TLS has no place.
   */
  readonly demandsCertificate?: (value: R) => boolean;
  /** Whether a closed path goes without it, and with what the ConfigMap alone says. */
  readonly onlyOpen?: true;
  /** Its fields in the record of a Location (`src/model/records.ts`); empty ones are left out. */
  readonly record?: (value: R) => RecordFields<"location">;
  /** For a `host` feature: its fields in the record of a host. */
  readonly hostRecord?: (value: R) => RecordFields<"host">;
  /**
   * Lines that several fields decide together; printed are those that differ from what the defaults
   * give.
   */
  readonly directives?: (value: R, settings: Settings, protocol: Protocol) => readonly Directive[];
  /**
   * The view of the location partial under the feature's name (in camelCase); without it, nothing
   * but its directives.
   */
  readonly view?: (value: R, place: Place, settings: Settings) => View;
  /**
   * Whether this value needs a `server` block of its own for its host: what data cannot express
   * (docs/ingress-nginx/traps.md). Only with `provides`.
   */
  readonly textServer?: (value: R) => boolean;
  /**
   * The view of `server.tmpl` under the feature's name in the host's own server block; false
   * elsewhere.
   */
  readonly serverView?: (value: R, place: ServerPlace, settings: Settings) => View;
  /**
   * Whether that goes with the host's certificate, and so stands in the server of its www twin,
   * too.
   */
  readonly goesWithCertificate?: true;
  /** Request headers towards the backend, added to or replacing those of RS-23.2. */
  readonly requestHeaders?: (value: R, place: Place, settings: Settings) => readonly Header[];
  /** Request headers towards a backend that stands in for one without endpoints. */
  readonly standInHeaders?: readonly Header[];
  /** Headers of the answer, beside or in the place of the backend's. */
  readonly answerHeaders?: (value: R, place: Place, settings: Settings) => readonly AnswerHeader[];
  /** Whether a header of the answer is left to a text that sets it. `name` is in lower case. */
  readonly yieldsHeader?: (value: R, name: string) => boolean;
  /** Names, in lower case, of the headers of the answer that its text sets. */
  readonly setsHeaders?: (value: R) => readonly string[];
  /** nginx text that its author wrote; empty where there is none. */
  readonly ownText?: (value: R) => string;
  /** Names of the variables that its text declares. */
  readonly declares?: (value: R) => readonly string[];
  /** The lines of its text about headers of requests and answers. */
  readonly headerLines?: (value: R) => readonly HeaderLine[];
  /** Names of the route variables that `view` and `requestHeaders` bind. */
  readonly variables?: readonly string[];
}

export function field<T>(declared: Field<T>): Field<T> {
  return declared;
}

/** A feature whose value is its fields. */
export function feature<F extends Fields>(
  declared: Omit<Feature<F, FieldValues<F>>, "resolve">,
): Feature<F, FieldValues<F>> {
  return declared;
}

/** A feature whose value is worked out from its fields and other objects. */
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
