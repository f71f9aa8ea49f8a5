/**
 * What one accepted object says about hosts, in words that no kind of object owns. A Claim is the
 * unit of remembering: it is made again only when its object, the Settings or an object that it
 * refers to has changed. What stands behind the sources of Claims knows owners, paths and backends,
 * and not which kind of object they came from.
 */
import type { FeatureValues } from "../annotations/registry.ts";
import type { Conditions, Owner, WeightedBackend } from "../model/configuration.ts";
import type { Filters, Retries, Timeouts } from "../model/filters.ts";
import type { Problem } from "../problem.ts";
import type { Age } from "./age.ts";

export interface Claim {
  /** `Kind namespace/name`. */
  readonly key: string;
  readonly owner: Owner;
  /** `metadata.uid`, where the API server has given one. */
  readonly uid: string | undefined;
  /** Decides between Claims that contradict each other. */
  readonly since: Age;
  /** `metadata.annotations` of the object that is in force. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly features: FeatureValues;
  /** Why all its paths answer 503; undefined where they do not. */
  readonly closed: Problem | undefined;
  /**
   * By host in lower case, `_` for paths without one. On a listener of a Gateway the key is
   * `serverKey` of the listener and the host, and the paths are in the order of their rules.
   */
  readonly hosts: ReadonlyMap<string, readonly ClaimedPath[]>;
  /** Answers where no rule has the path `/`; undefined where the object names none. */
  readonly defaultBackend: ClaimedBackend | undefined;
  /**
   * Whether the object has nothing but its default backend, which then answers for all unknown
   * hosts.
   */
  readonly answersUnknownHosts: boolean;
  /** Its TLS sections, in their order. */
  readonly tls: readonly ClaimedTls[];
  /** That of its Locations, as `Location.share` says it. */
  readonly share?: number;
}

export interface ClaimedPath {
  /** Where it stands in the object: `spec.rules[0].http.paths[1]`. */
  readonly field: string;
  readonly match: PathMatch;
  /** At least one. */
  readonly backends: readonly ClaimedBackend[];
  /** What is done to its requests and answers beside the features of the Claim. */
  readonly filters?: Filters;
  readonly timeouts?: Timeouts;
  readonly retries?: Retries;
  /** Status of requests that come to a backend which cannot be used; absent: 500. */
  readonly unusableStatus?: 503;
  /** What annotations say for it; absent: the features of the Claim. */
  readonly features?: FeatureValues;
  /** Why it answers 503 whatever is asked; absent: as the Claim says. */
  readonly closed?: Problem;
  /** Whether requests without TLS may be redirected to https where features ask for that. */
  readonly ownTls?: true;
  /** Objects beside the owner whose texts it has. */
  readonly authors?: readonly Owner[];
  /** `namespace/name` of the RouteSettings that its rule names. */
  readonly settings?: readonly string[];
  /** Name of the rule that it stands in; absent where it has none. */
  readonly rule?: string;
}

export interface PathMatch {
  readonly text: string;
  readonly type: "exact" | "prefix";
  /**
   * Whether the text is a regular expression that takes the whole path; `type` means nothing then.
   */
  readonly pattern?: true;
  /**
   * Whether the object leaves the meaning of the path to the controller, so that it may be meant as
   * a pattern.
   */
  readonly loose: boolean;
  /** What else a request has to fulfil; undefined where the path alone decides. */
  readonly conditions?: Conditions;
}

export interface ClaimedBackend extends WeightedBackend {
  /** Where it stands, below the field of its path. */
  readonly part: string;
  /** Why it cannot be used, as it is written; undefined where it names a port of a Service. */
  readonly mistake?: string;
  /**
   * Whether a policy wants TLS towards it, which a stream cannot give where nginx ends the TLS of
   * clients.
   */
  readonly wantsTls?: true;
}

export interface ClaimedTls {
  /** Where the name of the Secret stands: `spec.tls[0].secretName`. */
  readonly field: string;
  /** In lower case; empty where the section lists none. */
  readonly hosts: readonly string[];
  /** `namespace/name`; empty where the section names none. */
  readonly secret: string;
}
