/** Keys that ingress-nginx still documents although its code does not read them. */
import { optional } from "../kinds/combine.ts";
import { line } from "../kinds/names.ts";
import { setting } from "./declare.ts";

function jaeger(what: string) {
  return setting({
    key: `jaeger-${what}`,
    kind: optional(line),
    default: undefined,
    noEffect: "OpenTracing was removed from ingress-nginx; use enable-opentelemetry",
    doc: "Was part of OpenTracing.",
  });
}

export const removed = {
  useGeoip: setting({
    key: "use-geoip",
    kind: optional(line),
    default: undefined,
    noEffect: "the databases of GeoIP are no longer made; use use-geoip2",
    doc: "Was the legacy GeoIP module.",
  }),
  jaegerBaggageHeader: jaeger("baggage-header"),
  jaegerCollectorHost: jaeger("collector-host"),
  jaegerCollectorPort: jaeger("collector-port"),
  jaegerDebugHeader: jaeger("debug-header"),
  jaegerEndpoint: jaeger("endpoint"),
  jaegerPropagationFormat: jaeger("propagation-format"),
  jaegerSamplerHost: jaeger("sampler-host"),
  jaegerSamplerParam: jaeger("sampler-param"),
  jaegerSamplerPort: jaeger("sampler-port"),
  jaegerSamplerType: jaeger("sampler-type"),
  jaegerServiceName: jaeger("service-name"),
  jaegerTraceBaggageHeaderPrefix: jaeger("trace-baggage-header-prefix"),
  jaegerTraceContextHeaderName: jaeger("trace-context-header-name"),
};
