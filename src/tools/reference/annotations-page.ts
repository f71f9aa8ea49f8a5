/** The reference page of the annotations. */

import { written } from "../../core/kinds/kind.ts";
import { consequences } from "../../core/model/problem.ts";
import type { AnyFeature, Field } from "../../core/policies/declare.ts";
import { featureList } from "../../core/policies/registry.ts";
import { removed } from "../../core/policies/removed.ts";
import { defaultSettings, settings } from "../../core/settings/registry.ts";
import { code, table, withOutline } from "./markdown.ts";

export function annotationsPage(): string {
  const parts = featureList.map(([, feature]) => {
    const rows = fieldsOf(feature).map(row);
    const head = ["Annotation", "Default", "Value", "Risk", "What it does"];
    return `## ${feature.name}\n\n${scopes[feature.scope]}\n\n${table(head, rows)}\n${exampleOf(feature)}`;
  });
  return withOutline(`${intro}\n${parts.join("\n")}\n${gone()}`);
}

const intro = `# Annotations

<!-- Printed by \`sluice reference annotations\`; npm test checks it. -->

Each has the prefix \`nginx.ingress.kubernetes.io/\`, or the one that \`--annotations-prefix\` names. An
Ingress with an annotation of a higher risk than the setting \`annotations-risk-level\` (\`High\`) is
refused. A default in brackets is that of the setting it names.

Below each table is an example value for each of its annotations. Few Ingresses need all of them at
once.
`;

/** A feature's scope in words. */
export const scopes: Readonly<Record<AnyFeature["scope"], string>> = {
  location: "For the paths of the Ingress.",
  ingress: "For the Ingress as a whole.",
  host: "For the hosts of the Ingress as a whole: of several Ingresses of a host, the oldest one wins.",
  upstream: "For the Services of the Ingress, without a reload: of several Ingresses, the oldest one wins.",
};

export const fieldsOf = (feature: AnyFeature) => Object.values(feature.fields) as readonly Field<unknown>[];

/** Returns an example value for each annotation of a feature, as lines of an Ingress's metadata. */
function exampleOf(feature: AnyFeature): string {
  const lines = fieldsOf(feature).map(
    ({ key, example }) => `    nginx.ingress.kubernetes.io/${key}: ${JSON.stringify(example)}`,
  );
  return `\`\`\`yaml\nmetadata:\n  annotations:\n${lines.join("\n")}\n\`\`\`\n`;
}

function row(field: Field<unknown>): readonly string[] {
  const { key, aliases = [], kind, risk, doc } = field;
  const also = aliases.length === 0 ? "" : ` Also written ${aliases.map(code).join(", ")}.`;
  return [code(key), defaultOf(field), kind.label, risk, `${doc}${also}${unreadable(field)}`];
}

/** Returns the default, with the key of the setting that it comes from. */
export function defaultOf({ kind, fallback }: Field<unknown>): string {
  const read = new Set<string>();
  const watched = new Proxy(defaultSettings, {
    get(target, name) {
      read.add(String(name));
      return Reflect.get(target, name);
    },
  });
  const value = code(written(kind, fallback(watched)));
  const keys = [...read].map((name) => code(settings[name as keyof typeof settings].key)).join(", ");
  return [value, keys === "" ? "" : `(${keys})`].filter((part) => part !== "").join(" ");
}

/** Returns the consequence of an unreadable value, if it is more than the use of the default. */
export function unreadable({ onBad, emptyIsBad }: Field<unknown>): string {
  if (onBad === undefined || onBad === "default") return "";
  return ` A value that cannot be read${emptyIsBad ? ", or an empty one" : ""}: ${consequences[onBad]}.`;
}

function gone(): string {
  const rows = Object.entries(removed).map(([key, successor]) => [code(key), successor === undefined ? "" : successor]);
  return `## Removed\n\nThey do nothing any more, and a Problem says so.\n\n${table(["Annotation", "Use instead"], rows)}`;
}
