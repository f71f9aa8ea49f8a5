import { expect, test } from "vitest";
import { securityFixes } from "./move-pins.ts";

const changelog = `openssl (3.6.5-1) unstable; urgency=medium

  * Import 3.6.5
    - CVE-2026-0001 ("A name that is
      written on two lines")
    - CVE-2026-0002 ("Short") (Closes: #1)
  * Nothing else (CVE-less).

 -- A Name <a@example.com>  Sun, 01 Nov 2026 10:00:00 +0100

openssl (3.6.4-2) unstable; urgency=medium

  * d/control: nothing of weight.
  * Fixes CVE-2026-0003.

 -- A Name <a@example.com>  Thu, 01 Oct 2026 10:00:00 +0100

openssl (3.6.4-1) unstable; urgency=medium

  * CVE-2026-0004

 -- A Name <a@example.com>  Tue, 01 Sep 2026 10:00:00 +0100
`;

test("security fixes are the entries after a version, each on one line", () => {
  expect(securityFixes(changelog, "3.6.4-1")).toEqual([
    '- CVE-2026-0001 ("A name that is written on two lines")',
    '- CVE-2026-0002 ("Short") (Closes: #1)',
    "* Fixes CVE-2026-0003.",
  ]);
  expect(securityFixes(changelog, "3.6.5-1")).toEqual([]);
});
