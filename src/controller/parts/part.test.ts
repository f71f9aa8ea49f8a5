import { expect, test } from "vitest";
import { openLog } from "../../edges/log/log.ts";
import { Ending } from "../run/ending.ts";
import { begun, CannotStart, type Part, runParts, stopped, stoppedBy } from "./part.ts";

const log = openLog({ verbosity: 0, terminal: false, write: () => {} });

/** Two parts that record their start and stop, with the parts that follow them. */
function noting() {
  const notes: string[] = [];
  const part = (name: string): Part => ({
    name,
    async start() {
      notes.push(`${name} starts`);
      return stoppedBy(() => void notes.push(`${name} stops`));
    },
  });
  return { notes, parts: [part("one"), part("two")] };
}

const refusing: Part = {
  name: "busy",
  async start() {
    throw new CannotStart("The port is busy.");
  },
};

test("parts start in order, and stop in reverse order when the program ends", async () => {
  const { notes, parts } = noting();
  const ending = new Ending();
  const ended = runParts(
    [...parts, stopped("three", () => void notes.push("three stops")), begun("end", () => ending.because("SIGTERM"))],
    ending,
    log,
  );
  expect(await ended).toEqual({ kind: "ended" });
  expect(notes).toEqual(["one starts", "two starts", "three stops", "two stops", "one stops"]);
});

test("when a part cannot start, those before it stop, and those after it never start", async () => {
  const { notes, parts } = noting();
  const [one, two] = parts as [Part, Part];
  const ended = await runParts([one, refusing, two], new Ending(), log);
  expect(ended).toEqual({ kind: "failed", why: "The port is busy." });
  expect(notes).toEqual(["one starts", "one stops"]);
});

test("a failure that interrupts a part is the reason of the end, and a signal is not", async () => {
  const failing = new Ending();
  failing.because(new Error("The Service does not exist."));
  failing.because("SIGTERM");
  expect(await runParts([refusing], failing, log)).toEqual({ kind: "failed", why: "The Service does not exist." });
  const recorded = new Ending();
  recorded.because("SIGTERM");
  expect(await runParts([refusing], recorded, log)).toEqual({ kind: "failed", why: "The port is busy." });
});

test("after a bug no part is stopped, so nginx goes on serving", async () => {
  const { notes, parts } = noting();
  const ending = new Ending();
  const bug = begun("bug", () => ending.crash(new TypeError("undefined is not a function")));
  await expect(runParts([...parts, bug], ending, log)).rejects.toThrow(TypeError);
  expect(notes).toEqual(["one starts", "two starts"]);
});

test("a failure of a running part ends the program with its sentence, after all parts have stopped", async () => {
  const { notes, parts } = noting();
  const ending = new Ending();
  ending.because(new Error("nginx cannot bind to port 80."));
  expect(await runParts(parts, ending, log)).toEqual({ kind: "failed", why: "nginx cannot bind to port 80." });
  expect([notes.at(-1), ending.isFailure, ending.signal.aborted]).toEqual(["one stops", true, true]);
});
