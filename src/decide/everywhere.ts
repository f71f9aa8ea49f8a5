/** Guards of the ConfigMap for all hosts. */
import type { Settings } from "../settings/registry.ts";
import type { Guard } from "./decision.ts";

/** Returns these guards, which also hold for hosts that no Ingress names. */
export function everywhere({
  blockCidrs,
  blockUserAgents,
  blockReferers,
  serverSnippet: snippet,
}: Settings): readonly Guard[] {
  const blocked = [
    ...(blockCidrs.length > 0 ? ["addresses (block-cidrs)"] : []),
    ...(blockUserAgents.length > 0 ? ["User-Agent (block-user-agents)"] : []),
    ...(blockReferers.length > 0 ? ["Referer (block-referers)"] : []),
  ];
  const says = `the ConfigMap refuses some clients by their ${blocked.join(" and ")}`;
  return [
    ...(blocked.length > 0 ? [{ what: "blocked", says, outcome: "depends", status: 403 } as const] : []),
    ...(snippet === ""
      ? []
      : [
          {
            what: "server-snippet",
            says: "nginx runs the ConfigMap's server-snippet, which may answer by itself",
            outcome: "depends",
          } as const,
        ]),
  ];
}
