/** Keys that ingress-nginx still documents although its code does not read them. */
import { optional } from "../kinds/combine.ts";
import { line } from "../kinds/names.ts";
import { keyed, without } from "./declare.ts";

const openTracing = "OpenTracing was removed from ingress-nginx; use enable-opentelemetry";
const jaeger = without(optional(line), openTracing, "Was part of OpenTracing.");

export const removed = keyed({
  useGeoip: without(
    optional(line),
    "the databases of GeoIP are no longer made; use use-geoip2",
    "Was the legacy GeoIP module.",
  ),
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
