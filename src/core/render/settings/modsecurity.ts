/** ModSecurity for every location; the locations for auth, errors and status turn it off. */

import { modsecurityRules } from "../../settings/modsecurity-rules.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Capabilities } from "../../tokens/capabilities.ts";
import type { Machine } from "../../tokens/machine.ts";
import { Token, type View } from "../../tokens/token.ts";

/**
 * Returns the view of `templates/settings/modsecurity.tmpl`. The snippet replaces the stock rules;
 * the OWASP rules are added (RS-25.4).
 */
export function modsecurityView(settings: Settings, can: Capabilities, { files }: Machine): View {
  const own = settings.modsecuritySnippet.trim() !== "";
  return {
    on: settings.enableModsecurity && can.modsecurity,
    stockRules: !own && Token.word(files.modsecurityRules),
    rules: own ? modsecurityRules.view(settings.modsecuritySnippet) : [],
    owaspRules: settings.enableOwaspModsecurityCrs && Token.word(files.owaspRules),
  };
}
