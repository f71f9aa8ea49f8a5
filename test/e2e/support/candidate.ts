/**
 * A process that takes part in the election and prints what it does on stdout: `KUBECONFIG=... node
 * candidate.ts NAME DURATION_MS`. Each line is a word and the time in milliseconds of the machine's
 * monotonic clock, which all its processes share.
 */

import { systemClock } from "../../../src/base/timing/clock.ts";
import { Client, findCredentials, LeaseElection } from "../../../src/kube/index.ts";

const now = () => process.hrtime.bigint() / 1_000_000n;
const say = (word: string, at = now()) => process.stdout.write(`${word} ${at}\n`);

const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
const client = new Client(await findCredentials({ env: process.env }));
const election = new LeaseElection(client, {
  lease: { namespace: "default", name: "leader" },
  identity: process.argv[2] as string,
  durationMs: Number(process.argv[3]),
  clock: systemClock,
  random: Math.random,
  report: (event) => say(event.kind),
  lead: (term) =>
    new Promise((ended) => {
      const round = () => {
        // The time is read before the check. So the process that holds the Lease has held it at
        // this moment, wherever it is stopped.
        const at = now();
        if (term.holds()) say("write", at);
        if (term.lost.aborted || stop.signal.aborted) return ended();
        setTimeout(round, 20);
      };
      round();
    }),
});
await election.run(stop.signal);
client.close();
