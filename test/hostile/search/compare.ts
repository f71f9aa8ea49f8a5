/**
 * Compares trees of nginx.conf. Names that are hashes of text differ if the text differs, so
 * they are left out.
 */
import type { Directive } from "../../support/nginx-tree.ts";
import { placeholders, type Seals } from "./sealed.ts";

const hashes = /[0-9a-f]{12,64}/g;

/**
 * Returns one line for each statement with its place, in an order that does not depend on hashes.
 */
export function statements(tree: readonly Directive[], seals?: Seals): readonly string[] {
  return lines(tree, "", seals);
}

function lines(tree: readonly Directive[], within: string, seals: Seals | undefined): string[] {
  const plain = tree.filter(({ block }) => block === undefined).map((one) => `${within}${shown(one, seals)}`);
  const blocks = tree
    .filter(({ block }) => block !== undefined)
    .map((one) => ({ head: `${within}${shown(one, seals)}`, one }))
    .map(({ head, one }) => [head, ...lines(one.block!, `${head} > `, seals)])
    .sort((a, b) => (a.join("\n") < b.join("\n") ? -1 : 1));
  return [...plain, ...blocks.flat()];
}

function shown({ name, args, lua }: Directive, seals: Seals | undefined): string {
  const filled = (text: string) =>
    seals === undefined ? text : text.replace(placeholders, (one) => seals.meaning(one));
  const code = (text: string) =>
    seals === undefined ? text : text.replace(/"SEALED\d+S"/g, (one) => seals.written(one.slice(1, -1)));
  const words = JSON.stringify([name, ...args].map(filled));
  return `${words}${lua === undefined ? "" : ` ${JSON.stringify(code(lua))}`}`.replace(hashes, "HASH");
}

/** Returns the lines of `one` that `other` lacks, each as often as it is missing. */
export function missingFrom(one: readonly string[], other: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of other) counts.set(line, (counts.get(line) ?? 0) + 1);
  return one.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  });
}
