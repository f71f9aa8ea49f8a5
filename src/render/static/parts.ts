/** The parts that a host's server blocks need from outside of its Server (static mode). */

import type { Token } from "../../directives/token.ts";
import type { AffinityCookie } from "../../model/configuration.ts";
import type { AboutServers } from "../conf/server-views.ts";
import type { LocationTexts } from "../location/text.ts";
import type { Template } from "../template.ts";

export interface StaticParts {
  readonly about: AboutServers;
  readonly texts: LocationTexts;
  readonly template: Template;
  isServed(upstream: string): boolean;
  labelOf(upstream: string): string;
  /** The cookie that binds clients to its endpoints. */
  cookieOf(upstream: string): AffinityCookie | undefined;
  /**
   * The maps for names that only a pattern takes; undefined where no wildcard has TLS configured.
   */
  readonly configuredNames: Token | undefined;
  /** Where a Certificate's files are, without extension; `default` for hosts without one. */
  certificateFile(id: string | undefined): string;
  /** Where its OCSP response is, below the run folder. */
  stapleFile(id: string | undefined): string | undefined;
}
