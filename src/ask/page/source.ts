/** The interface through which the page reads a running controller. No call changes anything. */

import type { Configuration } from "../../core/model/configuration.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Settings } from "../../core/settings/registry.ts";
import type { Quarantine } from "../../core/table/quarantine.ts";
import type { Failures } from "../../edges/failures.ts";
import type { PeerFigures } from "../../nginx/channel.ts";
import type { ShadowReport } from "../matcher/shadow/report.ts";
import type { AskOutcome, AskQuestion } from "./api/ask.ts";
import type { StatusAnswer } from "./api/status.ts";
import type { History } from "./history.ts";
import type { CountedRequests } from "./live/traffic.ts";
import type { PageNotes } from "./notes.ts";
import type { EndedShadow } from "./shadow/ended.ts";

export type Served = Configuration<Settings, FeatureValues>;

export interface PageSource {
  readonly notes: PageNotes;
  /** Undefined before the first turn. */
  readonly configuration: () => Served | undefined;
  readonly snapshot: () => Snapshot;
  /** Returns the objects and keys that nginx certainly refuses. */
  readonly refusals: () => Quarantine;
  /** Keyed by `address:port`; undefined if nginx does not answer. */
  readonly peers: (addresses: readonly string[]) => Promise<ReadonlyMap<string, PeerFigures> | undefined>;
  /** Returns how routes in shadow would answer differently, by nginx's counts. */
  readonly shadows: () => Promise<readonly ShadowReport[]>;
  /**
   * Returns the same for routes that are no longer in shadow. It is a different array after each
   * change.
   */
  readonly ended: () => readonly EndedShadow[];
  readonly failures: Failures;
  /** Undefined if requests are not counted. */
  readonly requests: CountedRequests | undefined;
  /** Undefined before the controller has started. */
  readonly status: () => Promise<StatusAnswer | undefined>;
  readonly ask: (question: AskQuestion) => Promise<AskOutcome>;
  readonly names: PageNames;
  /** Undefined with --ui-history=false. */
  readonly history: History | undefined;
}

/** The flags that matter to the page. */
export interface PageNames {
  /** Without a trailing slash: `nginx.ingress.kubernetes.io`. */
  readonly annotationsPrefix: string;
  /** `namespace/name` of the ConfigMap with the settings. */
  readonly configMap: string | undefined;
  /** Whether the text of snippets is shown. */
  readonly showsSnippets: boolean;
  /** A dashboard; `{host}`, `{namespace}` and `{name}` stand for those of a route. May be empty. */
  readonly grafana: string;
  /** Whether the objects are those of a cluster, for which kubectl has a line. */
  readonly hasCluster: boolean;
}
