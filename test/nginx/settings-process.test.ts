/**
 * Tests keys about nginx's processes and its reloads by nginx's behaviour or, if that is not
 * visible from outside, by the line in nginx.conf.
 */
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Configured, ingress, service, startConfigured } from "./support/configured.ts";
import { type HeldBackend, heldBackend } from "./support/held-backend.ts";
import { until } from "./support/until.ts";

const port = 23_000;
let it: Configured;
let held: HeldBackend;

beforeAll(async () => {
  it = await startConfigured({ port });
  held = await heldBackend("192.0.2.88", port + 6);
  await it.set({}, [...service("held", port + 6, ["192.0.2.88"]), ingress("held", "held.example", "held")]);
});
afterAll(async () => {
  await it.stop();
  await held.stop();
});

const lines = [
  ["worker-cpu-affinity", "auto", "worker_cpu_affinity", "auto"],
  ["worker-processes", "3", "worker_processes", "3"],
  ["max-worker-connections", "500", "worker_connections", "500"],
  ["max-worker-open-files", "2000", "worker_rlimit_nofile", "2000"],
  ["enable-multi-accept", "false", "multi_accept", "off"],
  ["debug-connections", "192.0.2.0/24", "debug_connection", "192.0.2.0/24"],
  ["enable-aio-write", "false", "aio_write", "off"],
  ["variables-hash-max-size", "4096", "variables_hash_max_size", "4096"],
  ["variables-hash-bucket-size", "512", "variables_hash_bucket_size", "512"],
  ["proxy-headers-hash-max-size", "1024", "proxy_headers_hash_max_size", "1024"],
  ["proxy-headers-hash-bucket-size", "128", "proxy_headers_hash_bucket_size", "128"],
  ["client-body-buffer-size", "16k", "client_body_buffer_size", "16k"],
  ["ssl-early-data", "true", "ssl_early_data", "on"],
  ["ssl-buffer-size", "8k", "ssl_buffer_size", "8k"],
  ["ssl-session-cache-size", "2m", "ssl_session_cache", "shared:SSL:2m"],
  ["proxy-connect-timeout", "7", "proxy_connect_timeout", "7s"],
  ["proxy-send-timeout", "8", "proxy_send_timeout", "8s"],
  ["proxy-buffers-number", "6", "proxy_buffers", "6 4k"],
  ["proxy-busy-buffers-size", "12k", "proxy_busy_buffers_size", "12k"],
  ["proxy-max-temp-file-size", "100m", "proxy_max_temp_file_size", "100m"],
  ["proxy-next-upstream-timeout", "9", "proxy_next_upstream_timeout", "9s"],
  ["grpc-buffer-size-kb", "10", "grpc_buffer_size", "10k"],
  ["upstream-keepalive-time", "30m", "keepalive_time", "30m"],
] as const;

test("keys without an effect that clients can see have their lines in nginx.conf", async () => {
  const usual = new Map(lines.map(([, , directive]) => [directive, it.values(directive)]));
  await it.set(Object.fromEntries(lines.map(([key, text]) => [key, text])));
  expect(lines.map(([key, , directive]) => [key, it.values(directive)])).toEqual(
    lines.map(([key, , , value]) => [key, expect.arrayContaining([value])]),
  );
  for (const [, , directive, value] of lines) expect(usual.get(directive)).not.toContain(value);
  expect((await it.ask()).status).toBe(200);
  await it.set({});
  for (const [, , directive] of lines) expect(it.values(directive)).toEqual(usual.get(directive));
});

/** Begins a request that hangs in the present workers; `text` resolves with its answer. */
async function hanging(): Promise<{ readonly text: Promise<string> }> {
  const socket = connect({ host: "192.0.2.1", port });
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  socket.on("error", () => {});
  const whole = new Promise<string>((resolve) => socket.on("close", () => resolve(text)));
  socket.write("GET / HTTP/1.1\r\nHost: held.example\r\nConnection: close\r\n\r\n");
  await until("the request", () => held.held === 1);
  return { text: whole };
}

test("worker-shutdown-timeout ends running requests of older workers", async () => {
  await it.set({ "worker-shutdown-timeout": "1s" });
  const { text } = await hanging();
  await it.set({ "worker-shutdown-timeout": "2s" });
  expect(await text).toBe("");
});

test("enable-serial-reloads delays a reload until older workers have ended", async () => {
  await it.set({ "enable-serial-reloads": "true" });
  const { text } = await hanging();
  await it.set({ "enable-serial-reloads": "true", "proxy-read-timeout": "50" });
  await it.begin({ "enable-serial-reloads": "true", "proxy-read-timeout": "51" });
  const settled = it.settled().then(() => "settled");
  expect(await Promise.race([settled, delay(500, "still waiting")])).toBe("still waiting");
  expect((await it.ask()).status).toBe(200);
  held.release("at last");
  expect(await text).toContain("at last");
  expect(await settled).toBe("settled");
  expect(it.values("proxy_read_timeout")).toContain("51s");
});

test("lua-shared-dicts enlarges the memory of the records, and gives snippets dictionaries of their own", async () => {
  const dictionary = "my_cache";
  await it.set({
    "lua-shared-dicts": "configuration_data: 60, certificate_data: 4, my_cache: 100k",
    "server-snippet": `location = /own { content_by_lua_block { ngx.say(ngx.shared.${dictionary}:capacity()) } }`,
  });
  expect(it.values("lua_shared_dict")).toEqual(expect.arrayContaining(["sluice_records_3 65536k", "my_cache 100k"]));
  expect((await it.ask({ path: "/own" })).body).toBe("102400");
  await it.set({});
  expect(it.values("lua_shared_dict")).toContain("sluice_records_3 16384k");
  expect((await it.ask()).status).toBe(200);
});
