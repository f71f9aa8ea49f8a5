/** Fetches what a certificate names: it may be slow, large or anything, so time and size are bounded and redirects are not followed. */
const limitMs = 5_000;
const mostBytes = 64 * 1024;

export async function fetchIssuer(url: string, signal: AbortSignal): Promise<Uint8Array> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const answer = await fetch(url, { redirect: "error", signal: within }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Error(`${url} cannot be fetched: ${cause}`);
  });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    throw new Error(`${url} answers ${answer.status}`);
  }
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error(`what is at ${url} is longer than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
