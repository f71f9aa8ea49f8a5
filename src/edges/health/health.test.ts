import { type OutgoingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { OperatorToken, showing } from "../operator-token.ts";
import { Health } from "./health.ts";
import { openHealthServer } from "./server.ts";

/** A port that the kernel does not assign by itself. */
const port = 19_254;
const token = new OperatorToken();

async function served(nginx: () => string | undefined, notes: readonly string[] = [], stuck?: string) {
  const health = new Health({ nginx: async () => nginx(), stuck: async () => stuck, notes: () => notes });
  let stops = 0;
  const opened = await openHealthServer({
    port,
    host: "127.0.0.1",
    healthPath: "/healthz",
    health,
    metrics: async () => ({ contentType: "text/plain; version=0.0.4", text: "up 1\n" }),
    build: { release: "1" },
    token,
    stop: () => void stops++,
  });
  if (!opened.ok) throw new Error(opened.why);
  onTestFinished(opened.close);
  const ask = (path: string, method = "GET", headers: OutgoingHttpHeaders = {}) =>
    new Promise<string>((resolve, reject) => {
      request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
        text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject);
      })
        .on("error", reject)
        .end();
    });
  return { health, ask, stops: () => stops };
}

test("the health check answers ok, and with verbose a line for each check", async () => {
  const { ask } = await served(() => undefined);
  expect(await ask("/healthz")).toBe("200 ok");
  expect(await ask("/healthz?verbose")).toBe("200 [+]ping ok\n[+]nginx-ingress-controller ok\nhealthz check passed\n");
  expect(await ask("/healthz/ping")).toBe("200 ok");
  expect(await ask("/healthz/other")).toBe("404 404 page not found\n");
});

test("a failed check answers 500 with the reason, unless it is excluded or another one is requested", async () => {
  const { ask } = await served(() => "nginx does not run");
  expect(await ask("/healthz")).toBe(
    "500 [+]ping ok\n[-]nginx-ingress-controller failed: nginx does not run\nhealthz check failed\n",
  );
  expect(await ask("/healthz?exclude=nginx-ingress-controller")).toBe("200 ok");
  expect(await ask("/healthz/ping")).toBe("200 ok");
});

test("a mistake of an object is listed with verbose while nginx serves, and the answer stays 200", async () => {
  const { ask } = await served(() => undefined, ["Ingress shop/bad: nginx refused it"]);
  expect(await ask("/healthz")).toBe("200 ok");
  expect(await ask("/healthz?verbose")).toBe(
    "200 [+]ping ok\n[+]nginx-ingress-controller ok\n[!]Ingress shop/bad: nginx refused it\nhealthz check passed\n",
  );
});

test("the health check fails from the moment the program has to end", async () => {
  const { ask, health } = await served(() => undefined);
  health.end();
  expect(await ask("/healthz")).toContain(
    "500 [+]ping ok\n[-]nginx-ingress-controller failed: the controller is shutting",
  );
});

test("a program is alive while nginx is not ready, and while it ends", async () => {
  const waiting = await served(() => "nginx serves nothing yet");
  expect(await waiting.ask("/livez")).toBe("200 ok");
  waiting.health.end();
  expect(await waiting.ask("/livez")).toBe("200 ok");
});

test("a program whose nginx hangs is not alive, with the reason", async () => {
  const { ask, health } = await served(() => undefined, [], "nginx does not answer");
  expect(await ask("/livez")).toBe("500 nginx does not answer\n");
  health.end();
  expect(await ask("/livez")).toBe("200 ok");
});

test("the server answers for metrics and build, and stops the program on an allowed request alone", async () => {
  const { ask, stops } = await served(() => undefined);
  expect(await ask("/metrics")).toBe("200 up 1\n");
  expect(await ask("/build")).toBe('200 {"release":"1"}\n');
  for (const path of ["/", "//", "//evil.example/metrics", "/%zz"]) expect(await ask(path)).toMatch(/^404/);
  expect(await ask("/stop")).toMatch(/^405/);
  expect(stops()).toBe(0);
  const shown = showing(token.text);
  const foreign = [
    {},
    showing("x"),
    { authorization: token.text },
    { ...shown, origin: "http://127.0.0.1:10254" },
    { ...shown, "sec-fetch-site": "same-origin" },
  ];
  for (const headers of foreign) expect(await ask("/stop", "POST", headers)).toMatch(/^40[13]/);
  expect(await ask(`/stop?token=${token.text}`, "POST")).toMatch(/^401/);
  expect(stops()).toBe(0);
  expect(await ask("/stop", "POST", shown)).toMatch(/^202/);
  expect(stops()).toBe(1);
});

test("metrics are compressed for clients that accept it", async () => {
  await served(() => undefined);
  const ask = (encoding: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { "accept-encoding": encoding };
      request({ host: "127.0.0.1", port, path: "/metrics", headers, agent: false }, (response) => {
        const how = response.headers["content-encoding"] ?? "plain";
        buffer(response).then((body) => resolve(`${how} ${how === "gzip" ? gunzipSync(body) : body}`), reject);
      })
        .on("error", reject)
        .end();
    });
  expect(await ask("deflate, gzip;q=0.5")).toBe("gzip up 1\n");
  expect(await ask("gzip;q=0, identity")).toBe("plain up 1\n");
  expect(await ask("identity")).toBe("plain up 1\n");
});

test("many scrapes that one client sends together get no answer, and others are answered", async () => {
  const { ask } = await served(() => undefined);
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.write("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_000));
  expect(await text(socket)).toBe("");
  expect(await ask("/metrics")).toBe("200 up 1\n");
});

test("a port that is already in use gives one sentence", async () => {
  const { health } = await served(() => undefined);
  const rest = {
    health,
    healthPath: "/healthz",
    metrics: async () => ({ contentType: "", text: "" }),
    build: {},
    token,
    stop: () => {},
  };
  expect(await openHealthServer({ port, host: "127.0.0.1", ...rest })).toEqual({
    ok: false,
    why: `The health server cannot listen on 127.0.0.1, port ${port} (--healthz-port): another program is using it.`,
  });
});
