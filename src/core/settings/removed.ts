/** Keys that ingress-nginx still documents although its code does not read them. */
import { optional } from "../kinds/combine.ts";
import { line } from "../kinds/names.ts";
import { keyed, setting } from "./declare.ts";

const jaeger = setting({
  kind: optional(line),
  noEffect: "OpenTracing was removed from ingress-nginx; use enable-opentelemetry",
  doc: "Was part of OpenTracing.",
});

export const removed = keyed({
  useGeoip: setting({
    kind: optional(line),
    noEffect: "the databases of GeoIP are no longer made; use use-geoip2",
    doc: "Was the legacy GeoIP module.",
  }),
  jaegerBaggageHeader: jaeger,
  jaegerCollectorHost: jaeger,
  jaegerCollectorPort: jaeger,
  jaegerDebugHeader: jaeger,
  jaegerEndpoint: jaeger,
  jaegerPropagationFormat: jaeger,
  jaegerSamplerHost: jaeger,
  jaegerSamplerParam: jaeger,
  jaegerSamplerPort: jaeger,
  jaegerSamplerType: jaeger,
  jaegerServiceName: jaeger,
  jaegerTraceBaggageHeaderPrefix: jaeger,
  jaegerTraceContextHeaderName: jaeger,
});
