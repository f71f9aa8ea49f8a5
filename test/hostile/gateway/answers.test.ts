/**
 * Answers of the services that a tenant chooses for copies and auth requests. nginx reads them in
 * workers that all tenants share, so an answer without an end must not fill their memory. No answer
 * hides from Sluice that a request has come back to it.
 */
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, createServer, type Server } from "node:net";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { field, header, message, startExtAuthz, status } from "../../nginx/support/ext-authz.ts";
import { type Answer, request } from "../../nginx/support/request.ts";
import { until } from "../../nginx/support/until.ts";
import { gateway, gatewayClass, route } from "../../support/gateways.ts";
import { type Flood, mostSent, pour } from "../support/flood.ts";
import { service } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const world = worldOf({ mode: "dynamic", flags: ["--gateway-addresses=192.0.2.70"] });
const web = { name: "web", port: 80 };
/** The address of the services that do not stop to answer. */
const address = "192.0.2.62";

beforeEach(() => world.apply(gatewayClass(), gateway({})));

const ask = (): Promise<Answer> => request({ to: "192.0.2.70:80", host: "a.example" });
const auth = (more: object) => ({
  type: "ExternalAuth",
  externalAuth: { backendRef: { name: "own", port: 80 }, ...more },
});

/** Returns the megabytes of the nginx process here that has the most memory of its own. */
function megabytes(): number {
  const here = readlinkSync("/proc/self/ns/net");
  const sizes = readdirSync("/proc").map((pid) => {
    try {
      const about = readFileSync(`/proc/${pid}/status`, "utf8");
      const isHere = /^Name:\s+nginx$/m.test(about) && readlinkSync(`/proc/${pid}/ns/net`) === here;
      // A process that ends has no such line.
      return isHere ? Number(/^RssAnon:\s+(\d+)/m.exec(about)?.[1] ?? 0) : 0;
    } catch {
      // No process, or one that has ended.
      return 0;
    }
  });
  return Math.max(...sizes) / 1024;
}

/** Makes the Service `own` lead to the server. */
async function serveBy(server: Server): Promise<void> {
  server.listen(0, address);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  await world.apply(...service("own", address, (server.address() as AddressInfo).port));
}

/** Returns the megabytes by which nginx grows, at most, until the flood ends. */
async function growth(flood: Flood, ask: () => Promise<unknown>): Promise<number> {
  const before = megabytes();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, megabytes());
  }, 10);
  await ask();
  await until("the end of the answer", () => flood.ended, 30_000);
  clearInterval(timer);
  expect(before).toBeGreaterThan(0);
  return Math.max(peak, megabytes()) - before;
}

test("the answer to a copy does not fill the memory of a worker, although its first line has no end", async () => {
  const flood: Flood = { sent: 0, ended: false };
  await serveBy(createServer((socket) => socket.once("data", () => pour(flood, socket))));
  const filters = [{ type: "RequestMirror", requestMirror: { backendRef: { name: "own", port: 80 } } }];
  await world.apply(route({ rules: [{ backendRefs: [web], filters }] }));
  expect(await growth(flood, ask)).toBeLessThan(30);
  expect(flood.sent).toBeLessThan(mostSent);
});

test("the answer of an auth service over gRPC does not fill the memory of a worker", async () => {
  const flood: Flood = { sent: 0, ended: false };
  const server = createHttp2Server().on("stream", (stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    pour(flood, stream);
  });
  await serveBy(server);
  await world.apply(route({ rules: [{ backendRefs: [web], filters: [auth({ protocol: "GRPC" })] }] }));
  const growing = await growth(flood, async () => expect((await ask()).status).toBe(500));
  expect(growing).toBeLessThan(30);
  expect(flood.sent).toBeLessThan(mostSent);
  expect(world.backend.asked).toEqual([]);
});

test("an auth service over gRPC ends no count of returns", async () => {
  await world.apply(...service("back", "192.0.2.70", 80), ...service("own", address, 9200));
  const names = ["X-Sluice-Hops", "x_sluice_hops", "X-Scheme", "X-Forwarded-For", "X-Forwarded-Proto"];
  let asked = 0;
  const ok = [...names.map((name) => field(5, name)), ...names.map((name) => header(2, name, "", 2))];
  await startExtAuthz(9200, address, () => {
    asked++;
    return { message: Buffer.concat([status(asked > 40 ? 7 : 0), message(3, ...ok)]) };
  });
  const filters = [auth({ protocol: "GRPC" })];
  await world.apply(
    route({ hostnames: ["a.example"], rules: [{ backendRefs: [{ name: "back", port: 80 }], filters }] }),
  );
  expect((await ask()).status).toBe(508);
  expect(asked).toBeLessThanOrEqual(6);
});

test.each(["X-Sluice-Hops", "x_sluice_hops", "X.Sluice.Check"])(
  "neither an auth service nor a session may use the header %s of Sluice's own",
  async (name) => {
    await world.apply(...service("own", world.auth.address, world.auth.port));
    const rules = [
      { filters: [auth({ protocol: "HTTP", http: { allowedHeaders: [name] } })] },
      { filters: [auth({ protocol: "HTTP", http: { allowedResponseHeaders: [name] } })] },
      { filters: [auth({ protocol: "GRPC", grpc: { allowedHeaders: [name] } })] },
      { sessionPersistence: { type: "Header", sessionName: name } },
    ];
    for (const rule of rules) {
      await world.apply(route({ hostnames: ["a.example"], rules: [{ backendRefs: [web], ...rule }] }));
      expect.soft([rule, (await ask()).status]).toEqual([rule, 500]);
      expect.soft(world.problemsOf("route").join()).toMatch(/a header of Sluice's own|name of/);
    }
    expect(world.backend.asked).toEqual([]);
  },
);
