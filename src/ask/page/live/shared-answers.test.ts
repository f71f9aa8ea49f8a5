import { expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { SharedAnswers } from "./shared-answers.ts";

function shared() {
  const clock = new FakeClock();
  clock.freeze(60_000);
  const answers = new SharedAnswers(clock);
  let made = 0;
  const ask = async (name: string) => (await answers.of(name, async () => ({ status: 200, text: `${++made}` }))).text;
  return { clock, answers, ask };
}

test("equal requests of several pages share one answer, also while it is computed", async () => {
  const { ask } = shared();
  expect(await Promise.all([ask("routes"), ask("routes"), ask("status"), ask("routes")])).toEqual(["1", "1", "2", "1"]);
});

test("an answer is at most a second old, and is computed again after a change", async () => {
  const { clock, answers, ask } = shared();
  expect(await ask("routes")).toBe("1");
  clock.freeze(999);
  expect(await ask("routes")).toBe("1");
  clock.freeze(1);
  expect(await ask("routes")).toBe("2");
  answers.forget();
  expect(await ask("routes")).toBe("3");
});

test("the number of kept answers is limited", async () => {
  const { ask } = shared();
  for (let at = 0; at < 20; at++) await ask(`routes?filter=${at}`);
  expect(await ask("routes?filter=0")).toBe("21");
});
