import { expect, test } from "vitest";
import { decidedDifferences, mismatches } from "./decided.ts";

const page = `# Differences
## Auth that cannot be set up answers 503
Because of this and that.
- parity: \`access/a\`, access/b
## Another
parity: routing/hsts
`;

test("differing cases are named below the heading of their decision", () => {
  const heading = "Auth that cannot be set up answers 503";
  expect([...decidedDifferences(page)]).toEqual([
    ["access/a", heading],
    ["access/b", heading],
    ["routing/hsts", "Another"],
  ]);
});

test("an entry without a case and one without its answer are reported", () => {
  const lines = mismatches(decidedDifferences(page)).filter((line) => !line.startsWith("docs/differences.md"));
  expect(lines).toEqual([
    '"Auth that cannot be set up answers 503" names access/a: no such case',
    '"Auth that cannot be set up answers 503" names access/b: no such case',
    'routing/hsts.differs.json is missing, "Another" names it',
  ]);
});
