/**
 * Keys about OpenTelemetry. A separate file configures its exporter, which Sluice writes beside
 * nginx.conf.
 */
import { host, port } from "../kinds/addresses.ts";
import { optional } from "../kinds/combine.ts";
import { type Kind, ok } from "../kinds/kind.ts";
import { decimal } from "../kinds/measures.ts";
import { fileName, line } from "../kinds/names.ts";
import { variableText } from "../kinds/variables.ts";
import { oneOf } from "../kinds/words.ts";
import { keyed, setting, toggle } from "./declare.ts";
import { count } from "./kinds.ts";

const ratio = decimal({ min: 0, max: 1 });
const emptyIsZero: Kind<number> = {
  ...ratio,
  read: (text) => (text === "" ? ok(0) : ratio.read(text)),
};

export const tracing = keyed(
  {
    enableOpentelemetry: toggle({
      becomes: "opentelemetry and opentelemetry_propagate in each location",
      doc: "Traces requests; the annotation of an Ingress replaces it.",
    }),
    opentelemetryConfig: setting({
      kind: fileName,
      default: "/etc/ingress-controller/telemetry/opentelemetry.toml",
      becomes: "opentelemetry_config",
      doc: "The telemetry file. Sluice writes only the default one; another file is read as it is.",
    }),
    opentelemetryOperationName: setting({
      kind: optional(variableText),
      variables: "http",
      becomes: "opentelemetry_operation_name",
      doc: "Name of a request's span.",
    }),
    opentelemetryTrustIncomingSpan: toggle({
      default: true,
      becomes: "opentelemetry_trust_incoming_spans",
      doc: "Continues the trace that a request brings with it; the annotation of an Ingress replaces it.",
    }),
    otlpCollectorHost: setting({ kind: optional(host), doc: "Host that spans are sent to." }),
    otlpCollectorPort: setting({ kind: port, default: 4317, doc: "Port that spans are sent to." }),
    otelServiceName: setting({ kind: line, default: "nginx", doc: "Service that spans belong to." }),
    otelSampler: setting({
      kind: oneOf(["AlwaysOn", "AlwaysOff", "TraceIdRatioBased"]),
      default: "AlwaysOn",
      doc: "Which requests are traced.",
    }),
    otelSamplerRatio: setting({
      kind: emptyIsZero,
      default: 0.01,
      doc: "Share of requests that TraceIdRatioBased traces.",
    }),
    otelSamplerParentBased: toggle({ default: true, doc: "Traces a request if its incoming span is sampled." }),
    otelMaxQueuesize: setting({
      kind: count(),
      default: 2048,
      doc: "The most spans that wait to be sent; further ones are dropped.",
    }),
    otelMaxExportBatchSize: setting({ kind: count(), default: 512, doc: "The most spans in one batch." }),
    otelScheduleDelayMillis: setting({ kind: count(), default: 5000, doc: "Milliseconds between two batches." }),
  },
  { needs: "otel", becomes: "the telemetry file" },
);
