/** Annotations of older versions that do nothing any more, each with what took its place. */
export const removed: Readonly<Record<string, string | undefined>> = {
  "enable-influxdb": undefined,
  "influxdb-measurement": undefined,
  "influxdb-port": undefined,
  "influxdb-host": undefined,
  "influxdb-server-name": undefined,
  "secure-verify-ca-secret": "proxy-ssl-secret with proxy-ssl-verify",
  "secure-backends": "backend-protocol with HTTPS",
  "grpc-backend": "backend-protocol with GRPC",
  "add-base-url": undefined,
  "base-url-scheme": undefined,
  "session-cookie-hash": undefined,
  "mirror-uri": "mirror-target",
  "enable-opentracing": "enable-opentelemetry",
  "opentracing-trust-incoming-span": "opentelemetry-trust-incoming-span",
};
