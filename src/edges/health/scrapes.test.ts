import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Scrapes } from "./scrapes.ts";

/** Stands for an answer whose client has not read it yet. */
class Unread extends EventEmitter {
  impatience: (() => void) | undefined;
  setTimeout(_: number, callback: () => void): void {
    this.impatience = callback;
  }
  destroy(): void {
    this.emit("close");
  }
}
const unread = () => new Unread() as unknown as Unread & ServerResponse;

function counted() {
  let made = 0;
  const scrapes = new Scrapes(async () => ({ contentType: "text/plain", text: `scrape ${++made}` }));
  return { scrapes, made: () => made };
}

test("requests that arrive during a scrape share its text and its compressed form", async () => {
  const { scrapes, made } = counted();
  const [one, other] = await Promise.all([scrapes.for(unread()), scrapes.for(unread())]);
  expect(one).toBe(other);
  expect(one?.plain.toString()).toBe("scrape 1");
  expect(one?.zipped()).toBe(one?.zipped());
  expect(gunzipSync((await one?.zipped()) ?? "").toString()).toBe("scrape 1");
  expect((await scrapes.for(unread()))?.plain.toString()).toBe("scrape 2");
  expect(made()).toBe(2);
});

test("clients that do not read their answers get no more of them, until their connections end", async () => {
  const { scrapes, made } = counted();
  const answers = Array.from({ length: 10 }, unread);
  for (const answer of answers) expect(await scrapes.for(answer)).toBeDefined();
  expect(await scrapes.for(unread())).toBeUndefined();
  expect(made()).toBe(10);
  answers[0]?.impatience?.();
  expect(await scrapes.for(unread())).toBeDefined();
});

test("a scrape that fails does not fail the next one", async () => {
  let isBroken = true;
  const scrapes = new Scrapes(async () => {
    if (isBroken) throw new Error("broken");
    return { contentType: "text/plain", text: "whole" };
  });
  await expect(scrapes.for(unread())).rejects.toThrow("broken");
  isBroken = false;
  expect((await scrapes.for(unread()))?.plain.toString()).toBe("whole");
});
