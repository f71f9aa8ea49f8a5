/** The template's whole view of the Settings, and the Problems of the Settings with this nginx. */

import { written } from "../../kinds/kind.ts";
import type { ObjectName, Problem } from "../../model/problem.ts";
import { withOwnLocations } from "../../settings/own-locations.ts";
import { type Settings, settingList } from "../../settings/registry.ts";
import { withoutSetByPaths } from "../../settings/set-by-paths.ts";
import { type Capabilities, capabilityNames } from "../../tokens/capabilities.ts";
import type { Machine } from "../../tokens/machine.ts";
import { blockedView } from "./blocked.ts";
import { directivesOf } from "./directives.ts";
import { serverSnippetView, snippetView, uses } from "./everywhere.ts";
import { forwardedView, realIpView, type SeenPort, streamRealIpView } from "./forwarded.ts";
import { freedView } from "./freed.ts";
import { geoip2View } from "./geoip2.ts";
import { http3View, whyNoHttp3 } from "./http3.ts";
import { httpLogs, streamLogs } from "./logs.ts";
import { modsecurityView } from "./modsecurity.ts";
import { tracingView } from "./tracing.ts";
import { unframedView } from "./unframed.ts";
import { settingsWithoutLua } from "./without-lua.ts";

interface Surroundings {
  readonly listeners: readonly SeenPort[];
  /** Whether requests may arrive through the stream module. */
  readonly behind: boolean;
}

/** Returns the view. Its parts have the names of the partials below `templates/settings/`. */
export function settingsView(
  settings: Settings,
  can: Capabilities,
  machine: Machine,
  { listeners = [], behind = machine.passthrough }: Partial<Surroundings> = {},
) {
  const { main, events, http, stream } = directivesOf(settings, can, machine);
  return {
    main: { directives: main, snippet: snippetView(settings.mainSnippet) },
    events: { directives: events },
    http: {
      directives: http,
      snippet: snippetView(withOwnLocations(withoutSetByPaths(settings.httpSnippet))),
      freed: freedView(settings.httpSnippet),
      requestPool: !uses(settings.httpSnippet, "request_pool_size"),
      forwarded: forwardedView(settings, machine, listeners, behind),
      realIp: realIpView(settings, can, behind),
      logs: httpLogs(settings, machine),
      blocked: blockedView(settings),
      geoip2: geoip2View(settings, can, machine),
      http3: http3View(settings, can, machine),
      unframed: unframedView(can),
      modsecurity: modsecurityView(settings, can, machine),
      opentelemetry: tracingView(settings, can, machine),
    },
    server: serverSnippetView(settings),
    stream: {
      directives: stream,
      snippet: snippetView(settings.streamSnippet),
      logs: streamLogs(settings, machine),
      realIp: streamRealIpView(settings, can),
    },
  };
}

/**
 * Returns a Problem for each key that has no effect with this nginx, or without something else that
 * is missing.
 */
export function settingsProblems(
  settings: Settings,
  can: Capabilities,
  { files }: Machine,
  object: ObjectName,
): readonly Problem[] {
  const useless = (key: string, why: string) => ({ kind: "setting-useless", object, key, why }) as const;
  const lacking = settingList.flatMap(([name, { key, kind, needs, default: usual }]) => {
    if (needs === undefined || can[needs] || written(kind, settings[name]) === written(kind, usual)) return [];
    return [useless(key, `nginx here has no ${capabilityNames[needs]}`)];
  });
  const without = can.lua ? [] : settingsWithoutLua(settings, object);
  const blind = settings.useGeoip2 && can.geoip2 && files.geoipDatabases.length === 0;
  const folder = "no database of --maxmind-edition-ids is in the folder of --geoip-folder";
  const noHttp3 = whyNoHttp3(settings, can);
  return [
    ...lacking,
    ...without,
    ...(blind ? [useless("use-geoip2", folder)] : []),
    ...(noHttp3 === undefined ? [] : [useless("use-http3", noHttp3)]),
  ];
}
