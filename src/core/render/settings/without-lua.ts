/** Settings that need Lua; `src/core/sources/ingress/without-lua.ts` has the annotations. */
import type { ObjectName, Problem } from "../../model/problem.ts";
import type { Settings } from "../../settings/registry.ts";

/**
 * Returns Problems of settings that have less effect in an nginx without Lua, as with
 * --mode=static.
 */
export function settingsWithoutLua(settings: Settings, object: ObjectName): Problem[] {
  const problems: Problem[] = [];
  if (settings.loadBalance === "ewma") {
    const why = "static mode has no ewma; requests go round in turn";
    problems.push({ object, kind: "setting-useless", key: "load-balance", why });
  }
  if (settings.globalAuthUrl.kind !== "ask") return problems;
  if (settings.globalAuthSignin !== undefined) {
    const why =
      "static mode cannot escape the address that the client came from, so the page gets it up to the first &";
    problems.push({ object, kind: "setting-doubtful", key: "global-auth-signin", why });
  }
  if (settings.globalAuthResponseHeaders.length > 0) {
    const why =
      "static mode passes on only the first of several headers of one name, and only the first of several cookies";
    problems.push({ object, kind: "setting-doubtful", key: "global-auth-response-headers", why });
  }
  return problems;
}
