/**
 * The second proof: one local nginx serves the Ingresses, another one serves the routes, and both
 * get the same requests.
 */

import type { Flags } from "../../controller/flags.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { serveLocally } from "../../tools/local-nginx.ts";
import { type Answer, ask } from "./asked.ts";
import { type Difference, differenceKinds } from "./difference.ts";
import { startEchoes } from "./echoes.ts";
import type { Alike } from "./proof.ts";

export type RequestProof =
  | { readonly ok: true; readonly asked: number; readonly skipped: number; readonly differences: readonly Difference[] }
  | { readonly ok: false; readonly why: string };

/** The number of requests that are in flight at once. */
const atOnce = 16;

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
    const askable = alike.filter(({ outside }) => !outside);
    const differences: Difference[] = [];
    for (let at = 0; at < askable.length; at += atOnce) {
      const found = await Promise.all(
        askable.slice(at, at + atOnce).map(async (probe) => {
          const answers = [await ask(probe.asked, one.nginx), await ask(probe.asked, other.nginx)] as const;
          return differencesBetween(probe, ...answers);
        }),
      );
      differences.push(...found.flat());
    }
    return { ok: true, asked: askable.length, skipped: alike.length - askable.length, differences };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

function differencesBetween({ asked, host, drawn, unruled }: Alike, one: Answer, other: Answer): readonly Difference[] {
  const all = one.get("status") === other.get("status") ? [...new Set([...one.keys(), ...other.keys()])] : ["status"];
  const names = unruled ? ["backend"] : all;
  return names.flatMap((field): Difference[] => {
    const [now = "", after = ""] = [one.get(field), other.get(field)];
    // If weights choose the backend, only the status can be compared.
    if (now === after || (drawn && field !== "status")) return [];
    const { why, todo } = differenceKinds.answer;
    const request = `${asked.method} ${asked.scheme}://${asked.host}${asked.target}`;
    return [{ kind: "answer", host, request, more: 0, field, now, after, annotations: [], why, todo }];
  });
}
