/** Guards of the ConfigMap for all hosts. */

import type { Settings } from "../../core/settings/registry.ts";
import { mayAnswer } from "./answering.ts";
import type { Guard } from "./decision.ts";

/** Returns these guards, which also hold for hosts that no Ingress names. */
export function everywhere({
  blockCidrs,
  blockUserAgents,
  blockReferers,
  httpSnippet,
  serverSnippet,
}: Settings): readonly Guard[] {
  const blocked = [
    ...(blockCidrs.length > 0 ? ["addresses (block-cidrs)"] : []),
    ...(blockUserAgents.length > 0 ? ["User-Agent (block-user-agents)"] : []),
    ...(blockReferers.length > 0 ? ["Referer (block-referers)"] : []),
  ];
  const says = `the ConfigMap refuses some clients by their ${blocked.join(" and ")}`;
  const snippets = [
    snippetGuard("http-snippet", "the ConfigMap's http-snippet", httpSnippet),
    snippetGuard("server-snippet", "the ConfigMap's server-snippet", serverSnippet),
  ];
  return [
    ...(blocked.length > 0 ? [{ what: "blocked", says, outcome: "depends", status: 403 } as const] : []),
    ...snippets.filter((one) => one !== undefined),
  ];
}

/** Returns undefined if the snippet is empty, or answers no request. */
export function snippetGuard(what: string, name: string, text: string): Guard | undefined {
  if (text === "" || !mayAnswer(text)) return undefined;
  return { what, says: `nginx runs ${name}, which may answer by itself`, outcome: "depends" };
}
