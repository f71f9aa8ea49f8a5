import { once } from "node:events";
import { globSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type Clock, systemClock } from "../../base/timing/clock.ts";
import { emptySnapshot } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import { emptyQuarantine } from "../../core/table/quarantine.ts";
import { Failures } from "../../edges/failures.ts";
import type { AskQuestion } from "./api/ask.ts";
import { PageNotes } from "./notes.ts";
import { openPage } from "./page.ts";

const ui = join(import.meta.dirname, "../../../ui");

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Opens the page of a controller that does not serve anything yet. */
async function opened(clock: Clock = systemClock) {
  const notes = new PageNotes(() => 0);
  const questions: AskQuestion[] = [];
  let statuses = 0;
  const page = openPage(
    {
      notes,
      failures: new Failures(() => 0),
      configuration: () => undefined,
      snapshot: () => emptySnapshot,
      refusals: () => emptyQuarantine,
      peers: async () => undefined,
      shadows: async () => [],
      ended: () => [],
      requests: undefined,
      history: undefined,
      status: async () => {
        statuses++;
        return undefined;
      },
      ask: async (question) => {
        questions.push(question);
        return { ok: false, why: "nothing was applied yet" };
      },
      names: {
        annotationsPrefix: "nginx.ingress.kubernetes.io",
        configMap: undefined,
        showsSnippets: false,
        grafana: "",
        hasCluster: true,
      },
    },
    clock,
  );
  const server = createServer((asked, response) => void page.answer(asked, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    page.close();
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const ask = (path: string, method = "GET", headers: OutgoingHttpHeaders = {}) =>
    new Promise<Answer>((resolve, reject) => {
      request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode, headers: response.headers, body }),
          reject,
        );
      })
        .on("error", reject)
        .end();
    });
  return { ask, notes, port, questions, statuses: () => statuses };
}

const routeSorts = "host, path, match, owner, backend, endpoints, state, requests, errors, p50, p99";
const paths = ["/ui/", "/ui/routes?filter=a", "/ui/main.js", "/ui/api/v1/routes", "/ui/api/v1/nothing", "/ui/nothing"];

test("each answer forbids content of other origins, and no other site may read it", async () => {
  const { ask } = await opened();
  for (const path of paths) {
    const { headers } = await ask(path, "GET", { origin: "https://evil.example" });
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["content-security-policy"]).not.toMatch(/unsafe|\*|http/);
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
});

/** Every part of the API, with parameters that it accepts. */
const parts = [
  ...["status", "views", "routes", "problems", "certificates", "gateways", "shadow", "events"],
  "route?host=a.example&path=/",
  "ask?url=http://a.example/",
].map((part) => `/ui/api/v1/${part}`);

