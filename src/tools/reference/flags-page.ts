/** The reference page of the flags. */
import type { Flag } from "../../controller/flag.ts";
import { flagGroups } from "../../controller/flags.ts";
import { usage, writtenDefault } from "../../controller/help.ts";
import { code, table, withOutline } from "./markdown.ts";

export function flagsPage(): string {
  const parts = Object.entries(flagGroups).map(([title, group]) => {
    const rows = (Object.values(group) as Flag<unknown>[]).map(row);
    return `## ${title}\n\n${table(["Flag", "Default", "Value", "What it does"], rows)}`;
  });
  return withOutline(`${intro}\n${parts.join("\n")}`);
}

const intro = `# Flags

<!-- Printed by \`sluice reference flags\`; npm test checks it. -->

Flags of \`sluice run\` and \`sluice serve\`. Names and defaults are those of ingress-nginx,
except for those marked as Sluice's own. A flag that does not exist, a value that cannot be read, and
flags that exclude each other end the start with one sentence and exit code 2.
`;

function row(flag: Flag<unknown>): readonly string[] {
  return [
    code(usage(flag)),
    code(writtenDefault(flag, "run")),
    flag.kind.label,
    [flag.doc, ...flagNotes(flag)].join(" "),
  ];
}

/** Returns sentences about where the flag has an effect. */
export function flagNotes(flag: Flag<unknown>): readonly string[] {
  return [
    ...(flag.noEffect === undefined ? [] : [`**No effect:** ${flag.noEffect}.`]),
    ...(flag.serve === undefined ? [] : [`With \`serve\`: ${code(writtenDefault(flag, "serve"))}.`]),
    ...(flag.cluster ? ["Only in a cluster."] : []),
    ...(flag.own ? ["Sluice's own."] : []),
  ];
}
