import { expect, test } from "vitest";
import { startFailure } from "./start-failure.ts";

const line = (words: string, level = "emerg"): string => `2026/11/21 10:00:00 [${level}] 77#77: ${words}\n`;
const gaveUp = line("still could not bind()");

test.each([
  [
    "bind() to 0.0.0.0:80 failed (98: Address already in use)",
    "nginx cannot listen on 0.0.0.0:80: another program is using this address",
  ],
  ["bind() to [::]:80 failed (13: Permission denied)", "nginx may not listen on [::]:80: ports this low need root"],
  ["bind() to 192.0.2.9:80 failed (99: Cannot assign requested address)", "this machine does not have that address"],
  ["mmap(MAP_ANON|MAP_SHARED, 943718400) failed (12: Cannot allocate memory)", "too little memory"],
])("the error %s is a fault of the machine", (words, sentence) => {
  const failure = startFailure(line(words).repeat(5) + gaveUp);
  expect(failure).toMatchObject({ textAtFault: false, by: 77, sentence: expect.stringContaining(sentence) });
});

test("a bind that nginx does not repeat is final", () => {
  const words = "bind() to 192.0.2.9:80 failed (99: Cannot assign requested address)";
  const sentence = "nginx cannot listen on 192.0.2.9:80: this machine does not have that address";
  expect(startFailure(line(words))).toEqual({ sentence, textAtFault: false, by: 77, names: "192.0.2.9:80" });
});

test("text of a user that looks like an error is not a fault of the machine", () => {
  const words = 'unknown directive "bind() to 1.2.3.4:80 failed (98: fork() failed" in /run/nginx.conf:3';
  expect(startFailure(line(words))).toMatchObject({ textAtFault: true });
});

test("a failed bind alone means that nginx is still trying", () => {
  expect(startFailure(line("bind() to 0.0.0.0:80 failed (98: Address already in use)"))).toBeUndefined();
});

test("any other error is a fault of the text, with nginx's message", () => {
  const words = 'limit_req "a" uses the "$args" key while previously it used the "$uri" key';
  expect(startFailure(line(words))).toEqual({ sentence: `nginx says: ${words}`, textAtFault: true, by: 77 });
});

test("a worker that exited at once is a failure after the old workers were released", () => {
  const log = line("worker process 9 exited with fatal code 2 and cannot be respawned", "alert");
  expect(startFailure(log)).toMatchObject({ textAtFault: true, by: 0 });
});

test("a worker that was killed is not a failure of the configuration", () => {
  expect(startFailure(line("worker process 9 exited on signal 9", "alert"))).toBeUndefined();
});

test("a process that could not be forked is a fault of the machine", () => {
  const log = line('fork() failed while spawning "worker process" (11: Resource temporarily unavailable)', "alert");
  expect(startFailure(log)).toMatchObject({
    textAtFault: false,
    sentence: expect.stringContaining("too little memory"),
  });
});