/** Host names that a foreign page may have while its address is that of this machine. */
const strangers = [
  ...["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example#localhost", "localhost@evil"],
  ...["localhost.", "127.0.0.2", "127.1", "2130706433", "0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "null"],
];

test("requests under another host name get no answer, and neither does the stream of events", async () => {
  const { ask, port } = await opened();
  for (const path of [...paths, ...parts])
    for (const name of strangers)
      for (const host of [name, `${name}:${port}`]) {
        const { status, headers, body } = await ask(path, "GET", { host });
        expect([host, path, status, body]).toEqual([host, path, 403, "ask for it as localhost or 127.0.0.1\n"]);
        expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
      }
  for (const host of ["localhost", "LocalHost", `127.0.0.1:${port}`, `[::1]:${port}`])
    expect((await ask("/ui/", "GET", { host })).status).toBe(200);
});

test("a request without a Host gets no answer, and one with two is judged by the first", async () => {
  const { port } = await opened();
  for (const path of [...paths, ...parts])
    for (const lines of [
      "HTTP/1.0",
      "HTTP/1.1\r\nHost:",
      `HTTP/1.1\r\nHost: evil.example\r\nHost: localhost:${port}`,
    ]) {
      const socket = connect(port, "127.0.0.1");
      socket.end(`GET ${path} ${lines}\r\nConnection: close\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 (403 Forbidden|400 Bad Request)\r\n/);
    }
});

test("a request through a proxy on this machine gets no answer", async () => {
  const { ask } = await opened();
  for (const path of [...paths, ...parts])
    for (const name of ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]) {
      const { status, body } = await ask(path, "GET", { [name]: "::1" });
      expect([status, body]).toEqual([403, `a proxy may not ask, and there is a header ${name}\n`]);
    }
});

test("another site in the same browser gets no data, but may link to a view", async () => {
  const { ask } = await opened();
  for (const site of ["cross-site", "same-site"]) {
    const headers = { "sec-fetch-site": site };
    for (const path of parts) expect((await ask(path, "GET", headers)).status).toBe(403);
    expect((await ask("/ui/problems", "GET", headers)).status).toBe(200);
  }
  expect((await ask("/ui/api/v1/problems", "GET", { "sec-fetch-site": "same-origin" })).status).toBe(200);
});

test("the page allows methods that read, and no others", async () => {
  const { ask } = await opened();
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    for (const path of paths) {
      const { status, headers } = await ask(path, method);
      expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
    }
  const head = await ask("/ui/api/v1/problems", "HEAD");
  expect([head.status, head.body, Number(head.headers["content-length"]) > 2]).toEqual([200, "", true]);
});

test("all views are one document, files have their types, and other paths are not found", async () => {
  const { ask } = await opened();
  const { body } = await ask("/ui/");
  for (const view of ["routes", "route?host=a", "ask", "problems", "certificates", "gateways", "shadow"])
    expect((await ask(`/ui/${view}`)).body).toBe(body);
  expect((await ask("/ui")).headers.location).toBe("/ui/");
  expect((await ask("/ui/style.css")).headers["content-type"]).toBe("text/css; charset=utf-8");
  expect((await ask("/ui/views/ask.js")).headers["content-type"]).toBe("text/javascript; charset=utf-8");
  for (const path of ["tsconfig.json", "../package.json", "%2e%2e/package.json", "views", "views/..%2fmain.js", "api/"])
    expect((await ask(`/ui/${path}`)).status).toBe(404);
});

test("a file that the browser already has is not sent again", async () => {
  const { ask } = await opened();
  const { headers } = await ask("/ui/main.js");
  expect(await ask("/ui/main.js", "GET", { "if-none-match": headers.etag })).toMatchObject({ status: 304, body: "" });
});

test("answers are JSON, also those for errors", async () => {
  const { ask, notes, questions } = await opened();
  const problem = {
    object: { kind: "Ingress", namespace: "shop", name: "<b>" },
    kind: "nginx-refused",
    why: "x",
  } as const;
  notes.renewProblems("sync", Table.from([["a", [problem]]]));
  const { body } = await ask("/ui/api/v1/problems");
  expect(JSON.parse(body)).toMatchObject({
    total: 1,
    rows: [{ object: { kind: "Ingress", name: "shop/<b>" }, since: "1970-01-01T00:00:00.000Z" }],
    quarantine: [],
  });
  expect(JSON.parse((await ask("/ui/api/v1/routes")).body)).toMatchObject({ total: 0, rows: [] });
  for (const [path, status, why] of [
    ["status", 503, "the controller has not started yet"],
    ["route?host=a&path=/", 404, "there is no such route"],
    ["ask", 400, "the parameter url is missing"],
    ["ask?url=a&header=x", 400, 'a header is written as Name: value, but this one is "x"'],
    ["nothing", 404, '"nothing" is not a part of the API'],
    ["constructor", 404, '"constructor" is not a part of the API'],
    [`${"x".repeat(200)}`, 404, `"${"x".repeat(100)}…" is not a part of the API`],
    ["status?a=1", 400, '"a" is not a parameter of status, which takes none'],
    ["routes?sort=__proto__", 400, `sort is "__proto__", and may be ${routeSorts}`],
    ["problems?limit=501", 400, 'limit is "501", and may be a whole number from 1 to 500'],
    ["certificates?order=up", 400, 'order is "up", and may be asc or desc'],
    ["gateways?offset=-1", 400, 'offset is "-1", and may be a whole number from 0 to 9999999'],
    ["shadow?filter=a&filter=b", 400, "filter is given more than once"],
    [`route?host=${"a".repeat(301)}`, 400, "host has 301 characters, and may have 300"],
    ["events?since=1", 400, '"since" is not a parameter of events, which takes none'],
  ] as const) {
    const answer = await ask(`/ui/api/v1/${path}`);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { why }]);
  }
  await ask("/ui/api/v1/ask?url=https://a/b&method=post&header=X-A:%201&header=x-b:2&client=192.0.2.7");
  expect(questions).toEqual([
    { url: "https://a/b", method: "POST", headers: { "X-A": "1", "x-b": "2" }, client: "192.0.2.7" },
  ]);
});

test("a page above the limit of listeners is refused, and gets room when another one ends", async () => {
  const { ask, port } = await opened();
  const listeners = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const asked = request({ host: "127.0.0.1", port, path: "/ui/api/v1/events", agent: false }).end();
      await once(asked, "response");
      return asked;
    }),
  );
  const one = await ask("/ui/api/v1/events");
  expect([one.status, JSON.parse(one.body)]).toEqual([
    503,
    { why: "20 pages listen already; close some, or ask without events" },
  ]);
  listeners[0]!.on("error", () => {}).destroy();
  const again = async () => {
    const asked = request({ host: "127.0.0.1", port, path: "/ui/api/v1/events", agent: false }).end();
    const [{ statusCode }] = (await once(asked, "response")) as [IncomingMessage];
    asked.on("error", () => {}).destroy();
    return statusCode;
  };
  await expect.poll(again).toBe(200);
  for (const listener of listeners) listener.on("error", () => {}).destroy();
});

test("while a page listens, equal requests share an answer until something changes, except those of the view ask", async () => {
  const { ask, notes, port, questions, statuses } = await opened(new FakeClock());
  const status = () => ask("/ui/api/v1/status");
  await status();
  await status();
  expect(statuses()).toBe(2);
  const listening = request({ host: "127.0.0.1", port, path: "/ui/api/v1/events", agent: false }).end();
  await once(listening, "response");
  await Promise.all([status(), status(), status()]);
  expect(statuses()).toBe(3);
  notes.touched();
  await status();
  expect(statuses()).toBe(4);
  for (let at = 0; at < 2; at++) await ask("/ui/api/v1/ask?url=http://a.example/");
  expect(questions).toHaveLength(2);
  listening.on("error", () => {}).destroy();
});

test("everything that a browser loads is small, comes from this server, and has no inline script or style", () => {
  const files = globSync("**/*.{html,css,js,svg}", { cwd: ui });
  const bytes = files.reduce((sum, file) => sum + statSync(join(ui, file)).size, 0);
  expect(bytes).toBeLessThan(100_000);
  for (const file of files) {
    const content = readFileSync(join(ui, file), "utf8");
    expect(content.replaceAll("http://www.w3.org/2000/svg", ""), file).not.toMatch(
      /(src|href|url\(|from)\s*=?\s*["']?\w+:\/\//,
    );
    expect(content, file).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/);
  }
  const markup = readFileSync(join(ui, "index.html"), "utf8");
  expect(markup).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*src=)/);
});
