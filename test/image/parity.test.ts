/**
 * The parity suite again, on the image's nginx. It runs in dynamic mode, which is the image's;
 * PARITY_MODE chooses the other.
 */
import { expect, test } from "vitest";
import { testedSuite } from "./support/container.ts";
import { runOnImage } from "./support/image-nginx.ts";

/** Every case of the corpus, on a machine that may be busy. */
const longMs = 1_500_000;
const versions = { testing: /nginx version: nginx\/1\.3\d\./, trixie: /nginx version: nginx\/1\.26\./ };

test("the parity suite passes on the nginx that ships", { timeout: longMs }, async () => {
  const words = ["--project", "parity", "test/parity/parity.test.ts"];
  const { all, exitCode } = await runOnImage({
    suite: testedSuite,
    words,
    env: { PARITY_MODE: process.env.PARITY_MODE ?? "dynamic" },
  });
  console.log(all.slice(all.indexOf("parity, ")));
  expect(all).toMatch(versions[testedSuite]);
  expect(exitCode).toBe(0);
});
