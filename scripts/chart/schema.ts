/**
 * Writes values.schema.json: the allowed content of each value. Undeclared keys are not its task:
 * helm would only say "additional properties not allowed". So the chart refuses them itself, with
 * the value that was probably meant (charts/sluice/templates/_typos.tpl).
 */
import type { Shape } from "./shape.ts";
import { type Branch, isBranch, treeOf } from "./tree.ts";
import type { ChartValue } from "./value.ts";

export function schemaFile(values: readonly ChartValue[]): string {
  const schema = { $schema: "http://json-schema.org/draft-07/schema#", ...branch(treeOf(values)) };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function branch(node: Branch): Record<string, unknown> {
  const properties = [...node.children].map(([key, child]) => [key, isBranch(child) ? branch(child) : leaf(child)]);
  return {
    type: ["object", "null"],
    properties: Object.fromEntries(properties),
  };
}

const leaf = (value: ChartValue) => ({
  description: value.fate.kind === "no-meaning" ? `No meaning here. ${value.fate.why}` : value.does,
  ...orEmpty(value.shape),
});

/**
 * People write [] for an empty mapping and {} for an empty list. Templates take neither for a
 * value, and ingress-nginx's chart accepts both.
 */
function orEmpty(shape: Shape): Shape {
  const types = Array.isArray(shape.type) ? (shape.type as readonly string[]) : [];
  if (types.includes("object") === types.includes("array")) return shape;
  const none = types.includes("object") ? { type: "array", maxItems: 0 } : { type: "object", maxProperties: 0 };
  return { anyOf: [shape, none] };
}
