/**
 * The router and the balancer on a real nginx, with records that a test writes, and backends that
 * answer with their address. Backends are `127.100.0.N:9000`; one that is named in `?fail=A,B`
 * answers 503 and the request is tried again elsewhere; on `127.100.0.99` no server listens.
 * `?wait=N` takes N seconds on `127.100.0.1`.
 */

import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { onTestFinished } from "vitest";
import type { Balance, Canary } from "../../../src/core/model/configuration.ts";
import { hostKey, upstreamKey } from "../../../src/core/model/records.ts";
import { upstreamRecord } from "../../../src/core/render/dynamic/records.ts";
import { canaryRecord } from "../../../src/core/render/location/balance-record.ts";
import { Channel } from "../../../src/nginx/channel.ts";
import { Pass } from "../../../src/nginx/index.ts";
import { type TestNginx, testNginx } from "./nginx.ts";

const lua = fileURLToPath(new URL("../../../nginx/lua", import.meta.url));
const network = "127.100.0";
const listen = `${network}.200:8080`;
export const dead = 99;

const roundRobin: Balance = { algorithm: "round_robin" };

export interface TestUpstream {
  readonly id: string;
  /** Last bytes of the addresses of its backends. */
  readonly backends: readonly number[];
  readonly balance?: Balance;
}

export interface Balancing {
  readonly nginx: TestNginx;
  /** Replaces the Upstreams with the same ids. */
  put(...upstreams: TestUpstream[]): Promise<void>;
  /** Publishes a host whose only Location sends to the Upstream of this id. */
  route(
    host: string,
    upstream: string,
    more?: { canaries?: readonly Canary[]; sticky?: boolean; path?: string },
  ): Promise<void>;
  ask(host: string, options?: Asking): Promise<Answered>;
  /**
   * Sends `count` requests and returns how many each backend answered, keyed by the last byte of
   * its address. Answers other than 200 are counted under `status N`.
   */
  tally(host: string, count: number, options?: Asking): Promise<Record<string, number>>;
}

export interface Asking {
  readonly path?: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  /** Last byte of the backend's address. */
  readonly backend: string;
  readonly cookies: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Starts nginx, with `tries` for proxy_next_upstream_tries. It ends with the test. */
export async function startBalancing({ workers = 2, tries = 3 } = {}): Promise<Balancing> {
  const nginx = await testNginx();
  const socket = `${nginx.folder.sockets}/records.sock`;
  const pool = new Pool(`http://${listen}`, { connections: 16, pipelining: 8 });
  const channel = new Channel(socket, await Pass.issue(nginx.folder.controllerPass));
  onTestFinished(async () => {
    await pool.close();
    await channel.close();
    await nginx.stop();
  });
  await nginx.serve({ workers, http: httpOf(socket, tries) });
  const publish = async (key: string, value: string) => {
    const outcome = await channel.publish([[key, value]]);
    if (outcome.kind !== "published") throw new Error(outcome.kind);
  };
  const ask = async (host: string, { path = "/", method = "GET", headers = {} }: Asking = {}) => {
    const answer = await pool.request({ path, method, headers: { ...headers, host } });
    const body = await answer.body.text();
    const set = answer.headers["set-cookie"] ?? [];
    return {
      status: answer.statusCode,
      backend: body.slice(body.lastIndexOf(".") + 1),
      cookies: typeof set === "string" ? [set] : set,
      headers: answer.headers,
    };
  };
  return {
    nginx,
    put: async (...upstreams) => {
      for (const { id, backends, balance = roundRobin } of upstreams) {
        const endpoints = backends.map((n) => ({ address: `${network}.${n}`, port: 9000 }));
        await publish(upstreamKey(id), upstreamRecord({ id, label: id, endpoints, balance }));
      }
    },
    route: async (host, upstream, { canaries = [], sticky = false, path = "/" } = {}) => {
      const location = {
        shape: "@shape",
        upstream,
        path,
        ...(sticky ? { sticky: 1 } : {}),
        canaries: canaries.map(canaryRecord),
      };
      await publish(hostKey(host), JSON.stringify({ locations: [location], prefix: ["/", 1] }));
    },
    ask,
    tally: async (host, count, options) => {
      const answers = await Promise.all(Array.from({ length: count }, () => ask(host, options)));
      const counts: Record<string, number> = {};
      for (const { status, backend } of answers) {
        const name = status === 200 ? backend : `status ${status}`;
        counts[name] = (counts[name] ?? 0) + 1;
      }
      return counts;
    },
  };
}

const backends = Array.from({ length: 20 }, (_, n) => n + 1);
const routeVariables =
  "namespace ingress_name service_name service_port location_path proxy_upstream_name proxy_alternative_upstream_name s_to s_at s_inner route_unserved route_tls route_too_large route_slash route_sticky";

function httpOf(socket: string, tries: number): string {
  return `
  lua_package_path "${lua}/?.lua;;";
  lua_shared_dict sluice_records_3 4m;
  lua_shared_dict sluice_times 1m;
  init_by_lua_block {
    require("resty.core")
    require("sluice.route").know("", { "@shape" })
    require("sluice.balance")
  }
  init_worker_by_lua_block { require("sluice.random").seed() }
  uninitialized_variable_warn off;
  keepalive_requests 100000;
  upstream sluice_http {
    server 0.0.0.1;
    balancer_by_lua_block { require("sluice.balance").run() }
    keepalive 100;
  }
  server {
    listen unix:${socket};
    client_max_body_size 0;
    location = /records { content_by_lua_block { require("sluice.channel").serve() } }
  }
  server {
    ${backends.map((n) => `listen ${network}.${n}:9000;`).join(" ")}
    keepalive_requests 100000;
    location / {
      default_type text/plain;
      content_by_lua_block {
        local name = ngx.var.server_addr:match("%d+$")
        if ("," .. (ngx.var.arg_fail or "") .. ","):find("," .. name .. ",", 1, true) then ngx.status = 503 end
        local wait = tonumber(ngx.var.arg_wait)
        if wait and name == "1" then ngx.sleep(wait) end
        if ngx.var.arg_cookie then ngx.header["Set-Cookie"] = ngx.var.arg_cookie .. "=own" end
        ngx.print(ngx.var.server_addr)
      }
    }
  }
  server {
    listen ${listen};
    location = /_sluice/variables {
      internal;
      ${routeVariables
        .split(" ")
        .map((name) => `set $${name} "";`)
        .join(" ")}
      return 404;
    }
    location / {
      set_by_lua $proxy_upstream_name 'return require("sluice.route").run("")' "HTTP/1.1\\n\\n$http_host\\n$host\\n$uri";
      recursive_error_pages on;
      error_page 599 = $s_at;
      return 599;
    }
    location @sluice_unrouted { return 404; }
    location @shape {
      if ($route_unserved) { return 503; }
      add_header X-Alternative $proxy_alternative_upstream_name always;
      add_header X-Tried $upstream_addr always;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_next_upstream error timeout http_503;
      proxy_next_upstream_tries ${tries};
      proxy_connect_timeout 1s;
      log_by_lua_block { require("sluice.balance.ewma").learn() }
      proxy_pass http://sluice_http;
    }
  }`;
}
