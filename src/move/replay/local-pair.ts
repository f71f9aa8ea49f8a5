/**
 * Replays requests with nginx: one local nginx serves the Ingresses, another one serves the routes,
 * and both get the same requests.
 */

import type { Flags } from "../../controller/flags.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { type LocalNginx, serveLocally } from "../../tools/local-nginx.ts";
import type { Address } from "./address.ts";
import type { AnswerDifference } from "./answer-differences.ts";
import { type Difference, differenceKinds } from "./difference.ts";
import { startEchoes } from "./echoes.ts";
import type { Alike } from "./proof.ts";
import { nameOf, replay } from "./replay.ts";

export type RequestProof =
  | { readonly ok: true; readonly asked: number; readonly skipped: number; readonly differences: readonly Difference[] }
  | { readonly ok: false; readonly why: string };

/** Nothing but this machine answers, so the rate is no matter. */
const options = { rate: 1e6, timeoutMs: 10_000, ignored: new Set<string>(), counted: () => {} };

export async function compareRequests(
  now: Snapshot,
  after: Snapshot,
  alike: readonly Alike[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<RequestProof> {
  const echoes = await startEchoes(now);
  const stops: (() => Promise<void>)[] = [() => echoes.stop()];
  try {
    const one = await serveLocally(echoes.standIn(now), flags, env);
    if (!one.ok) return one;
    stops.push(one.nginx.stop);
    const other = await serveLocally(echoes.standIn(after), flags, env);
    if (!other.ok) return other;
    stops.push(other.nginx.stop);
    const sent = alike.filter(({ outside }) => !outside);
    const sides = { old: addressOf(one.nginx), fresh: addressOf(other.nginx) };
    const { signal } = new AbortController();
    const compared = await replay(
      sent.map(({ asked }) => asked),
      { ...options, ...sides, signal },
    );
    const differences = compared.flatMap((found, at) => found.differences.flatMap((one) => reported(sent[at]!, one)));
    return { ok: true, asked: sent.length, skipped: alike.length - sent.length, differences };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

const addressOf = ({ http, https }: LocalNginx): Address => ({
  http: { host: "127.0.0.1", port: http },
  https: { host: "127.0.0.1", port: https },
});

function reported({ asked, host, drawn, unruled }: Alike, found: AnswerDifference): readonly Difference[] {
  const { field, old: now, new: after } = found;
  // If weights choose the backend, only the status can be compared.
  if (drawn && field !== "status") return [];
  // Without a rule, only an answer of a backend matters, which is 200.
  if (unruled && (field !== "status" || ![now, after].includes("200"))) return [];
  const { why, todo } = differenceKinds.answer;
  const request = `${asked.method} ${asked.scheme}://${asked.host}${asked.target}`;
  return [{ kind: "answer", host, request, more: 0, field: nameOf(found), now, after, annotations: [], why, todo }];
}
