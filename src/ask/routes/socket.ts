/**
 * Answers `sluice routes`, `sluice status` and `sluice why` for a running controller, on a Unix
 * socket in the run folder. It only reads, and no answer contains a private key. nginx's workers
 * can enter the folder as well, and an attacker may control them, so each request needs the
 * operator's token.
 */
import { readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { callback } from "../../base/callbacks.ts";
import { fileError } from "../../base/file-errors.ts";
import { opened } from "../../base/own-servers.ts";
import { urlOf } from "../../edges/local-request.ts";
import { type OperatorToken, showing } from "../../edges/operator-token.ts";

/** Answers by path, as JSON; undefined while there is no answer yet. */
export type Answers = Readonly<Record<string, (query: URLSearchParams) => unknown>>;

/**
 * Answers `GET` for each path, with 503 while there is no answer yet and with 500 if Sluice
 * itself fails.
 */
export async function openOperatorSocket(
  path: string,
  token: Pick<OperatorToken, "refusal">,
  answers: Answers,
): Promise<() => Promise<void>> {
  const server = createServer(
    callback("an answer about routes", (asked: IncomingMessage, response: ServerResponse) => {
      asked.resume();
      const refusal = token.refusal(asked);
      if (refusal !== undefined) return void response.writeHead(refusal.status).end(refusal.why);
      const { pathname, searchParams } = urlOf(asked);
      const answer = Object.hasOwn(answers, pathname) ? answers[pathname] : undefined;
      if (asked.method !== "GET" || answer === undefined) return void response.writeHead(404).end();
      (async () => answer(searchParams))().then(
        (found) => {
          if (found === undefined) return void response.writeHead(503).end();
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found));
        },
        (bug: Error) => response.writeHead(500).end(bug.message),
      );
    }),
  );
  // The controller that listened here has ended, because this process has the lock of the run
  // folder.
  rmSync(path, { force: true });
  return opened(server, { path });
}

export type Asked<T> =
  | { readonly ok: true; readonly answer: T }
  /** `isAway` says that no controller listens there. */
  | { readonly ok: false; readonly why: string; readonly isAway?: true };

/** The socket of a controller, and the file with its token. */
export interface OperatorPlace {
  readonly routesSocket: string;
  readonly token: string;
}

/** Requests `path`. Undefined values of `query` are left out. */
export function askController<T>(
  place: OperatorPlace,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<Asked<T>> {
  const socketPath = place.routesSocket;
  const headers = showing(tokenIn(place.token));
  const given = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined);
  const whole = given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
  return new Promise((resolve) => {
    const sent = request({ socketPath, path: whole, headers, agent: false, signal: AbortSignal.timeout(10_000) });
    const failed = (why: string) => resolve({ ok: false, why });
    sent.on("error", (error) =>
      resolve({ ok: false, why: `no controller answers at ${socketPath}: ${fileError(error)}`, isAway: true }),
    );
    const read = (response: IncomingMessage) =>
      text(response).then(
        (body) => {
          const refusal = refusalOf(response.statusCode ?? 0, body, place);
          if (refusal === undefined) resolve({ ok: true, answer: JSON.parse(body) });
          else failed(refusal);
        },
        ({ message }) => failed(`the controller's answer broke off: ${message}`),
      );
    sent.on("response", callback("the reading of an answer", read));
    sent.end();
  });
}

function refusalOf(status: number, body: string, { token }: OperatorPlace): string | undefined {
  switch (status) {
    case 200:
      return undefined;
    case 401:
      return `the controller does not take the token in ${token}`;
    case 503:
      return "the controller has not applied anything yet";
    case 404:
      return "the controller is of another version and does not know this question";
    default:
      return `the controller answered ${status}: ${body}`;
  }
}

/** Returns the token; empty if there is no file, or it belongs to another account. */
function tokenIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
