/**
 * Prints the findings of the proof for people: one line for everything that is equal, then each
 * kind of difference with its reason and what to do.
 */

import { balanceWords } from "../../ask/routes/balance-words.ts";
import type { Balance } from "../../core/model/configuration.ts";
import { featureList } from "../../core/policies/registry.ts";
import { featureChange } from "../../tools/feature-change.ts";
import { counted, firstOf } from "../../tools/words.ts";
import type { Difference } from "../replay/difference.ts";
import type { Proof } from "../replay/proof.ts";
import type { Note } from "./written.ts";

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
  const { kind, field, request, why, todo, annotations } = example;
  const whose = annotations.length === 0 ? field : annotations.join(", ");
  const values = kind === "manifest" ? [] : valuesOf(example);
  const lines = [
    `${accepted ? "accepted" : "differs"}: ${kind} (${whose}) at ${firstOf(hosts, fewHosts)}`,
    ...(kind === "manifest" ? [] : [`  ${request}`]),
    ...values,
    `  ${why}; ${todo}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Names what changes in the value of a feature, or in the choice of endpoints. */
function valuesOf({ field, now, after }: Difference): readonly string[] {
  const [was, is] = [now, after].map(readValue);
  if (was === undefined && is === undefined) return [`  now: ${short(now)}`, `  with routes: ${short(after)}`];
  const found = featureList.find(([, feature]) => field === `feature ${feature.name}`);
  const change = found === undefined ? balanceChange(was, is) : featureChange(found[0], found[1].name, was, is);
  return [`  now -> with routes: ${change}`];
}

function balanceChange(was: object | undefined, is: object | undefined): string {
  const [before, after] = [was, is].map((one) => (one === undefined ? "nothing" : balanceWords(one as Balance)));
  return before === after ? featureChange("", "balance", was, is) : `${before} -> ${after}`;
}

/** Returns undefined for a text that is no value of these. */
function readValue(text: string): object | undefined {
  return text.startsWith("{") ? (JSON.parse(text) as object) : undefined;
}

const longest = 160;
const short = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text || "nothing");
