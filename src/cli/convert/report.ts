/**
 * Prints the findings of the proof for people: one line for everything that is equal, then each
 * kind of difference with its reason and what to do.
 */

import type { Difference } from "../../convert/proof/difference.ts";
import type { Proof } from "../../convert/proof/proof.ts";
import type { Note } from "../../convert/written.ts";
import { counted, firstOf } from "../tools/words.ts";

/** Differences with the same reason, on any number of hosts. */
export interface Finding {
  readonly example: Difference;
  readonly hosts: readonly string[];
  readonly accepted: boolean;
}

/**
 * Groups the differences by their reason. `accepted` are kinds of differences and names of
 * annotations.
 */
export function findingsOf({ differences }: Proof, accepted: ReadonlySet<string>): readonly Finding[] {
  const groups = Map.groupBy(
    differences,
    ({ kind, field }) => `${kind} ${field.replace(/^(backend|balance of) .*/, "$1")}`,
  );
  return [...groups.values()].map((group) => {
    const [example] = group as [Difference, ...Difference[]];
    const names = [example.kind, ...example.annotations];
    return {
      example,
      hosts: [...new Set(group.map(({ host }) => host))].sort(),
      accepted: names.some((name) => accepted.has(name)),
    };
  });
}

const fewHosts = 3;

export function reportText(proof: Proof, findings: readonly Finding[], notes: readonly Note[]): string {
  const { hosts, requests } = proof;
  const differing = new Set(proof.differences.map(({ host }) => host)).size;
  const compared = `${counted(hosts, "host")} ${hosts === 1 ? "was" : "were"} compared by ${counted(requests, "request")}`;
  const verdict =
    findings.length === 0
      ? "all answers are equal"
      : `${counted(differing, "host")} ${differing === 1 ? "differs" : "differ"}`;
  const noteLines = notes.map(({ about, text }) => `note: ${about}: ${text}\n`);
  return [...noteLines, ...findings.map(findingText), `${compared}: ${verdict}\n`].join("");
}

function findingText({ example, hosts, accepted }: Finding): string {
  const { kind, field, request, now, after, why, todo, annotations } = example;
  const whose = annotations.length === 0 ? field : annotations.join(", ");
  const values = kind === "manifest" ? [] : [`  now: ${short(now)}`, `  with routes: ${short(after)}`];
  const lines = [
    `${accepted ? "accepted" : "differs"}: ${kind} (${whose}) at ${firstOf(hosts, fewHosts)}`,
    ...(kind === "manifest" ? [] : [`  ${request}`]),
    ...values,
    `  ${why}; ${todo}`,
  ];
  return `${lines.join("\n")}\n`;
}

const longest = 160;
const short = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text || "nothing");
