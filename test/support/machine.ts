/**
 * A Machine for tests that render settings: nginx has all capabilities, and the run folder need not
 * exist.
 */
import type { Machine } from "../../src/core/tokens/machine.ts";

export function machineAt(run: string, port: number, own: Partial<Machine> = {}): Machine {
  return {
    capabilities: {
      brotli: true,
      geoip2: true,
      headersMore: true,
      http2: true,
      http2Directive: true,
      keptBody: false,
      http3: true,
      lua: true,
      modsecurity: true,
      otel: true,
      realip: true,
      rejectHandshake: true,
      stream: true,
      streamRealip: true,
      streamTls: true,
      upstreamResolve: false,
      upstreamSan: false,
    },
    cpus: 1,
    openFiles: 4096,
    ipv6: true,
    nameservers: ["127.0.0.1", "::1"],
    backlog: 511,
    user: undefined,
    stdoutOpens: true,
    logVolume: false,
    modules: [],
    mode: "dynamic",
    ports: { http: port, https: port, defaultServer: 8181, status: 10246, nameCheck: 10250, stream: 10247 },
    healthPath: "/healthz",
    passthrough: false,
    counts: undefined,
    accessLog: `${run}/access.log`,
    errorLog: `${run}/error.log`,
    talkative: false,
    files: {
      dhParam: undefined,
      ticketKey: undefined,
      telemetry: `${run}/telemetry.toml`,
      modsecurityRules: `${run}/modsecurity.conf`,
      owaspRules: `${run}/owasp.conf`,
      geoipDatabases: [],
    },
    paths: {
      root: run,
      temp: `${run}/temp`,
      controlSocket: `${run}/sockets/control.sock`,
      controllerPass: `${run}/keys/controller`,
      nginxPass: `${run}/keys/nginx`,
      sockets: `${run}/sockets`,
      tlsSocket: `${run}/sockets/tls.sock`,
      upstreamErrors: `${run}/nginx.errors`,
      journal: `${run}/data/records.journal`,
      lua: "/usr/share/sluice/lua",
    },
    nameKey: "",
    luaVersion: "",
    ...own,
  };
}
