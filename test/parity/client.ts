/**
 * Sends the requests of a case and returns the answers in the form of the expectations. Every
 * request has a connection of its own (except for `same`), as in the recordings: a kept connection
 * would hide the effect of a reload on a new one.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Pki } from "../support/pki.ts";
import type { Answer } from "./answer.ts";
import { connect } from "./connection.ts";
import { digestOf } from "./digest.ts";
import { bodyOf, type Header, headOf } from "./message.ts";
import { cookiesSetBy, normalised } from "./normalise.ts";
import { type Reply, ReplyReader } from "./reply.ts";
import type { RequestSpec } from "./request-spec.ts";
import { Unanswered } from "./unanswered.ts";

/** The cookies of a case, by name. */
export type Jar = Map<string, string>;

/**
 * Sends the request as often as the case demands. It never rejects because of the server's
 * behaviour.
 */
export async function ask(spec: RequestSpec, jar: Jar, pki: Pki): Promise<Answer> {
  const { method = "GET", scheme = "http", host = "None", path = "/", repeat = 1 } = spec;
  const request = spec.name ?? `${method} ${scheme}://${host}${path}`;
  if (repeat === 1) return { request, ...(await once(spec, jar, pki)) };
  const answers: OneAnswer[] = [];
  if (spec.parallel) answers.push(...(await Promise.all(Array.from({ length: repeat }, () => once(spec, jar, pki)))));
  else for (let i = 0; i < repeat; i++) answers.push(await once(spec, jar, pki));
  return { request, ...summary(answers, spec.only) };
}

type OneAnswer = Omit<Answer, "request">;

function summary(answers: readonly OneAnswer[], only: RequestSpec["only"]): OneAnswer {
  const tally: Record<string, number> = {};
  for (const { status, error, seen } of answers) {
    const key = `${status ?? error ?? "tls"} ${seen?.backend ?? "-"}`;
    tally[key] = (tally[key] ?? 0) + 1;
  }
  if (only === "set") return { answers: Object.keys(tally).sort() };
  if (only === "count") return { distinct: Object.keys(tally).length };
  return { tally };
}

async function once(spec: RequestSpec, jar: Jar, pki: Pki): Promise<OneAnswer> {
  const began = performance.now();
  const answer = await exchange(spec, jar, pki);
  if (spec.slowerThan === undefined) return answer;
  return { ...answer, slow: performance.now() - began > 1000 * spec.slowerThan };
}

async function exchange(spec: RequestSpec, jar: Jar, pki: Pki): Promise<OneAnswer> {
  let shown: OneAnswer = {};
  try {
    const credentials = spec.digest ? [await digestOf(spec, spec.digest, pki)] : [];
    const connection = await connect(spec, pki);
    shown = connection.shown;
    try {
      if (shown.alpn === "h2") return shown;
      const reader = new ReplyReader(connection.socket, 1000 * (spec.timeout ?? 10));
      const head = headOf(spec, [...credentials, ...cookieHeader(spec, jar)]);
      if (spec.same !== undefined)
        return { ...shown, ...(await sameConnection(spec, connection.socket, reader, head)) };
      await send(spec, connection.socket, head);
      const reply = await reader.read(spec.method ?? "GET");
      for (const [name, value] of cookiesSetBy(reply)) jar.set(name, value);
      return { ...shown, ...normalised(reply, spec) };
    } finally {
      connection.socket.destroy();
    }
  } catch (error) {
    if (error instanceof Unanswered) return { ...shown, [error.field]: error.message };
    throw error;
  }
}

interface Writable {
  readonly write: (bytes: string | Buffer, encoding?: "latin1") => unknown;
}

async function send(spec: RequestSpec, socket: Writable, head: string): Promise<void> {
  if (spec.raw === undefined) {
    socket.write(head, "latin1");
    socket.write(bodyOf(spec) ?? "");
    return;
  }
  for (const [i, part] of [spec.raw].flat().entries()) {
    if (i > 0) await delay(500);
    socket.write(part, "latin1");
  }
}

/**
 * Sends several requests on one connection, and returns their statuses and whether the server kept
 * the connection to the end.
 */
async function sameConnection(
  spec: RequestSpec,
  socket: Writable,
  reader: ReplyReader,
  head: string,
): Promise<OneAnswer> {
  const statuses: number[] = [];
  let kept = true;
  while (kept && statuses.length < spec.same!) {
    await delay(1000 * (spec.every ?? 0));
    socket.write(head, "latin1");
    const reply = await reader.read(spec.method ?? "GET").catch(lost);
    if (reply) statuses.push(reply.status);
    kept = reply?.kept ?? false;
  }
  return { statuses, kept };
}

function lost(error: unknown): Reply | undefined {
  if (error instanceof Unanswered) return undefined;
  throw error;
}

function cookieHeader({ jar: wanted }: RequestSpec, jar: Jar): readonly Header[] {
  if (!wanted || jar.size === 0) return [];
  return [["Cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; ")]];
}
