/**
 * Tests annotations whose values are data: a changed value takes effect at once, without a reload.
 */
import { createServer, type Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, serving, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const backendPort = 21_907;
const prefix = "nginx.ingress.kubernetes.io";
const host = "web.example";
/** The time that the backend needs for an answer. */
const answerMs = 1_600;

let backend: Server;
let served: Served;

const web = (values: Readonly<Record<string, string>>) => {
  const annotations = Object.entries(values).map(([key, value]) => `${prefix}/${key}: ${JSON.stringify(value)}`);
  return toWeb({ host, annotations: annotations.join(", ") });
};

beforeAll(async () => {
  backend = createServer(async ({ url }, response) => {
    if (url === "/slow") await delay(answerMs);
    response.end(url === "/large" ? Buffer.alloc(60_000) : "hello");
  });
  await new Promise<void>((resolve) => backend.listen(backendPort, "127.0.0.1", resolve));
  const settings = `apiVersion: v1
kind: ConfigMap
metadata: { name: ingress-nginx-controller, namespace: ingress-nginx }
data: { allow-snippet-annotations: "true", annotations-risk-level: Critical }
`;
  served = await serving({
    files: { "web.yaml": web({}), "backends.yaml": webAt(backendPort), "settings.yaml": settings },
  });
});
afterAll(async () => {
  await served?.remove();
  backend.close();
  backend.closeAllConnections();
});

const applied = () => served.lines().filter(({ msg }) => msg.startsWith("applied"));
const status = async (path: string) => (await served.ask(host, path)).status;

/** Writes the annotations, and returns the log line about how they were applied. */
async function becomes(values: Readonly<Record<string, string>>): Promise<string> {
  const before = applied().length;
  served.write("web.yaml", web(values));
  await until("the change to be applied", () => applied().length > before);
  return applied().at(-1)!.msg;
}

test("timeouts towards the backend change at once", async () => {
  const once = { "proxy-next-upstream": "off" };
  await becomes({ ...once, "proxy-read-timeout": "1" });
  expect(await status("/slow")).toBe(504);
  expect(await becomes({ ...once, "proxy-read-timeout": "30" })).toBe("applied without a reload");
  expect(await status("/slow")).toBe(200);
  expect(await becomes({ ...once, "proxy-read-timeout": "1", "proxy-connect-timeout": "3" })).toBe(
    "applied without a reload",
  );
  expect(await status("/slow")).toBe(504);
  expect(await becomes({ ...once, "proxy-send-timeout": "7" })).toBe("applied without a reload");
  expect(await status("/slow")).toBe(200);
});

test("a timeout of a snippet stays beside another one of an annotation", async () => {
  await becomes({
    "proxy-next-upstream": "off",
    "proxy-connect-timeout": "4",
    "configuration-snippet": "proxy_read_timeout 1s;",
  });
  expect(await status("/slow")).toBe(504);
});

test("the rate of an answer, and the byte at which it begins, change at once", async () => {
  const took = async () => {
    const begun = performance.now();
    expect(await status("/large")).toBe(200);
    return performance.now() - begun;
  };
  await becomes({ "proxy-buffering": "on", "limit-rate": "20", "limit-rate-after": "10" });
  const slow = await took();
  expect(slow).toBeGreaterThan(1_000);
  expect(await becomes({ "proxy-buffering": "on", "limit-rate": "10000", "limit-rate-after": "10" })).toBe(
    "applied without a reload",
  );
  expect(await took()).toBeLessThan(slow);
});
