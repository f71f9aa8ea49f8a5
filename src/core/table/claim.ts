/**
 * A Claim is all that one accepted object defines for hosts, in terms that belong to no kind of
 * object. It is the unit of caching: a Claim is made again only when its object, the Settings or an
 * object that it refers to has changed. Code behind the sources of Claims knows owners, paths and
 * backends, but not the kind of the object.
 */

import type { Conditions, Owner, WeightedBackend } from "../model/configuration.ts";
import type { Filters } from "../model/filters.ts";
import type { Problem } from "../model/problem.ts";
import type { FeatureValues } from "../policies/registry.ts";
import type { Age } from "./age.ts";

export interface Claim {
  /** `Kind namespace/name`. */
  readonly key: string;
  readonly owner: Owner;
  /** `metadata.uid`, if the API server has given one. */
  readonly uid: string | undefined;
  /** The age of its object, which decides between Claims that contradict each other. */
  readonly since: Age;
  /** `metadata.annotations` of the object that is in force. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly features: FeatureValues;
  /** The reason why all its paths answer 503; undefined if they do not. */
  readonly closed: Problem | undefined;
  /**
   * Keyed by host in lower case, `_` for paths without one. On a listener of a Gateway the key is
   * the `serverKey` of listener and host, and the paths are in the order of their rules.
   */
  readonly hosts: ReadonlyMap<string, readonly ClaimedPath[]>;
  /**
   * The backend for hosts without a rule for `/`; undefined if the object has no default
   * backend.
   */
  readonly defaultBackend: ClaimedBackend | undefined;
  /** Whether the object has only a default backend, which then answers for all unknown hosts. */
  readonly answersUnknownHosts: boolean;
  /** Its TLS sections, in their order. */
  readonly tls: readonly ClaimedTls[];
  /** The share of requests of its Locations, see `Location.share`. */
  readonly share?: number;
}

export interface ClaimedPath {
  /** The path's field in the object: `spec.rules[0].http.paths[1]`. */
  readonly field: string;
  readonly match: PathMatch;
  /** At least one. */
  readonly backends: readonly ClaimedBackend[];
  /** Changes to its requests and answers beside the features of the Claim. */
  readonly filters?: Filters;
  /** The status for requests to a backend that cannot be used; 500 if it is absent. */
  readonly unusableStatus?: 503;
  /** The values of its own settings. If they are absent, those of the Claim count. */
  readonly features?: FeatureValues;
  /** The reason why it always answers 503. If it is absent, that of the Claim counts. */
  readonly closed?: Problem;
  /** Whether requests without TLS may be redirected to https if features require that. */
  readonly ownTls?: true;
  /** Objects beside the owner whose texts it contains. */
  readonly authors?: readonly Owner[];
  /** `namespace/name` of the RouteSettings that its rule names. */
  readonly settings?: readonly string[];
  /** The name of its rule; absent if the rule has none. */
  readonly rule?: string;
  /** Whether it only redirects from the www twin of a host, and yields to routes for the twin. */
  readonly isTwin?: true;
}

export interface PathMatch {
  readonly text: string;
  readonly type: "exact" | "prefix";
  /** Whether the text is a regular expression for the whole path; `type` has no meaning then. */
  readonly pattern?: true;
  /**
   * Whether the object leaves the meaning of the path to the controller, so that it may be a
   * pattern.
   */
  readonly loose: boolean;
  /** The conditions of a request beside its path; undefined if the path alone decides. */
  readonly conditions?: Conditions;
}

export interface ClaimedBackend extends WeightedBackend {
  /** The backend's field, below the field of its path. */
  readonly part: string;
  /** The reason why it cannot be used as written; undefined if it names a port of a Service. */
  readonly mistake?: string;
  /**
   * Whether a policy demands TLS towards it that nginx cannot use for a stream whose TLS it ends.
   */
  readonly wantsTls?: true;
}

export interface ClaimedTls {
  /** The field with the name of the Secret: `spec.tls[0].secretName`. */
  readonly field: string;
  /** Hosts in lower case; empty if the section lists none. */
  readonly hosts: readonly string[];
  /** `namespace/name`; empty if the section names none. */
  readonly secret: string;
}
