/**
 * Decides whether and how requests are traced. The values of an Ingress replace those of the
 * ConfigMap (RS-25.5).
 */

import { optional } from "../kinds/combine.ts";
import { textOf, trimmed } from "../kinds/text.ts";
import { bool } from "../kinds/words.ts";
import { Token } from "../tokens/token.ts";
import { feature, field, textField } from "./declare.ts";

export const opentelemetry = feature({
  name: "opentelemetry",
  scope: "location",
  gate: "enable",
  needs: "otel",
  fields: {
    enable: field("enable-opentelemetry", {
      example: "true",
      kind: optional(bool),
      doc: "Whether requests are traced, whatever the ConfigMap says.",
    }),
    trust: field("opentelemetry-trust-incoming-span", {
      example: "false",
      kind: optional(bool),
      doc: "Continues the trace that a request brings with it; only with enable-opentelemetry true.",
    }),
    operation: textField("opentelemetry-operation-name", {
      example: "shop",
      kind: trimmed(textOf({ label: "letters, digits, _ and -", characters: "A-Za-z0-9_\\-" })),
      onBad: "reject",
      risk: "Medium",
      doc: "Name of a request's span; only with enable-opentelemetry true.",
    }),
  },
  view: ({ enable, trust, operation }, place, { enableOpentelemetry, opentelemetryTrustIncomingSpan }) => {
    if (!(enable ?? enableOpentelemetry)) return enableOpentelemetry ? { on: false } : false;
    place.needs("tracing");
    const own = enable === true;
    return {
      on: true,
      trusts: own && trust !== undefined ? trust : opentelemetryTrustIncomingSpan,
      operation: own && operation !== "" ? Token.name(operation) : false,
    };
  },
});
