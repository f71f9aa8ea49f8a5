/**
 * Waits until a master that was just started serves. If it ends or hangs instead, the result is one
 * sentence.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Control } from "./control.ts";
import type { RunFolder } from "./folder/paths.ts";
import { signal } from "./orphans.ts";
import type { Master } from "./process/master.ts";
import { ownElsewhere } from "./process/own-elsewhere.ts";
import { type StartFailure, startFailure } from "./process/start-failure.ts";

/** `failure` is nginx's own message, if it left one. */
export interface NotStarted {
  readonly ok: false;
  readonly why: string;
  readonly failure?: StartFailure;
}

/**
 * Resolves with undefined once nginx answers on the control socket. Otherwise the master is gone
 * when it resolves.
 */
export async function firstAnswer(
  { folder, control }: { readonly folder: RunFolder; readonly control: Control },
  master: Master,
  limitMs: number,
): Promise<NotStarted | undefined> {
  const deadline = performance.now() + limitMs;
  let how: string | undefined;
  master.gone.then((words) => {
    how = words;
  });
  while (how === undefined && performance.now() < deadline) {
    if ((await control.generation()) !== undefined) return undefined;
    await delay(3);
  }
  const otherwise = how === undefined ? `it gave no answer within ${limitMs} ms` : `it ended with ${how}`;
  if (how === undefined) signal(master.pid, "SIGKILL");
  await master.gone;
  master.forget();
  const failure = startFailure(readFileSync(folder.emergencies, "utf8"));
  const own = failure?.names === undefined ? undefined : ownElsewhere(failure.names);
  const sentence = own === undefined ? failure?.sentence : failure?.sentence.replace(/another program .*$/, own);
  const why = `nginx did not start: ${sentence ?? otherwise}.`;
  return failure === undefined ? { ok: false, why } : { ok: false, why, failure };
}
