import { type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { OperatorToken, showing } from "../operator-token.ts";
import { openProfiler } from "./server.ts";

const address = "127.0.0.1";
const port = 19_245;
const token = new OperatorToken();

async function opened(): Promise<void> {
  const profiler = await openProfiler({ address, port, token, heapSnapshot: async () => "/run/x.heapsnapshot" });
  if (!profiler.ok) throw new Error(profiler.why);
  onTestFinished(profiler.close);
}

async function ask(
  path: string,
  method = "GET",
  headers: OutgoingHttpHeaders = {},
): Promise<readonly [status: number | undefined, body: string]> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(
      {
        host: address,
        port,
        path,
        method,
        agent: false,
        headers: { host: `${address}:${port}`, ...showing(token.text), ...headers },
      },
      resolve,
    )
      .on("error", reject)
      .end();
  });
  return [response.statusCode, await text(response)];
}

test("a CPU profile has V8's format", async () => {
  await opened();
  const [status, body] = await ask("/debug/pprof/profile?seconds=0.05");
  expect(status).toBe(200);
  expect(Object.keys(JSON.parse(body))).toEqual(expect.arrayContaining(["nodes", "samples", "timeDeltas"]));
});

test("a heap snapshot is requested by POST, and only its name is returned", async () => {
  await opened();
  expect(await ask("/debug/pprof/heap")).toEqual([405, expect.any(String)]);
  expect(await ask("/debug/pprof/heap", "POST")).toEqual([200, "/run/x.heapsnapshot\n"]);
});

test("a request under another host name is refused, as after DNS rebinding", async () => {
  await opened();
  expect((await ask("/debug/pprof/heap", "POST", { host: "evil.example" }))[0]).toBe(403);
  expect((await ask("/debug/pprof/", "GET", { host: `localhost:${port}` }))[0]).toBe(200);
});

test("requests without the operator's token have no effect", async () => {
  await opened();
  for (const headers of [{ authorization: "" }, showing("x"), { origin: "http://127.0.0.1" }])
    for (const [path, method] of [
      ["/debug/pprof/heap", "POST"],
      ["/debug/pprof/profile?seconds=0.01", "GET"],
    ] as const)
      expect([401, 403]).toContain((await ask(path, method, headers))[0]);
});

test("a port that is already in use gives one sentence", async () => {
  const taken = createServer().listen(port, address);
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.once("listening", resolve));
  expect(await openProfiler({ address, port, token, heapSnapshot: async () => "" })).toEqual({
    ok: false,
    why: `The profiler cannot listen on 127.0.0.1, port ${port} (--profiler-port): another program is using it.`,
  });
});
