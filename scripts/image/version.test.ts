import { expect, test } from "vitest";
import { compareVersions } from "./version.ts";

/** Versions from the oldest to the newest, as `dpkg --compare-versions` sorts them. */
const sorted = [
  "0.9~rc1-1",
  "0.9-1",
  "1.0~~",
  "1.0~",
  "1.0",
  "1.0-1",
  "1.0-1+b1",
  "1.0-1+deb13u1",
  "1.0-1+deb13u10",
  "1.0a",
  "1.0+dfsg",
  "1.2",
  "1.10",
  "2.12.7+dfsg+really2.9.14-2.1+deb13u3",
  "2.43-7",
  "1:0.1",
  "2:0.0.1",
];

test("versions are compared as dpkg compares them", () => {
  for (const [at, one] of sorted.entries())
    for (const [other, two] of sorted.entries())
      expect(Math.sign(compareVersions(one, two)), `${one} and ${two}`).toBe(Math.sign(at - other));
});
