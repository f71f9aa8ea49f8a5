/** Writes the definition of RouteSettings, from the declarations of annotations. */
import { stringify } from "yaml";
import type { Field } from "../../src/core/policies/declare.ts";
import { isForListeners, whyNotOnRoutes } from "../../src/core/policies/on-routes.ts";
import { featureList } from "../../src/core/policies/registry.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Sluice itself reads the values and reports mistakes. Unknown keys are kept, because they may be
 * from a newer version, and Sluice reports them.
 */
const anything = { "x-kubernetes-preserve-unknown-fields": true };

const text = (maxLength: number): Schema => ({ type: "string", minLength: 1, maxLength });

const targetRefs: Schema = {
  description:
    "What the settings are attached to, in their own namespace: a Gateway, a ListenerSet, an HTTPRoute or a GRPCRoute.",
  type: "array",
  maxItems: 16,
  items: {
    type: "object",
    required: ["group", "kind", "name"],
    properties: {
      group: { type: "string", enum: ["gateway.networking.k8s.io"] },
      kind: text(63),
      name: text(253),
      sectionName: { description: "A listener of the Gateway or set, or a named rule of the route.", ...text(253) },
    },
  },
};

const status: Schema = {
  type: "object",
  properties: {
    ancestors: {
      type: "array",
      maxItems: 16,
      items: {
        type: "object",
        required: ["ancestorRef", "controllerName"],
        properties: {
          ancestorRef: { type: "object", ...anything },
          controllerName: text(253),
          conditions: { type: "array", items: { type: "object", ...anything } },
        },
      },
    },
  },
};

const keys: Readonly<Record<string, Schema>> = Object.fromEntries(
  featureList.flatMap(([, { fields }]) =>
    (Object.values(fields) as readonly Field<unknown>[])
      .filter(({ key }) => whyNotOnRoutes(key) === undefined || isForListeners(key))
      .map(({ key, doc }) => [key, { description: doc, ...anything }]),
  ),
);

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: "routesettings.sluice.dev",
    annotations: { "helm.sh/resource-policy": "keep" },
    labels: { "gateway.networking.k8s.io/policy": "Inherited" },
  },
  spec: {
    group: "sluice.dev",
    scope: "Namespaced",
    names: { kind: "RouteSettings", listKind: "RouteSettingsList", plural: "routesettings", singular: "routesettings" },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          {
            name: "Accepted",
            type: "string",
            jsonPath: '.status.ancestors[*].conditions[?(@.type=="Accepted")].status',
          },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        schema: {
          openAPIV3Schema: {
            description:
              "Annotations for routes of the Gateway API: names of annotations without their prefix, and values.",
            type: "object",
            required: ["spec"],
            properties: {
              apiVersion: { type: "string" },
              kind: { type: "string" },
              metadata: { type: "object" },
              spec: { type: "object", ...anything, properties: { targetRefs, ...keys } },
              status,
            },
          },
        },
      },
    ],
  },
};

export function routeSettingsFile(): string {
  const head = "# This file is generated from src/core/policies; npm test chart -- --update writes it anew.\n";
  return `${head}${stringify(definition, { lineWidth: 110 })}`;
}
