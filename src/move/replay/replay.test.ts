/** Asks servers in this process; test/nginx/compare.test.ts uses two real ones. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Address } from "./address.ts";
import { type ReplayOptions, replay } from "./replay.ts";
import type { ReplayedRequest } from "./request.ts";

async function serverOf(answer: RequestListener): Promise<Address> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { http: { host: "127.0.0.1", port: (server.address() as AddressInfo).port } };
}

const get = (target: string, method = "GET"): ReplayedRequest => ({
  method,
  scheme: "http",
  host: "shop.example",
  target,
  headers: new Map(),
});

const options = (old: Address, fresh: Address): ReplayOptions => ({
  old,
  fresh,
  rate: 10_000,
  timeoutMs: 5000,
  ignored: new Set(),
  signal: new AbortController().signal,
  counted: () => undefined,
});

test("headers that differ between two answers of one address do not count, and are listed apart", async () => {
  let asked = 0;
  const old = await serverOf((_, response) => response.setHeader("x-a", "1").end(`${asked++}`));
  const fresh = await serverOf((_, response) => response.setHeader("x-a", "2").end("0"));
  const [found] = await replay([get("/")], options(old, fresh));
  expect(found?.differences).toEqual([{ field: "header", name: "x-a", old: "1", new: "2" }]);
  const [same] = await replay([get("/")], options(old, old));
  expect(same).toMatchObject({ differences: [], varying: ["body"] });
});

test("a request that may change something is sent once", async () => {
  const methods: string[] = [];
  const old = await serverOf(({ method }, response) => {
    methods.push(method!);
    response.end("a");
  });
  const fresh = await serverOf((_, response) => response.end("b"));
  const [found] = await replay([get("/", "POST")], options(old, fresh));
  expect(found?.differences).toHaveLength(1);
  expect(methods).toEqual(["POST"]);
});

test("both addresses get the host and the target, and no header that the client adds by itself", async () => {
  const seen: unknown[] = [];
  const server = await serverOf(({ url, headers }, response) => {
    seen.push({ url, host: headers.host, cookie: headers.cookie });
    response.end();
  });
  await replay([get("/a%2Fb//?x=%20y")], options(server, server));
  const one = { url: "/a%2Fb//?x=%20y", host: "shop.example", cookie: undefined };
  expect(seen).toEqual([one, one]);
});

test("an address that does not answer, two that do not, and an interruption are reported", async () => {
  const gone: Address = { http: { host: "127.0.0.1", port: 1 } };
  const here = await serverOf((_, response) => response.end());
  const [one] = await replay([get("/")], options(here, gone));
  expect(one?.differences).toEqual([{ field: "answer", old: "200", new: "connect ECONNREFUSED 127.0.0.1:1" }]);
  const [none] = await replay([get("/")], options(gone, gone));
  expect(none).toMatchObject({ differences: [], failed: "connect ECONNREFUSED 127.0.0.1:1" });
  const ended = { ...options(here, here), signal: AbortSignal.abort() };
  expect(await replay([get("/")], ended)).toEqual([]);
});

test("an answer that never ends is reported after the timeout", async () => {
  const slow = await serverOf((_, response) => void response.write("a"));
  const here = await serverOf((_, response) => response.end("a"));
  const [found] = await replay([get("/")], { ...options(here, slow), timeoutMs: 1500 });
  expect(found?.differences).toEqual([{ field: "answer", old: "200", new: "no whole answer within 1.5 s" }]);
});
