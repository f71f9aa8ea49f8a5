/** Asks an OCSP responder over HTTP. What a certificate names is asked, so an answer may be slow, large or anything. */
import type { Question } from "./message.ts";

const limitMs = 5_000;
const mostBytes = 64 * 1024;

export async function askResponder({ url, body }: Question, signal: AbortSignal): Promise<Uint8Array> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const headers = { "content-type": "application/ocsp-request", accept: "application/ocsp-response" };
  const answer = await fetch(url, {
    method: "POST",
    headers,
    body: new Uint8Array(body),
    redirect: "error",
    signal: within,
  }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Error(`the responder ${url} cannot be asked: ${cause}`);
  });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    throw new Error(`the responder ${url} answers ${answer.status}`);
  }
  return wholeOf(answer, url);
}

async function wholeOf({ body }: Response, url: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error(`the answer of the responder ${url} is longer than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
