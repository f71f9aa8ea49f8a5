/** The values from outside of a Server that its server blocks need (static mode). */

import type { AffinityCookie } from "../../model/configuration.ts";
import type { Token } from "../../tokens/token.ts";
import type { AboutServers } from "../conf/server-views.ts";
import type { LocationTexts } from "../location/text.ts";
import type { Template } from "../template.ts";

export interface StaticParts {
  readonly about: AboutServers;
  readonly texts: LocationTexts;
  readonly template: Template;
  isServed(upstream: string): boolean;
  labelOf(upstream: string): string;
  /** Returns the cookie that binds clients to endpoints of the Upstream. */
  cookieOf(upstream: string): AffinityCookie | undefined;
  /**
   * The maps for names that only a pattern matches; undefined if TLS is configured for no
   * wildcard.
   */
  readonly configuredNames: Token | undefined;
  /**
   * Returns the path of a Certificate's files, without extension; `default` for hosts without one.
   */
  certificateFile(id: string | undefined): string;
  /** Returns the path of its OCSP response below the run folder. */
  stapleFile(id: string | undefined): string | undefined;
}
