/**
 * The nginx of another container of the Pod, commanded through its socket. It has the same
 * interface as an nginx of this container. Its state is read every second and kept, because metrics
 * and health need it at any moment. While it does not answer it counts as not running, and orders
 * end as unreachable, which the sync tries again. Its last known workers still count, because
 * workers of older texts may well be running.
 */
import { setTimeout as delay } from "node:timers/promises";
import { OneAtATime } from "../base/timing/one-at-a-time.ts";
import type { TestOutcome } from "./configuration-test.ts";
import { lock } from "./folder/lock.ts";
import type { RunFolder } from "./folder/paths.ts";
import type { FoundNginx, OpenOptions } from "./installed.ts";
import type { Nginx, OpenedNginx } from "./nginx.ts";
import { type NginxState, type Outcome, readOutcome, writeRendered } from "./orders.ts";
import { Pass } from "./pass.ts";
import type { ReloadOutcome } from "./reload.ts";
import { SocketClient } from "./socket-client.ts";

export interface Waiting {
  /** The time limit for nginx's container. */
  readonly limitMs: number;
  /** Called once, when the container does not answer yet. */
  readonly onWait: () => void;
  readonly signal: AbortSignal;
}

/**
 * Waits for the other container, which the kubelet may start later than this one. The run folder is
 * locked from here on, because this process becomes its controller by issuing a password here.
 */
export async function remoteNginx(socket: string, folder: RunFolder, waiting: Waiting): Promise<FoundNginx> {
  const { limitMs, onWait, signal } = waiting;
  const locked = await lock(folder.lock);
  if (!locked.ok) return locked;
  const pass = await Pass.issue(folder.controllerPass);
  const line = new Line(socket, pass);
  const deadline = performance.now() + limitMs;
  for (let tries = 0; performance.now() < deadline && !signal.aborted; tries += 1) {
    const state = await line.state();
    if (state !== undefined) {
      const { capabilities, place } = state;
      const open = (options: OpenOptions) => openRemote(line, state, locked.release, options);
      return { ok: true, nginx: { capabilities, place, outlives: true, pass, open } };
    }
    if (tries === 0) onWait();
    await delay(100, undefined, { signal }).catch(() => {});
  }
  line.close();
  await locked.release();
  return {
    ok: false,
    why: `no answer on ${socket}: nginx's container does not run, or has another --nginx-socket.`,
  };
}

async function openRemote(
  line: Line,
  first: NginxState,
  unlock: () => Promise<void>,
  { report }: OpenOptions,
): Promise<OpenedNginx> {
  let last = first;
  let answers = true;
  const looks = new OneAtATime();
  const look = async (): Promise<void> => {
    const state = await line.state();
    if (state !== undefined) last = state;
    if (answers !== (state !== undefined)) report({ kind: answers ? "silent" : "answers" });
    answers = state !== undefined;
  };
  const lookNow = (): Promise<void> => looks.run(look);
  const looking = everySecond(lookNow);
  const nginx: Nginx = {
    async apply(rendered, signal) {
      const outcome = await line.order<ReloadOutcome>("/apply", writeRendered(rendered), signal);
      await lookNow();
      return outcome;
    },
    test: (conf, signal) => line.order<TestOutcome>("/test", conf, signal),
    generations: () => last.generations,
    processes: () => last.processes,
    get pid() {
      return answers ? (last.pid ?? undefined) : undefined;
    },
    get restarts() {
      return last.restarts;
    },
    // `sluice nginx` does this. If only the controller ends, nginx goes on serving.
    closeConnections: async () => {},
    async stop() {
      await looking.stop();
      line.close();
      await unlock();
    },
  };
  return { ok: true, nginx, found: { kind: first.pid === null ? "nothing" : "running" } };
}

/** Larger than any state, and small enough that a hostile nginx cannot fill our memory. */
const longestAnswer = 16 * 1024 * 1024;

class Line {
  readonly #client: SocketClient;

  constructor(socketPath: string, pass: Pass) {
    // Several orders may wait at once.
    this.#client = new SocketClient({ socketPath, pass, connections: 8, mostBytes: longestAnswer });
  }

  /** Requests the state of nginx; undefined while nginx does not answer. */
  async state(): Promise<NginxState | undefined> {
    try {
      const signal = AbortSignal.timeout(5_000);
      const { status, text } = await this.#client.send({ path: "/state", signal });
      return status === 200 ? (JSON.parse(text) as NginxState) : undefined;
    } catch {
      return undefined;
    }
  }

  async order<O extends Outcome>(path: string, body: string, signal: AbortSignal) {
    try {
      // The order takes as long as nginx needs; nginx limits that itself.
      const { status, text } = await this.#client.send({ path, body, signal });
      if (status === 200) return readOutcome<O>(text);
      return unreachable(new Error(`nginx's container answered ${status}: ${text}`));
    } catch (cause) {
      return unreachable(cause as Error);
    }
  }

  close(): void {
    this.#client.close();
  }
}

const unreachable = (cause: Error) => ({ kind: "unreachable", cause }) as const;

function everySecond(work: () => Promise<void>): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = (async () => {
    while (!signal.aborted) {
      await delay(1_000, undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await work();
    }
  })();
  return {
    stop() {
      stopping.abort();
      return running;
    },
  };
}
