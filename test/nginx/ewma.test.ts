/**
 * Tests `load-balance: ewma`: answer times are recorded, and the faster endpoint gets the requests.
 */
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, serving, toWeb, webAt } from "./support/serve.ts";

const backendPort = 21_907;
/**
 * The milliseconds of each endpoint. The difference is so large that delays of a busy machine do
 * not matter.
 */
const endpoints = { "127.0.0.1": 0, "127.0.0.2": 2_000 };
const files = {
  "web.yaml": toWeb({ host: "one.example", annotations: "nginx.ingress.kubernetes.io/load-balance: ewma" }),
  "backends.yaml": webAt(backendPort).replace("[127.0.0.1]", `[${Object.keys(endpoints).join(", ")}]`),
};

let backends: readonly Server[];
let served: Served;
beforeAll(async () => {
  backends = Object.entries(endpoints).map(([address, waitMs]) =>
    createServer((_request, response) => setTimeout(() => response.end(address), waitMs)).listen(backendPort, address),
  );
  served = await serving({ files });
});
afterAll(async () => {
  await served?.remove();
  for (const backend of backends) {
    backend.close();
    backend.closeAllConnections();
  }
});

test("requests move away from a slow endpoint", async () => {
  const answers: string[] = [];
  for (let asked = 0; asked < 60; asked++) answers.push((await served.ask("one.example")).body);
  expect(new Set(answers)).toEqual(new Set(Object.keys(endpoints)));
  expect(answers.slice(20).filter((address) => address === "127.0.0.2").length).toBeLessThan(4);
});
