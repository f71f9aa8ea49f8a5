import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { defaultBackend, portOf } from "./default-backend.ts";

test.each([
  ["GET", "/", 404, "default backend - 404"],
  ["POST", "/any/path", 404, "default backend - 404"],
  ["GET", "/healthz", 200, "ok"],
  ["GET", "/healthz?probe=1", 200, "ok"],
  ["GET", "/healthzz", 404, "default backend - 404"],
])("%s %s is answered with status %i", async (method, path, status, body) => {
  const server = defaultBackend().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    method,
    ...(method === "POST" ? { body: "x".repeat(100_000) } : {}),
  });
  expect(answer.status).toBe(status);
  expect(await answer.text()).toBe(body);
});

test("the port is read from the arguments, and a mistake in it is reported", () => {
  expect(portOf([])).toBe(8080);
  expect(portOf(["--port=9000"])).toBe(9000);
  expect(portOf(["--port=http"])).toBe("--port: http is not a port number.");
  expect(portOf(["--prot=1"])).toMatch(/--prot/);
});
