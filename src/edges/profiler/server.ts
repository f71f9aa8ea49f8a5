/**
 * The profiler of `--profiling`: a small server on a loopback address for requests that show the
 * operator's token. One trap: a heap snapshot holds every key and token of the process, so it never
 * leaves through this server, which any process of the machine can reach. It is written to the run
 * folder, which no other account can read, and the answer names the file.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { callback } from "../../base/callbacks.ts";
import { keepFew, patience } from "../../base/few-connections.ts";
import { opened } from "../../base/own-servers.ts";
import { namesThisMachine, urlOf } from "../local-request.ts";
import type { OperatorToken } from "../operator-token.ts";
import { cpuProfile } from "./cpu-profile.ts";

export interface ProfilerOptions {
  readonly address: string;
  readonly port: number;
  readonly token: Pick<OperatorToken, "refusal">;
  /** Writes a heap snapshot to a private file, and returns its path. */
  readonly heapSnapshot: () => Promise<string>;
}

export type OpenedProfiler =
  | { readonly ok: true; readonly close: () => Promise<void> }
  | { readonly ok: false; readonly why: string };

const longestSeconds = 300;

const help = `With the header Authorization: Bearer TOKEN, where TOKEN is in the file operator.token of the run folder:
GET  /debug/pprof/profile?seconds=30  a CPU profile of so many seconds, for the browser's developer tools
POST /debug/pprof/heap                 writes a heap snapshot to the run folder and answers with its name; it holds secrets
Node's inspector: send SIGUSR1 to the controller, which then logs its address.
`;

/** Fails with one sentence if the port is not available. */
export async function openProfiler(options: ProfilerOptions): Promise<OpenedProfiler> {
  const { address, port } = options;
  const server = createServer(
    patience,
    callback("an answer of the profiler", (request: IncomingMessage, response: ServerResponse) =>
      answer(options, request, response).catch((error: Error) => response.destroy(error)),
    ),
  );
  keepFew(server);
  try {
    return { ok: true, close: await opened(server, { port, host: address }) };
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === "EADDRINUSE" ? "another program is using it" : String(error);
    return { ok: false, why: `The profiler cannot listen on ${address}, port ${port} (--profiler-port): ${why}.` };
  }
}

async function answer(options: ProfilerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  // A web page in a browser of this machine may use a name that leads here.
  if (!namesThisMachine(request.headers.host, options.address)) return send(response, 403, "ask for it as 127.0.0.1\n");
  const refusal = options.token.refusal(request);
  if (refusal !== undefined) return send(response, refusal.status, refusal.why);
  const { pathname, searchParams } = urlOf(request);
  if (pathname === "/debug/pprof/" || pathname === "/debug/pprof") return send(response, 200, help);
  if (pathname === "/debug/pprof/profile") {
    const seconds = Number(searchParams.get("seconds") ?? 30);
    if (!(seconds > 0 && seconds <= longestSeconds)) return send(response, 400, `seconds: 1 to ${longestSeconds}\n`);
    const profile = await cpuProfile(1000 * seconds);
    if (profile === undefined) return send(response, 409, "another profile is being taken\n");
    return send(response, 200, profile, "application/json");
  }
  if (pathname !== "/debug/pprof/heap") return send(response, 404, help);
  if (request.method !== "POST") return send(response, 405, "POST writes a heap snapshot\n");
  send(response, 200, `${await options.heapSnapshot()}\n`);
}

function send(response: ServerResponse, status: number, body: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, { "content-type": type, "x-content-type-options": "nosniff" }).end(body);
}
