/**
 * The webhook refuses what the sync would set aside by validation: each bad value that a
 * declaration knows, and each rule of several annotations.
 */

import { expect, test } from "vitest";
import { annotationSamples } from "../../../test/support/samples.ts";
import { base, ingress, put, service } from "../../../test/support/sketch.ts";
import type { Fields } from "../../core/policies/declare.ts";
import { featureList } from "../../core/policies/registry.ts";
import { defaultSettings } from "../../core/settings/registry.ts";
import { readIngress } from "../../core/sources/ingress/reading.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { judge } from "./judge.ts";
import { Neighbours } from "./neighbours.ts";

const snapshot = put(base, service("web"));
const settings = { ...defaultSettings, allowSnippetAnnotations: true, annotationsRiskLevel: "Critical" as const };
const neighbours = new Neighbours(defaultOptions);
const bench = { snapshot, neighbours, settings, options: defaultOptions, watches: () => true };

/** Returns the sync's result for these annotations, and the webhook's answer. */
function both(annotations: Readonly<Record<string, string>>) {
  const { metadata, ...rest } = ingress({ name: "new", host: "a.example", annotations });
  const submitted = { ...rest, metadata: { ...metadata, uid: "705ab4f5-6393-11e8-b7cc-42010a800002" } };
  const verdict = judge(submitted, bench);
  if (verdict.kind !== "judged") throw new Error("it is ours");
  const refused = verdict.refusals.length > 0;
  const { verdict: applied, problems } = readIngress(submitted, snapshot, settings, defaultOptions);
  return { applied, problems, refused, warned: verdict.warnings.length > 0 };
}

const bad = featureList.flatMap(([, { fields }]) =>
  Object.values(fields as Fields).flatMap((field) =>
    annotationSamples(field).bad.map((text) => [field.key, text] as const),
  ),
);

test.each(bad)(
  "the webhook refuses %s: %j unless the sync serves it, and warns of it if the sync has a Problem",
  (key, text) => {
    const { applied, problems, refused, warned } = both({ [key]: text });
    expect(refused).toBe(applied !== "serve");
    if (!refused) expect(warned).toBe(problems.length > 0);
  },
);

test.each([
  [{ "auth-type": "basic" }],
  [{ "auth-type": "digest", "auth-secret": "../other" }],
  [{ canary: "true", "canary-weight": "200", "canary-weight-total": "100" }],
  [{ "auth-url": "http://auth.example/$x", "auth-method": "GE T" }],
  [{ "auth-tls-secret": "no/such/secret" }],
  [{ "server-snippet": "root /; } server {" }],
  [{ "proxy-ssl-secret": "here", "proxy-ssl-verify": "maybe" }],
])("the webhook refuses the annotations %j, with which the sync would not serve the Ingress", (annotations) => {
  const { applied, refused } = both(annotations);
  expect(refused).toBe(applied !== "serve");
});
