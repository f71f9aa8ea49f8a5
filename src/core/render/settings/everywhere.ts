/**
 * The lines of the settings in every server and location. A snippet that sets headers replaces the
 * inherited lines of that directive (nginx's array directives work so), so the inherited lines are
 * restated beside it.
 */

import { parse, type Statement } from "../../kinds/grammar.ts";
import { type HeaderLines, headerLinesOf, restatedView } from "../../settings/header-lines.ts";
import { type HeadersInBlocks, nestedBlocks } from "../../settings/nested-blocks.ts";
import { withOwnLocations } from "../../settings/own-locations.ts";
import type { Settings } from "../../settings/registry.ts";
import { withoutSetByPaths } from "../../settings/set-by-paths.ts";
import { snippet } from "../../settings/snippet.ts";
import type { Capabilities } from "../../tokens/capabilities.ts";
import type { Machine } from "../../tokens/machine.ts";
import { Token, type View } from "../../tokens/token.ts";
import { realIpView } from "./forwarded.ts";

export interface InEveryLocation {
  readonly view: { readonly [name: string]: View };
  readonly can: Capabilities;
  /**
   * Whether ModSecurity is on for all locations, so that internal ones have to turn it off
   * (RS-25.4).
   */
  readonly inspected: boolean;
  /** The ConfigMap's `location-snippet` as its author wrote it. */
  readonly locationText: string;
  /** Writes the ConfigMap's `location-snippet` for a location with these headers. */
  readonly snippet: (headers: HeadersInBlocks) => string;
  /** The lines of the ConfigMap's snippets about headers of requests and answers. */
  readonly headerLines: HeaderLines;
}

/** Returns the view of `templates/settings/location.tmpl`. */
export function inEveryLocation(
  settings: Settings,
  can: Capabilities,
  { files }: Machine,
  behind: boolean,
): InEveryLocation {
  return {
    can,
    inspected: settings.enableModsecurity && can.modsecurity,
    view: {
      ruleFiles: { stock: Token.word(files.modsecurityRules), owasp: Token.word(files.owaspRules) },
      realIp: realIpView(settings, can, behind),
    },
    locationText: settings.locationSnippet,
    snippet: nestedBlocks(settings.locationSnippet),
    headerLines: {
      http: headerLinesOf(settings.httpSnippet),
      server: headerLinesOf(settings.serverSnippet),
      location: headerLinesOf(settings.locationSnippet),
    },
  };
}

/** Returns a part of the view of `templates/server-head.tmpl`. */
export function serverSnippetView({ serverSnippet }: Settings) {
  return {
    snippet: snippetView(withOwnLocations(withoutSetByPaths(serverSnippet))),
    restated: restatedView(headerLinesOf(serverSnippet)),
  };
}

/** Returns the operator's own text; false if there is none. */
export function snippetView(text: string): View {
  return text !== "" && snippet.view(text);
}

/**
 * Whether the snippet has the directive at its top level. A line in a nested block concerns that
 * block.
 */
export function uses(snippet: string, directive: string): boolean {
  const parsed = parse(snippet);
  return parsed.ok && parsed.statements.some(({ name }: Statement) => name === directive);
}
