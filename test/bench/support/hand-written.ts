/**
 * A hand-written nginx.conf as the yardstick of the data plane. It proxies the same hosts with the
 * same log and the same headers, including those that clients must not send.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import type { OwnCertificate } from "../../../src/edges/admission/own-certificate.ts";
import { nginxProcesses } from "../../../src/nginx/process/processes.ts";
import { until } from "../../nginx/support/until.ts";

export interface Started {
  /** The worker processes. */
  workers(): readonly number[];
  /** The path of the text. */
  readonly conf: string;
  /** Milliseconds that `nginx -t` takes. */
  test(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts nginx with this text. `{root}` in it is its folder. */
export async function startNginx(conf: string): Promise<Started> {
  const root = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const file = join(root, "nginx.conf");
  mkdirSync(join(root, "temp"));
  writeFileSync(file, conf.replaceAll("{root}", root));
  const child = execa("nginx", ["-p", `${root}/`, "-e", "stderr", "-c", file, "-g", "daemon off;"], {
    cwd: root,
    reject: false,
    stdout: "ignore",
    // Sluice starts its own nginx in this way too. Linux shares a core differently between sessions
    // and within one, which makes a tenth of a request's CPU time.
    detached: true,
  });
  const workers = () =>
    nginxProcesses({ root, conf: file }).flatMap(({ role, pid }) => (role === "worker" ? [pid] : []));
  await Promise.race([
    until("the workers of nginx", () => workers().length > 0, 60_000),
    child.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  return {
    workers,
    conf: file,
    test: async () => {
      const since = performance.now();
      await execa("nginx", ["-t", "-p", `${root}/`, "-e", "stderr", "-c", file]);
      return performance.now() - since;
    },
    stop: async () => {
      child.kill("SIGTERM");
      await child;
      rmSync(root, { recursive: true });
    },
  };
}

/**
 * The backends of the benchmarks answer every request at almost no cost. Two nginx keep some 40,000
 * idle connections to 10,000 Services. So the backends need several addresses and several
 * processes: the kernel has 28,000 ports towards one address, and a process may have 20,000 open
 * files.
 */
export const backend = (addresses: readonly string[], port: number): string => `
worker_processes 4;
pid {root}/nginx.pid;
events { worker_connections 16384; }
http {
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path {root}/temp; proxy_temp_path {root}/temp; fastcgi_temp_path {root}/temp; uwsgi_temp_path {root}/temp; scgi_temp_path {root}/temp;
  server { ${addresses.map((address) => `listen ${address}:${port} backlog=4096 reuseport;`).join(" ")} location / { return 200 "ok\\n"; } }
}`;

export interface Listeners {
  readonly hosts: readonly string[];
  readonly http: number;
  readonly https: number;
  /** Address and port. */
  readonly backend: string;
  readonly certificate: string;
  readonly key: string;
}

export interface HandWritten extends Listeners {
  /** The number of idle connections that an upstream block keeps. */
  readonly keepalive: number;
  /**
   * Whether each host has a Service and so an upstream block of its own, as in static mode; else
   * one serves all, as in dynamic mode.
   */
  readonly services: boolean;
}

/** A pair in files of this folder. */
export function pairIn(folder: string, { cert, key }: Pick<OwnCertificate, "cert" | "key">) {
  const files = { certificate: join(folder, "tls.crt"), key: join(folder, "tls.key") };
  writeFileSync(files.certificate, cert);
  writeFileSync(files.key, key);
  return files;
}

export function handWritten(given: HandWritten): string {
  const { hosts, http, https, backend, certificate, key, keepalive, services } = given;
  const upstream = (name: string) => `
  upstream ${name} { server ${backend}; keepalive ${keepalive}; keepalive_requests 10000; }`;
  const server = (host: string) => `${services ? upstream(`backend-${host}`) : ""}
  server {
    listen ${http}; listen ${https} ssl http2;
    server_name ${host};
    location / { set $service "shop-${host}-80"; proxy_pass http://${services ? `backend-${host}` : "backend"}; }
  }`;
  return `
worker_processes 2;
worker_rlimit_nofile 65536;
pid {root}/nginx.pid;
events { multi_accept on; worker_connections 16384; }
http {
  client_body_temp_path {root}/temp; proxy_temp_path {root}/temp; fastcgi_temp_path {root}/temp; uwsgi_temp_path {root}/temp; scgi_temp_path {root}/temp;
  aio threads; aio_write on; tcp_nopush on; reset_timedout_connection on;
  keepalive_timeout 75s; keepalive_requests 1000000; server_tokens off;
  server_names_hash_max_size ${Math.max(1024, 4 * hosts.length)}; server_names_hash_bucket_size 64;
  ssl_certificate ${certificate}; ssl_certificate_key ${key};
  ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:SSL:10m; ssl_session_tickets off; ssl_buffer_size 4k;
  client_max_body_size 1m; proxy_buffering off; proxy_http_version 1.1; proxy_redirect off;
  proxy_connect_timeout 5s; proxy_next_upstream error timeout; proxy_next_upstream_tries 3;
  map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
  map $http_x_request_id $req_id { default $http_x_request_id; "" $request_id; }
  proxy_set_header Host $http_host;
  proxy_set_header Upgrade $http_upgrade;
  proxy_set_header Connection $connection_upgrade;
  proxy_set_header X-Request-ID $req_id;
  proxy_set_header X-Real-IP $remote_addr;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header X-Forwarded-Host $http_host;
  proxy_set_header X-Forwarded-Port $server_port;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_set_header X-Forwarded-Scheme $scheme;
  proxy_set_header X-Scheme $scheme;
  proxy_set_header X-Original-Forwarded-For $http_x_forwarded_for;
  proxy_set_header X-Original-Forwarded-Host $http_x_forwarded_host;
  proxy_set_header ssl-client-verify "";
  proxy_set_header ssl-client-subject-dn "";
  proxy_set_header ssl-client-issuer-dn "";
  proxy_set_header ssl-client-cert "";
  proxy_set_header Proxy "";
  proxy_set_header TE "";
  map $https $hsts { default ""; on "max-age=31536000; includeSubDomains"; }
  proxy_hide_header Strict-Transport-Security;
  add_header Strict-Transport-Security $hsts always;
  log_format upstreaminfo '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_length $request_time [$service] [] $upstream_addr $upstream_response_length $upstream_response_time $upstream_status $req_id';
  access_log {root}/access.log upstreaminfo;
  ${services ? "" : upstream("backend")}
  server { listen ${http} default_server reuseport backlog=4096; listen ${https} default_server reuseport backlog=4096 ssl http2; return 404; }
  ${hosts.map(server).join("")}
}`;
}

/**
 * The smallest text that serves these hosts: a server and an upstream block each with a few kept
 * connections, and a log.
 */
export function smallestByHand({ hosts, http, https, backend, certificate, key }: Listeners): string {
  const server = (host: string, at: number) => `
  upstream app-${at} { server ${backend}; keepalive 8; }
  server {
    listen ${http}; listen ${https} ssl http2;
    server_name ${host};
    location / { proxy_pass http://app-${at}; }
  }`;
  return `
worker_processes 2;
pid {root}/nginx.pid;
events { worker_connections 16384; }
http {
  client_body_temp_path {root}/temp; proxy_temp_path {root}/temp; fastcgi_temp_path {root}/temp; uwsgi_temp_path {root}/temp; scgi_temp_path {root}/temp;
  access_log {root}/access.log;
  ssl_certificate ${certificate}; ssl_certificate_key ${key}; ssl_session_cache shared:SSL:10m;
  server_names_hash_max_size ${Math.max(1024, 4 * hosts.length)}; server_names_hash_bucket_size 64;
  proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_set_header Connection "";
  server { listen ${http} default_server; listen ${https} default_server ssl http2; return 404; }
  ${hosts.map(server).join("")}
}`;
}
