/**
 * The page in the browser below `/ui/`: the files that a browser loads, and the JSON that they
 * show. It answers GET and HEAD of this machine alone, and no request to it changes anything. This
 * file is loaded with the first request for the page.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { whyNotLocal } from "../local-request.ts";
import type { Clock } from "../timing/clock.ts";
import type { AskQuestion } from "./api/ask.ts";
import type { RouteList, RouteRow } from "./api/routes.ts";
import { type PageFile, readPageFiles } from "./files.ts";
import { type ListQuery, listQuery } from "./listing.ts";
import { PageLists } from "./lists.ts";
import { Live } from "./live.ts";
import type { PageSource } from "./source.ts";
import { TrafficWindows } from "./traffic.ts";
import { gatewaysAnswer } from "./views/gateways.ts";
import { quarantineRows } from "./views/problems.ts";
import { notCounted, routeDetail } from "./views/route.ts";
import { trafficOf } from "./views/routes.ts";

export interface Page {
  /** Answers a request for `/ui` or something below. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): void;
}

/** Paths below `/ui/` that are views: each loads the same document. */
const views = new Set(["", "routes", "route", "ask", "problems", "certificates", "gateways"]);
const api = "api/v1/";

/** Nothing of the page comes from elsewhere, runs elsewhere or is framed elsewhere. */
const headers = {
  "content-security-policy": [
    "default-src 'none'",
    ...["script-src", "style-src", "connect-src", "img-src", "form-action"].map((name) => `${name} 'self'`),
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** How long lists are kept after the last request where no browser listens. */
const keptMs = 60_000;

/** An answer as JSON: a value, or why there is none. */
type Answer = { readonly value: unknown } | { readonly status: 400 | 404 | 503; readonly why: string };

export function openPage(source: PageSource, clock: Clock): Page {
  return new OpenPage(source, clock);
}

class OpenPage implements Page {
  readonly #source: PageSource;
  readonly #clock: Clock;
  readonly #files: ReadonlyMap<string, PageFile> = readPageFiles();
  readonly #lists: PageLists;
  readonly #live: Live;
  #traffic: TrafficWindows | undefined;
  #isWatched = false;
  #cancelForget: (() => void) | undefined;

  constructor(source: PageSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    this.#lists = new PageLists(source, clock, () => this.#traffic);
    this.#live = new Live({
      clock,
      marks: () => this.#lists.marks,
      traffic: () => this.#traffic?.all ?? null,
      onChange: (listener) => source.notes.onChange(listener),
      watched: (isWatched) => this.#watched(isWatched),
    });
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const stranger = whyNotLocal(request);
    if (stranger !== undefined) return send(response, 403, stranger);
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return send(response, 405, "the page only reads: GET and HEAD\n");
    }
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://controller");
    if (pathname === "/ui") {
      response.setHeader("location", "/ui/");
      return send(response, 308, "");
    }
    const path = pathname.slice("/ui/".length);
    if (!path.startsWith(api)) return this.#file(views.has(path) ? "index.html" : path, request, response);
    if (!["same-origin", "none", undefined].includes(request.headers["sec-fetch-site"] as string | undefined))
      return send(response, 403, "another site may not ask\n");
    response.setHeader("cache-control", "no-store");
    if (path === `${api}events`) return this.#listen(request, response);
    this.#forgetLater();
    const asked = cpuMs();
    const pending = this.#answerOf(path.slice(api.length), searchParams);
    this.#live.spent(cpuMs() - asked);
    const answer = await pending;
    const answered = cpuMs();
    const isGood = "value" in answer;
    const text = JSON.stringify(isGood ? answer.value : { why: answer.why });
    this.#live.spent(cpuMs() - answered);
    send(response, isGood ? 200 : answer.status, `${text}\n`, "application/json");
  }

  close(): void {
    this.#live.close();
    this.#cancelForget?.();
    this.#traffic?.close();
  }

  #file(path: string, { headers: asked }: IncomingMessage, response: ServerResponse): void {
    const file = this.#files.get(path);
    response.setHeader("cache-control", "no-cache");
    if (file !== undefined) response.setHeader("etag", file.etag);
    if (file === undefined) send(response, 404, "404 page not found\n");
    else if (asked["if-none-match"] === file.etag) response.writeHead(304).end();
    else send(response, 200, file.bytes, file.type);
  }

  #listen({ method }: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (method === "HEAD" || !this.#live.listen(response)) response.end();
  }

  async #answerOf(name: string, params: URLSearchParams): Promise<Answer> {
    const query = listQuery(params);
    switch (name) {
      case "status":
        return this.#status();
      case "routes":
        return { value: this.#routes(query) };
      case "route":
        return this.#route(params);
      case "ask":
        return this.#ask(params);
      case "problems":
        return {
          value: {
            ...this.#lists.problems.page(query),
            quarantine: quarantineRows(this.#source),
            unanswered: this.#lists.unanswered,
          },
        };
      case "certificates":
        return { value: this.#lists.certificates.page(query) };
      case "gateways":
        return { value: gatewaysAnswer(this.#source) };
      default:
        return { status: 404, why: `${JSON.stringify(name.slice(0, 100))} is no part of the API` };
    }
  }

  async #status(): Promise<Answer> {
    const value = await this.#source.status();
    return value === undefined ? { status: 503, why: "the controller has not started yet" } : { value };
  }

  #routes(query: ListQuery): RouteList {
    const list = this.#lists.routes.page(query);
    const rows = list.rows.map((row): RouteRow => ({ ...row, traffic: trafficOf(row, this.#traffic) }));
    return { ...list, rows, notCounted: this.#source.requests === undefined ? notCounted : "" };
  }

  async #route(params: URLSearchParams): Promise<Answer> {
    const of = (name: string) => params.get(name) ?? "";
    const name = { host: of("host"), path: of("path"), owner: of("owner"), listener: of("listener"), when: of("when") };
    const value = await routeDetail(name, this.#source, this.#traffic);
    return value === undefined ? { status: 404, why: "there is no such route" } : { value };
  }

  async #ask(params: URLSearchParams): Promise<Answer> {
    const question = questionIn(params);
    if (typeof question === "string") return { status: 400, why: question };
    const outcome = await this.#source.ask(question);
    return outcome.ok ? { value: outcome.answer } : { status: 400, why: outcome.why };
  }

  #watched(isWatched: boolean): void {
    this.#isWatched = isWatched;
    this.#traffic?.close();
    const { requests } = this.#source;
    this.#traffic =
      isWatched && requests !== undefined ? new TrafficWindows(requests, () => this.#clock.now()) : undefined;
    if (!isWatched) this.#forgetLater();
  }

  #forgetLater(): void {
    this.#cancelForget?.();
    this.#cancelForget = this.#clock.schedule(keptMs, () => {
      if (!this.#isWatched) this.#lists.forget();
    });
  }
}

/** CPU time of all threads of this process. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * `url`, `method`, `client`, and `header` once for each header as `Name: value`; a sentence where
 * that is no question.
 */
function questionIn(params: URLSearchParams): AskQuestion | string {
  const url = params.get("url") ?? "";
  if (url === "") return "the parameter url is missing";
  const asked: Record<string, string> = {};
  for (const line of params.getAll("header")) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined)
      return `a header is written as Name: value, and here is ${JSON.stringify(line.slice(0, 100))}`;
    asked[name] = value!;
  }
  const [method, client] = [params.get("method"), params.get("client")];
  return {
    url,
    ...(method ? { method: method.toUpperCase() } : {}),
    ...(client ? { client } : {}),
    headers: asked,
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  type = "text/plain; charset=utf-8",
): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  // Node leaves the body out where the request was HEAD.
  response.end(body);
}
