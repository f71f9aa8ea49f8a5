/**
 * Snippets of untrusted authors cost little time, however long they are and however deep their
 * blocks nest. Snippets beyond the limits declare no variables.
 */
import { expect, test } from "vitest";
import { readingOf, settingsOf } from "../../../test/support/reading.ts";
import { longestText } from "../kinds/kind.ts";
import { sentence } from "../model/problem.ts";
import { declaredBySettings } from "../settings/declared-variables.ts";
import { withOwnLocations } from "../settings/own-locations.ts";

const permitting = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
const keys = ["configuration-snippet", "server-snippet", "auth-snippet"];

/** Each would declare `$mine` if it were parsed without a limit. */
const hostile: Record<string, string> = {
  "a megabyte of directives": "set $mine 1; ".repeat(80_000),
  "a megabyte in one word": `set $mine ${"a".repeat(1_000_000)};`,
  "a megabyte of blanks": `set $mine 1;${" ".repeat(1_000_000)}`,
  "60,000 nested blocks": `set $mine 1; ${"a{".repeat(60_000)}${"}".repeat(60_000)}`,
  "60,000 unclosed blocks": `set $mine 1; ${"a{".repeat(60_000)}`,
};
const cases = Object.entries(hostile);

/**
 * Returns the processor time of the fastest run in milliseconds, so that a busy machine does not
 * count.
 */
function spent(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

test.each(keys.flatMap((key) => cases.map(([name, text]) => ({ key, name, text }))))(
  "$key refuses $name at once, and the text declares nothing",
  ({ key, text }) => {
    const annotations = {
      [key]: text,
      "auth-url": "http://auth.example/",
      "auth-signin": "https://login.example/?t=$mine",
    };
    const read = () => readingOf(annotations, { settings: permitting });
    const { verdict, problems } = read();
    expect(verdict).not.toBe("serve");
    const sentences = problems.map(sentence);
    expect(sentences).toContainEqual(expect.stringMatching(new RegExp(`^annotation ${key}: `)));
    expect(sentences).toContainEqual(expect.stringContaining("annotation auth-signin: "));
    expect(spent(read)).toBeLessThan(50);
  },
);

test.each(cases)("a snippet key of the ConfigMap refuses %s at once, and the text declares nothing", (_name, text) => {
  const read = () => settingsOf({ "http-snippet": text, "server-snippet": text, "location-snippet": text });
  expect([...declaredBySettings(read())]).toEqual([]);
  expect(spent(read)).toBeLessThan(100);
});

test("a snippet with as many locations as fit gets nginx's own defaults in time that grows with its length", () => {
  const location = "location /a{proxy_pass http://a;}";
  const text = location.repeat(Math.floor(longestText / location.length));
  const work = (part: string) => () => withOwnLocations(part);
  const eighth = text.slice(0, location.length * Math.floor(text.length / location.length / 8));
  expect(spent(work(text))).toBeLessThan(24 * spent(work(eighth)) + 50);
});
