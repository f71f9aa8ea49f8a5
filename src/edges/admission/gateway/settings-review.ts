/**
 * The webhook's verdict on RouteSettings. It refuses them for annotations that would close their
 * rules, as it refuses an Ingress with the same annotations. All other mistakes are warnings.
 * Mistakes in other objects are left to Events, because those objects often arrive a moment later.
 */
import { guarded } from "../../../base/guarded.ts";
import type { RouteSettings } from "../../../core/model/gateway/route-settings.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import { routeSettings } from "../../../core/settings/for-routes.ts";
import type { Settings } from "../../../core/settings/registry.ts";
import { closes, readSettings } from "../../../core/sources/gateway/route-settings/reading.ts";
import type { TranslateOptions } from "../../../core/table/options.ts";
import type { Verdict } from "../judge.ts";

export interface SettingsBench {
  readonly snapshot: Snapshot;
  readonly settings: Settings;
  readonly options: TranslateOptions;
}

export function settingsVerdict(submitted: RouteSettings, { snapshot, settings, options }: SettingsBench): Verdict {
  // Permissions are not checked here, because a grant may be created later.
  const world = { snapshot, settings: routeSettings(settings), options, grants: { permits: () => true } };
  const found = guarded(
    () => readSettings(submitted, world),
    () => undefined,
  );
  const ownProblems = found?.problems.filter((problem) => !found.elsewhere.includes(problem)) ?? [];
  return {
    kind: "judged",
    refusals: ownProblems.filter(closes),
    warnings: ownProblems.filter((problem) => !closes(problem)),
  };
}
