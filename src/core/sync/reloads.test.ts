import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { TokenBucket } from "../../base/timing/token-bucket.ts";
import type { ApplyOutcome } from "./ports.ts";
import { Reloads } from "./reloads.ts";

/** Starts with a bucket of one token, which gets another one each second. */
function start() {
  const clock = new FakeClock();
  const ending = new AbortController();
  const reports: string[] = [];
  const reloads = new Reloads(new TokenBucket({ perSecond: 1, burst: 1 }, clock), clock, () => reports.push("ended"));
  const ask = (outcome: ApplyOutcome) =>
    reloads.ask(
      async () => {
        reports.push("begun");
        return { refunds: outcome.kind === "refused", report: outcome };
      },
      ({ kind }) => reports.push(kind),
      ending.signal,
    );
  return { clock, ending, reports, reloads, ask };
}
const reloaded: ApplyOutcome = { kind: "reloaded", tookMs: 1, warnings: [] };

test("a second reload waits for the bucket, and a third is not needed while it waits", async () => {
  const { clock, reports, reloads, ask } = start();
  expect(ask(reloaded)).toBe(true);
  await clock.advance(0);
  expect(reports).toEqual(["begun", "reloaded", "ended"]);
  expect(ask(reloaded)).toBe(false);
  expect(reloads.isOn).toBe(true);
  expect(ask(reloaded)).toBe(false);
  await clock.advance(999);
  expect(reports).toHaveLength(3);
  await clock.advance(1);
  expect(reports.slice(3)).toEqual(["begun", "reloaded", "ended"]);
  expect(reloads.isOn).toBe(false);
});

test("a refused text costs no token", async () => {
  const { clock, ask } = start();
  ask({ kind: "refused", stderr: "" });
  await clock.advance(0);
  expect(ask(reloaded)).toBe(true);
});

test("a waiting reload is dropped when the sync ends", async () => {
  const { clock, ending, reports, reloads, ask } = start();
  ask(reloaded);
  await clock.advance(0);
  ask(reloaded);
  ending.abort();
  await reloads.over();
  expect(reports.filter((one) => one === "begun")).toHaveLength(1);
  expect(clock.waiting).toBe(0);
});

test("an ending without a report causes none", async () => {
  const { reports, reloads } = start();
  reloads.ask(
    async () => ({ refunds: false }),
    () => reports.push("reported"),
    new AbortController().signal,
  );
  await reloads.over();
  expect(reports).toEqual(["ended"]);
});
