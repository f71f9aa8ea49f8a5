/**
 * Clients of many sorts that send requests until they are ended: over new and kept connections,
 * with HTTP/1 and HTTP/2, websockets, events, downloads. They count what happens, by sort, and
 * repeat only what HTTP lets clients repeat.
 */
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, constants } from "node:http2";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

export interface Everyday {
  /** The number of complete answers of each sort. */
  readonly answers: ReadonlyMap<string, number>;
  /** What failed, with the number of times. */
  readonly failures: ReadonlyMap<string, number>;
  /**
   * Requests on kept connections that the server closed at the same moment. The client cannot know
   * whether the server had them.
   */
  readonly races: number;
  /** Streams of HTTP/2 that the server did not take, so clients repeat them (RFC 9113, 8.7). */
  readonly refusedStreams: number;
  end(): Promise<void>;
}

/** The time for which a websocket, events and a download last. */
const longMs = 2_000;
const pauseMs = 30;
const posted = Buffer.alloc(64 * 1024, "p");
const downloadBytes = 1_000_000;

/** Starts the backend of the clients. */
export async function everydayBackend(host: string, port: number): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 600_000 }, (asked, answer) => {
    if (asked.url === "/events") events(answer);
    else if (asked.url === "/download") download(answer);
    else asked.pipe(answer);
  });
  server.on("upgrade", (_asked, socket: Socket) => {
    socket.on("error", () => {});
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return server;
}

async function events(answer: ServerResponse): Promise<void> {
  answer.writeHead(200, { "content-type": "text/event-stream" });
  for (let at = 0; at < 20; at++) {
    answer.write(`data: ${at}\n\n`);
    await delay(longMs / 20);
  }
  answer.end("data: last\n\n");
}

async function download(answer: ServerResponse): Promise<void> {
  answer.writeHead(200, { "content-length": downloadBytes });
  for (let at = 0; at < 20; at++) {
    answer.write(Buffer.alloc(downloadBytes / 20, "d"));
    await delay(longMs / 20);
  }
  answer.end();
}

/** Starts one client of each sort; all ask for `host`. */
export function everydayClients(
  host: string,
  { http, https }: { readonly http: number; readonly https: number },
): Everyday {
  const answers = new Map<string, number>();
  const failures = new Map<string, number>();
  let [races, refusedStreams, going] = [0, 0, true];
  const add = (counts: Map<string, number>, name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const agents = [new Agent({ keepAlive: true, maxSockets: 1 }), new SecureAgent({ keepAlive: true, maxSockets: 1 })];

  const loop = async (sort: string, once: () => Promise<boolean>) => {
    while (going) {
      try {
        if (await once()) add(answers, sort);
      } catch (error) {
        add(failures, `${sort}: ${(error as Error).message}`);
      }
      await delay(pauseMs);
    }
  };
  const over1 = (options: Ask) => async () => {
    const outcome = await ask(host, options);
    if (outcome === "raced") races++;
    return outcome === "answered";
  };
  const plain = { port: http, agent: false as const };
  const secure = { port: https, tls: true, agent: false as const };
  let session: ClientHttp2Session | undefined;
  const over2 = async () => {
    if (session === undefined || session.closed || session.destroyed) session = openSession(host, https);
    const outcome = await askHttp2(session, host);
    if (outcome === "refused") refusedStreams++;
    return outcome === "answered";
  };
  const running = [
    loop("http", over1(plain)),
    loop("https", over1(secure)),
    loop("http, kept", over1({ ...plain, agent: agents[0]! })),
    loop("http, POST", over1({ ...plain, body: posted })),
    loop("https, kept, POST", over1({ ...secure, agent: agents[1]!, body: posted })),
    loop("HTTP/2", over2),
    loop("HTTP/2, second stream", over2),
    loop("websocket", () => talk(host, http)),
    loop("events", over1({ ...plain, path: "/events", expected: (body) => body.endsWith("last\n\n") })),
    loop("download", over1({ ...secure, path: "/download", expected: (body) => body.length === downloadBytes })),
  ];
  return {
    answers,
    failures,
    get races() {
      return races;
    },
    get refusedStreams() {
      return refusedStreams;
    },
    async end() {
      going = false;
      await Promise.all(running);
      for (const agent of agents) agent.destroy();
      session?.close();
    },
  };
}

interface Ask {
  readonly port: number;
  readonly tls?: boolean;
  readonly agent: Agent | SecureAgent | false;
  readonly path?: string;
  readonly body?: Buffer;
  readonly expected?: (body: string) => boolean;
}

/** Rejects when the request fails, unless it was sent on a kept connection that has ended. */
function ask(host: string, { port, tls = false, agent, path = "/", body, expected }: Ask) {
  const method = body === undefined ? "GET" : "POST";
  const common = { port, host: "127.0.0.1", path, method, headers: { host }, agent };
  return new Promise<"answered" | "raced">((resolve, reject) => {
    const sent = tls ? secureRequest({ ...common, servername: host, rejectUnauthorized: false }) : request(common);
    let begun = false;
    sent.on("response", (response: IncomingMessage) => {
      begun = true;
      buffer(response).then((bytes) => {
        const isWhole = expected?.(bytes.toString("latin1")) ?? bytes.length === (body?.length ?? 0);
        if (response.statusCode === 200 && isWhole) resolve("answered");
        else reject(new Error(`status ${response.statusCode}, ${bytes.length} bytes`));
      }, reject);
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const isRace = sent.reusedSocket && !begun && (error.code === "ECONNRESET" || error.code === "EPIPE");
      if (isRace) resolve("raced");
      else reject(error);
    });
    sent.end(body);
  });
}

function openSession(host: string, port: number): ClientHttp2Session {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { servername: host, rejectUnauthorized: false });
  // The streams report the failures.
  session.on("error", () => {});
  return session;
}

function askHttp2(session: ClientHttp2Session, host: string) {
  return new Promise<"answered" | "refused">((resolve, reject) => {
    const stream = session.request({ ":path": "/", ":authority": host });
    let status: number | undefined;
    stream.on("response", (headers) => {
      status = headers[":status"];
    });
    stream.on("error", (error) => {
      if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) resolve("refused");
      else reject(error);
    });
    stream.on("close", () => (status === 200 ? resolve("answered") : reject(new Error(`closed, status ${status}`))));
    stream.resume();
  });
}

/** Keeps a websocket for a while, and says a word ten times; rejects if it ends earlier. */
function talk(host: string, port: number): Promise<boolean> {
  const headers = { host, connection: "Upgrade", upgrade: "websocket" };
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", headers, agent: false });
    sent.on("error", reject).on("response", ({ statusCode }) => reject(new Error(`status ${statusCode}`)));
    sent.on("upgrade", async (_answer, socket) => {
      let heard = "";
      socket.on("error", reject).on("close", () => reject(new Error(`cut after ${heard.length} bytes`)));
      socket.on("data", (bytes: Buffer) => {
        heard += bytes.toString();
        if (heard !== "word".repeat(10)) return;
        resolve(true);
        socket.destroy();
      });
      for (let at = 0; at < 10; at++) {
        socket.write("word");
        await delay(longMs / 10);
      }
    });
    sent.end();
  });
}
