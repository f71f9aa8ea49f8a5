/** The reference page of the ConfigMap keys. */

import { written } from "../../core/kinds/kind.ts";
import type { Setting } from "../../core/settings/declare.ts";
import { groups } from "../../core/settings/registry.ts";
import { capabilityNames } from "../../core/tokens/capabilities.ts";
import { code, table, withOutline } from "./markdown.ts";

export function settingsPage(): string {
  const parts = Object.entries(groups).map(([title, group]) => {
    const rows = (Object.values(group) as Setting<unknown>[]).map(row);
    return `## ${title}\n\n${table(["Key", "Default", "Value", "nginx", "What it does"], rows)}`;
  });
  return withOutline(`${intro}\n${parts.join("\n")}`);
}

const intro = `# ConfigMap keys

<!-- Printed by \`sluice reference settings\`; npm test checks it. -->

The ConfigMap that \`--configmap\` names. The keys and their defaults are those of
ingress-nginx, except for those marked as Sluice's own; letter case does not matter. A value that
cannot be read changes nothing: the last good one of its key stays (or the default), a Problem says
so, and the other keys are not affected. A change of a key reloads nginx unless its row says that it
is live at once.
`;

function row(setting: Setting<unknown>): readonly string[] {
  const { key, kind, default: usual, doc } = setting;
  return [code(key), code(written(kind, usual)), kind.label, nginxCell(setting), [doc, ...notes(setting)].join(" ")];
}

function nginxCell({ becomes, directive }: Setting<unknown>): string {
  return becomes ?? (directive === undefined ? "" : [directive.name].flat().map(code).join(", "));
}

/** Returns the line of nginx that the value becomes; undefined if there is none. */
export function nginxOf({ becomes, directive }: Setting<unknown>): string | undefined {
  return becomes ?? (directive === undefined ? undefined : [directive.name].flat().join(", "));
}

/** Returns sentences about the conditions under which the key has an effect. */
export function notes({ onlyWith, needs, noEffect, live, own }: Setting<unknown>): readonly string[] {
  return [
    ...(noEffect === undefined ? [] : [`**No effect:** ${noEffect}.`]),
    ...(onlyWith === undefined ? [] : [`Only with ${onlyWith.map(code).join(" or ")}.`]),
    ...(needs === undefined ? [] : [`Needs an nginx with: ${capabilityNames[needs]}.`]),
    ...(live === true ? ["Live at once, without a reload."] : []),
    ...(own === true ? ["Sluice's own."] : []),
  ];
}
