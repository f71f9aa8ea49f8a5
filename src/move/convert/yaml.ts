/** Writes objects as YAML, with comments that name the origin of each part. */
import { Document, isMap, isScalar, isSeq, type Node, Scalar, visit, type YAMLMap } from "yaml";
import { visibleLines } from "../../base/visible.ts";
import type { Written } from "./written.ts";

export function yamlOf(all: readonly Written[]): string {
  return all.map(documentOf).join("---\n");
}

/** Quotes as YAML 1.1, which many tools still use, needs it. */
const asRead = { version: "1.1", aliasDuplicateObjects: false } as const;

function documentOf({ object, comments }: Written): string {
  const document = new Document(object, asRead);
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && isHidden(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
    Seq: (_, node) => {
      node.flow = node.items.every((one) => isScalar(one) && one.commentBefore == null);
    },
  });
  for (const { at, text } of comments) {
    const node = commented(document.contents as YAMLMap, at);
    const lines = ` ${shown(text).replaceAll("\n", "\n ")}`;
    node.commentBefore = node.commentBefore == null ? lines : `${node.commentBefore}\n${lines}`;
  }
  return shown(document.toString({ lineWidth: 0, flowCollectionPadding: false }));
}

/** Returns the node above which a comment stands: a key, or an item of a list. */
function commented(node: Node, [step, ...rest]: readonly (string | number)[], item?: Node): Node {
  if (isSeq(node) && typeof step === "number") {
    const next = node.items[step] as Node;
    return rest.length === 0 ? next : commented(next, rest, next);
  }
  if (!isMap(node) || step === undefined) return node;
  const at = node.items.findIndex(({ key }) => isScalar(key) && key.value === step);
  const { key, value } = node.items[at] as { readonly key: Node; readonly value: Node };
  if (rest.length > 0) return commented(value, rest);
  // A comment on the first key of an item stands above its dash.
  return at === 0 && item !== undefined ? item : key;
}

/** Escapes what a reader would not see, and a byte order mark, which YAML would drop. */
const shown = (text: string): string => visibleLines(text).replaceAll("\ufeff", "\\ufeff");

/** Whether a text has such signs, and so needs quotes in which escapes mean something. */
const isHidden = (text: string): boolean => text.includes("\t") || shown(text) !== text;
