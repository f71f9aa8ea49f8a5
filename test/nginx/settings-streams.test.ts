/** Tests keys about TCP and UDP services and TLS passthrough. */
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { backedService } from "../support/sketch.ts";
import { type Configured, host, service, startConfigured } from "./support/configured.ts";
import { type HeldBackend, heldBackend } from "./support/held-backend.ts";

const port = 23_100;
const [held, half, udp, own] = [port + 6, port + 7, port + 8, port + 9];
let it: Configured;
let backend: HeldBackend;

const map = (name: string, data: Record<string, string>) =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "keys" }, data }) as unknown as KubernetesObject;
beforeAll(async () => {
  const flags = ["--tcp-services-configmap=keys/tcp", "--udp-services-configmap=keys/udp", "--enable-ssl-passthrough"];
  it = await startConfigured({ port, flags });
  backend = await heldBackend("192.0.2.92", port + 5);
  await it.set({}, [
    ...service("held", port + 5, ["192.0.2.92"]),
    ...service("half", port + 4, ["192.0.2.87", "192.0.2.93"]),
    ...backedService({
      name: "datagrams",
      namespace: "keys",
      port: port + 4,
      addresses: ["192.0.2.87"],
      protocol: "UDP",
    }),
    map("tcp", { [held]: "keys/held:80", [half]: "keys/half:80" }),
    map("udp", { [udp]: "keys/datagrams:80" }),
  ]);
});
afterAll(async () => {
  await it.stop();
  await backend.stop();
});

/** Returns everything that arrives until the other side closes, and how long that took. */
async function over(at: number, sent = `GET / HTTP/1.0\r\nHost: ${host}\r\n\r\n`) {
  const began = performance.now();
  const socket = connect({ host: "192.0.2.1", port: at });
  if (sent !== "") socket.write(sent);
  const answer = await text(socket).catch(() => "");
  return { answer, ms: performance.now() - began };
}

test("proxy-stream-timeout ends a silent connection", async () => {
  await it.set({ "proxy-stream-timeout": "1s" });
  const { answer, ms } = await over(held);
  expect(answer).toBe("");
  expect(ms).toBeGreaterThan(900);
});

test("proxy-stream-next-upstream uses the next endpoint where one refuses, as often as its tries allow", async () => {
  const failed = async (settings: Record<string, string>) => {
    await it.set(settings);
    const answers = await Promise.all(Array.from({ length: 8 }, () => over(half)));
    return answers.filter(({ answer }) => answer === "").length;
  };
  expect(await failed({})).toBe(0);
  expect(await failed({ "proxy-stream-next-upstream": "false" })).toBeGreaterThan(0);
  expect(await failed({ "proxy-stream-next-upstream-tries": "1" })).toBeGreaterThan(0);
  await it.set({ "proxy-stream-next-upstream-timeout": "9s" });
  expect(it.values("proxy_next_upstream_timeout")).toContain("9s");
});

test("proxy-stream-responses is the number of answers to a datagram", async () => {
  await it.set({ "proxy-stream-responses": "3" });
  expect(it.values("proxy_responses")).toEqual(["3"]);
});

test("stream-snippet is part of the stream block", async () => {
  await it.set({ "stream-snippet": `server { listen ${own}; return hello; }` });
  expect((await over(own, "")).answer).toBe("hello");
});

test("proxy-protocol-header-timeout ends a connection to the passthrough listener that has no PROXY header", async () => {
  await it.set({ "use-proxy-protocol": "true", "proxy-protocol-header-timeout": "1s" });
  const { answer, ms } = await over(it.ports.https, "");
  expect(answer).toBe("");
  expect(ms).toBeGreaterThan(900);
  expect(ms).toBeLessThan(20_000);
});
