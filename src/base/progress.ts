/**
 * Shows on a terminal that a program still works, once it has taken two seconds. Another thread
 * writes, because the first one is busy. Without a terminal nothing is started or written.
 */
import { Worker } from "node:worker_threads";

/** `state` has whether to end, and whether the line was written. The cursor stays at its begin. */
const thread = `
const { name, state } = require("node:worker_threads").workerData;
const { writeSync } = require("node:fs");
const began = Date.now();
while (Atomics.wait(state, 0, 0, 500) === "timed-out") {
  const seconds = Math.round((Date.now() - began) / 1000);
  if (seconds < 2) continue;
  Atomics.store(state, 1, 1);
  writeSync(2, "\\r\\x1b[K" + name + " works, " + seconds + " s\\r");
}
`;

/** Returns a function that removes the line. It is called before other output. */
export function startProgress(name: string, stderr: Pick<NodeJS.WriteStream, "isTTY" | "write">): () => void {
  if (!stderr.isTTY) return () => {};
  const state = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(thread, { eval: true, workerData: { name, state } });
  worker.unref();
  return () => {
    const isFirst = Atomics.exchange(state, 0, 1) === 0;
    Atomics.notify(state, 0);
    if (isFirst && Atomics.load(state, 1) === 1) stderr.write("\r\u001b[K");
  };
}
