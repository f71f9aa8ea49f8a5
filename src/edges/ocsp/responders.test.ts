import { expect, test } from "vitest";
import type { Question } from "./message.ts";
import { type Ask, fewAtOnce, mostAtOnce } from "./responders.ts";

const about = (url: string) => ({ url }) as Question;
const ends = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A responder that answers when the test lets it. */
function responders() {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const ask: Ask = ({ url }, signal) => {
    asked.push(url);
    return new Promise((resolve, reject) => {
      answers.push(() => resolve(new Uint8Array()));
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  };
  return { asked, answers, ask: fewAtOnce(ask) };
}

test("a responder gets few requests at a time, and those of another one do not wait for it", async () => {
  const { asked, answers, ask } = responders();
  for (let n = 0; n < 1000; n++) void ask(about("http://slow.example/"), ends);
  void ask(about("http://other.example/"), ends);
  await turn();
  expect(asked.filter((url) => url === "http://slow.example/")).toHaveLength(mostAtOnce);
  expect(asked).toContain("http://other.example/");
  while (answers.length > 0) {
    answers.shift()!();
    await turn();
  }
  expect(asked).toHaveLength(1001);
});

test("a waiting request ends when it is aborted, and those behind it are sent", async () => {
  const { asked, answers, ask } = responders();
  const ending = new AbortController();
  const unwanted = Array.from({ length: 2 * mostAtOnce }, () => ask(about("http://slow.example/"), ending.signal));
  const wanted = ask(about("http://slow.example/wanted"), ends);
  ending.abort(new Error("not wanted"));
  const how = await Promise.allSettled(unwanted);
  expect(new Set(how.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  expect(asked.at(-1)).toBe("http://slow.example/wanted");
  answers.at(-1)!();
  await expect(wanted).resolves.toBeInstanceOf(Uint8Array);
});
