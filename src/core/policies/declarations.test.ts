/**
 * Rules for every annotation, from its declaration: good samples are accepted, bad ones have the
 * declared consequence.
 */

import { expect, test } from "vitest";
import { badAnnotations } from "../../../test/support/bad-annotations.ts";
import { annotationSamples } from "../../../test/support/samples.ts";
import { readSettings } from "../settings/read.ts";
import type { Fields } from "./declare.ts";
import { readAnnotations } from "./read.ts";
import { featureList, features } from "./registry.ts";

const prefix = "nginx.ingress.kubernetes.io";
const { settings } = readSettings({}, { kind: "ConfigMap", name: "settings" }, {});
const nothing = { secret: () => undefined, configMap: () => undefined, service: () => undefined };
const read = (annotations: Readonly<Record<string, string>>) =>
  readAnnotations(
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: {
        name: "web",
        namespace: "shop",
        annotations: Object.fromEntries(Object.entries(annotations).map(([key, text]) => [`${prefix}/${key}`, text])),
      },
    },
    prefix,
    settings,
    nothing,
  );

const fields = featureList.flatMap(([, feature]) =>
  Object.entries(feature.fields as Fields).map(([name, field]) => ({ feature, name, field })),
);
test.each(fields)("$field.key accepts its good samples", ({ field }) => {
  for (const text of annotationSamples(field).good) expect(field.kind.read(text), text).toMatchObject({ ok: true });
});

test.each(badAnnotations)(
  "the bad value $text of $key has the declared consequence, and its Problem names it",
  (one) => {
    const { key, annotations, done } = one;
    const { problems, verdict } = read(annotations);
    expect(problems).toContainEqual(expect.objectContaining({ kind: "annotation-unreadable", key, done }));
    if (done !== "default") expect(verdict).toBe(done);
  },
);

test.each(featureList.filter(([, { gate }]) => gate !== undefined))(
  "a bad value of %s is reported and has no effect while the feature is off",
  (_name, feature) => {
    for (const [name, field] of Object.entries(feature.fields as Fields)) {
      const { key, risk } = field;
      const { bad } = annotationSamples(field);
      if (name === feature.gate || risk === "Critical" || bad.length === 0) continue;
      const { problems, verdict } = read({ [key]: bad.find((text) => text !== "")! });
      expect(problems).toContainEqual(expect.objectContaining({ key, done: "default" }));
      expect(verdict).toBe("serve");
    }
  },
);

test("an annotation whose default is a setting prints the directives of the setting", () => {
  const { connect } = features.proxyTimeouts.fields;
  expect(connect.fallback({ ...settings, proxyConnectTimeout: 7 })).toBe(7);
  expect(connect.directive).toEqual({
    name: "proxy_connect_timeout",
    grpc: "grpc_connect_timeout",
    live: "balancer",
  });
});
