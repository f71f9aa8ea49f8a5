import { expect, test } from "vitest";
import type { Difference } from "../replay/difference.ts";
import type { Proof } from "../replay/proof.ts";
import { findingsOf, reportText } from "./report.ts";

const hash = { algorithm: "hash", by: "$remote_addr", subset: 0 };
const cors = { enabled: true, origins: ["https://a.example"], maxAge: 60 };

test.each([
  ["balance of shop/web", hash, { algorithm: "ewma" }, "by hash of $remote_addr -> by time of answers (ewma)"],
  ["balance of shop/web", hash, { ...hash, subset: 3 }, "balance subset 0 -> 3"],
  ["balance of shop/web", undefined, hash, "nothing -> by hash of $remote_addr"],
  ["feature cors", cors, { ...cors, maxAge: 5 }, "cors-max-age 60 -> 5"],
])("a difference of %s is said in words %#", (field, now, after, words) => {
  const text = (value: object | undefined) => (value === undefined ? "" : JSON.stringify(value));
  const one: Difference = {
    ...{ kind: "balance", host: "a.example", request: "GET http://a.example/", more: 0, annotations: [] },
    ...{ field, now: text(now), after: text(after), why: "why", todo: "todo" },
  };
  const proof: Proof = { hosts: 1, requests: 1, differences: [one] } as unknown as Proof;
  expect(reportText(proof, findingsOf(proof, new Set()), [])).toContain(`\n  now -> with routes: ${words}\n`);
});
