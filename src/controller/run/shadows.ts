/**
 * Combines nginx's counts for routes in shadow with the differences under the present
 * Configuration.
 */

import { type ShadowReport, shadowReports } from "../../ask/matcher/shadow/report.ts";
import type { ShadowFigure } from "../../edges/metrics/shadow-metrics.ts";
import type { Controller } from "../controller.ts";
import { decideOptions } from "../flags/options.ts";
import type { Flags } from "../flags.ts";

/** Returns the reports; undefined before anything is served. */
export async function shadowsOf(
  controller: Pick<Controller, "sync" | "channel"> | undefined,
  flags: Flags,
): Promise<readonly ShadowReport[] | undefined> {
  const configuration = controller?.sync.configuration;
  if (controller === undefined || configuration === undefined) return undefined;
  if (configuration.shadows.size === 0) return [];
  return shadowReports(configuration, await controller.channel.shadow(), decideOptions(flags));
}

/** Returns the counts for metrics. A request with two differences counts for each of them. */
export function shadowFigures(reports: readonly ShadowReport[] = []): readonly ShadowFigure[] {
  return reports.flatMap(({ host, shadow: { path }, differences, requests }) =>
    differences.map((kind) => ({ host, path, kind, requests })),
  );
}
