/**
 * The page in the browser below `/ui/`: the files that a browser loads, and the JSON that they
 * show. It answers GET and HEAD from this machine alone, and no request to it changes anything.
 * This file is loaded with the first request for the page.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../base/timing/clock.ts";
import { urlOf, whyNotLocal } from "../../edges/local-request.ts";
import { type Answer, ApiAnswers } from "./answers.ts";
import { type PageFile, readPageFiles } from "./files.ts";
import { PageLists } from "./lists/lists.ts";
import { Live } from "./live/live.ts";
import { type Made, SharedAnswers } from "./live/shared-answers.ts";
import { TrafficWindows } from "./live/traffic.ts";
import { whyWrong } from "./params.ts";
import { shown } from "./shown.ts";
import type { PageSource } from "./source.ts";

export interface Page {
  /** Answers a request for `/ui` or something below. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): void;
}

/** Paths below `/ui/` that are views: each loads the same document. */
const views = new Set(["", "routes", "route", "ask", "problems", "certificates", "gateways", "shadow"]);
const api = "api/v1/";

/** Browsers load no part of the page from other sites, and no other site may show it in a frame. */
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

/** Without a connected browser, lists are kept for this time after the last request. */
const keptMs = 60_000;

export function openPage(source: PageSource, clock: Clock): Page {
  return new OpenPage(source, clock);
}

class OpenPage implements Page {
  readonly #source: PageSource;
  readonly #clock: Clock;
  readonly #files: ReadonlyMap<string, PageFile> = readPageFiles();
  readonly #lists: PageLists;
  readonly #answers: ApiAnswers;
  readonly #live: Live;
  readonly #shared: SharedAnswers;
  #traffic: TrafficWindows | undefined;
  #isWatched = false;
  #cancelForget: (() => void) | undefined;

  constructor(source: PageSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    this.#lists = new PageLists(source, clock, () => this.#traffic);
    this.#answers = new ApiAnswers(source, this.#lists, () => this.#traffic);
    this.#shared = new SharedAnswers(clock);
    this.#live = new Live({
      clock,
      marks: () => this.#lists.marks,
      traffic: () => {
        this.#shared.forget();
        return this.#traffic?.all ?? null;
      },
      onChange: (listener) =>
        source.notes.onChange(() => {
          this.#shared.forget();
          listener();
        }),
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
    const { pathname, search, searchParams } = urlOf(request);
    if (pathname === "/ui") {
      response.setHeader("location", "/ui/");
      return send(response, 308, "");
    }
    // On its own port the page gets requests for other paths, too.
    if (!pathname.startsWith("/ui/")) return send(response, 404, "404 page not found\n");
    const path = pathname.slice("/ui/".length);
    if (!path.startsWith(api)) return this.#file(path, request, response);
    if (!["same-origin", "none", undefined].includes(request.headers["sec-fetch-site"] as string | undefined))
      return send(response, 403, "another site may not ask\n");
    response.setHeader("cache-control", "no-store");
    const name = path.slice(api.length);
    if (name === "events") return this.#listen(searchParams, request, response);
    this.#forgetLater();
    const make = () => this.#make(name, searchParams);
    const isShared = this.#isWatched && name !== "ask";
    const { status, text } = await (isShared ? this.#shared.of(path + search, make) : make());
    send(response, status, text, "application/json");
  }

  async #make(name: string, params: URLSearchParams): Promise<Made> {
    const beganMs = cpuMs();
    const answer = await this.#answers.of(name, params).catch(bug);
    const isGood = "value" in answer;
    const text = `${JSON.stringify(isGood ? answer.value : { why: answer.why })}\n`;
    // While the controller waits for nginx it may do other work, whose CPU time counts, too. So the
    // page of a busy controller may wait a little longer than necessary.
    this.#live.spent(cpuMs() - beganMs);
    return { status: isGood ? 200 : answer.status, text };
  }

  close(): void {
    this.#live.close();
    this.#cancelForget?.();
    this.#traffic?.close();
  }

  #file(path: string, { headers: asked }: IncomingMessage, response: ServerResponse): void {
    // An address without a view loads the document, too, which says that there is no such page.
    const isKnown = views.has(path) || this.#files.has(path);
    const file = this.#files.get(this.#files.has(path) ? path : "index.html");
    response.setHeader("cache-control", "no-cache");
    if (file === undefined || (!isKnown && /\.\w+$/.test(path))) {
      send(response, 404, "404 page not found\n");
      return;
    }
    response.setHeader("etag", file.etag);
    if (!isKnown) send(response, 404, file.bytes, file.type);
    else if (asked["if-none-match"] === file.etag) response.writeHead(304).end();
    else send(response, 200, file.bytes, file.type);
  }

  #listen(params: URLSearchParams, { method }: IncomingMessage, response: ServerResponse): void {
    const wrong = whyWrong(params, "events", {});
    const why = wrong ?? this.#live.whyFull;
    if (why !== undefined) {
      send(response, wrong === undefined ? 503 : 400, `${JSON.stringify({ why })}\n`, "application/json");
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (method === "HEAD") response.end();
    else this.#live.listen(response);
  }

  #watched(isWatched: boolean): void {
    this.#isWatched = isWatched;
    this.#shared.forget();
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

/** Makes an answer of a bug, so that a user can report it. */
function bug(error: unknown): Answer {
  return { status: 500, why: `the answer cannot be made, which is a bug: ${shown(String(error), 300)}` };
}

/** Returns the CPU time of all threads of this process. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  type = "text/plain; charset=utf-8",
): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  // Node leaves the body out if the request was HEAD.
  response.end(body);
}
