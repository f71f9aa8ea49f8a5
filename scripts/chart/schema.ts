/** values.schema.json: helm refuses a key that nobody declared, so a typo is an error and not a silence. */
import { type Branch, isBranch, treeOf } from "./tree.ts";
import type { ChartValue } from "./value.ts";

/** `open` lists branches in which unknown keys are let through, because other charts put theirs there. */
export function schemaFile(values: readonly ChartValue[], open: readonly string[]): string {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...branch(treeOf(values), open),
    // By custom the place of YAML anchors.
    patternProperties: { "^x-": {} },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function branch(node: Branch, open: readonly string[]): Record<string, unknown> {
  const properties = [...node.children].map(([key, child]) => [
    key,
    isBranch(child) ? branch(child, open) : leaf(child),
  ]);
  return {
    type: "object",
    additionalProperties: open.includes(node.path),
    properties: Object.fromEntries(properties),
  };
}

const leaf = (value: ChartValue) => ({
  description: value.fate.kind === "no-meaning" ? `No meaning here. ${value.fate.why}` : value.does,
  ...value.shape,
});
