/**
 * Tests the addresses that a certificate names: its OCSP responder and its issuer. A tenant writes
 * the certificate, and the controller connects by itself. So such an address must not lead to this
 * machine, a port of Sluice's own or the cloud's metadata.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type AskedPolicy, strictPolicy } from "../../../src/core/kinds/asked.ts";
import { issuersFrom } from "../../../src/edges/chains/fetch.ts";
import { askResponders } from "../../../src/edges/ocsp/ask.ts";

/** The addresses of names that a tenant's nameserver returns. */
const found = vi.hoisted(() => new Map<string, readonly string[]>());
vi.mock("node:dns", async (original) => ({
  ...(await original<typeof import("node:dns")>()),
  lookup: (name: string, _options: object, callback: (error: Error | null, all: object[]) => void) =>
    callback(
      null,
      (found.get(name) ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    ),
}));

const machine = "192.0.2.1";
const ownPort = 24_254;
const policy: AskedPolicy = { ...strictPolicy, ownPorts: new Set([ownPort]), ownAddresses: new Set([machine]) };
const servers: Server[] = [];
const asked: string[] = [];

beforeAll(async () => {
  for (const [address, port] of [
    ["127.0.0.1", ownPort],
    ["::1", ownPort],
    [machine, ownPort],
    ["127.0.0.1", ownPort + 1],
    ["192.0.2.61", 24_255],
  ] as const) {
    const server = createServer((request, response) => {
      asked.push(`${address}:${port}${request.url}`);
      if (request.url === "/moved") response.writeHead(302, { location: `http://127.0.0.1:${ownPort}/stop` });
      response.end("an answer");
    });
    server.listen(port, address);
    await once(server, "listening");
    servers.push(server);
  }
});
afterEach(() => {
  asked.length = 0;
});
afterAll(() => {
  for (const server of servers) server.close();
});

const never = new AbortController().signal;
const question = { body: new Uint8Array([1]) } as Parameters<ReturnType<typeof askResponders>>[0];
const ways = {
  "an OCSP responder": (url: string) => askResponders(policy)({ ...question, url }, never),
  "an issuer": (url: string) => issuersFrom(policy)(url, never),
};

const forbidden = [
  ...["127.0.0.1", "127.1", "2130706433", "0x7f.1", "localhost", "a.localhost", "[::1]", "[::ffff:127.0.0.1]", "0"],
  ...[machine, "[::]", "[64:ff9b::7f00:1]"],
].map((host) => `http://${host}:${ownPort}/stop`);
const others = [
  ...[`http://127.0.0.1:${ownPort + 1}/`, "http://169.254.169.254/latest/meta-data/", "http://100.100.100.200/"],
  ...["ldap://192.0.2.61/", "file:///etc/passwd", "unix:/run/x.sock", "http://unix:/run/x.sock:/", "no address"],
];

test.each(Object.entries(ways))("%s at a forbidden address gets no request", async (_what, ask) => {
  for (const url of [...forbidden, ...others]) await expect.soft(ask(url), url).rejects.toThrow();
  expect(asked).toEqual([]);
});

test.each(Object.entries(ways))(
  "%s whose name leads to a forbidden address gets no request, at any lookup",
  async (_what, ask) => {
    for (const addresses of [["127.0.0.1"], [machine], ["::1"], ["169.254.169.254"], ["::ffff:7f00:1"], []]) {
      found.set("rebound.test", addresses);
      await expect.soft(ask(`http://rebound.test:${ownPort}/stop`), addresses.join()).rejects.toThrow(/is not asked/);
    }
    expect(asked).toEqual([]);
  },
);

test.each(Object.entries(ways))(
  "%s at a permitted address gets a request, and its redirects are not followed",
  async (_what, ask) => {
    found.set("good.test", ["127.0.0.1", "192.0.2.61"]);
    await ask("http://good.test:24255/answer").catch(() => {});
    await expect(ask("http://good.test:24255/moved")).rejects.toThrow("answers 302");
    expect(asked).toEqual(["192.0.2.61:24255/answer", "192.0.2.61:24255/moved"]);
  },
);
