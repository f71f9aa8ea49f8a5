/**
 * Runs the conformance suite of the Gateway API on the nginx that ships, which supports more
 * features than an older one.
 */
import { expect, test } from "vitest";
import { testedSuite } from "./support/container.ts";
import { runOnImage } from "./support/image-nginx.ts";

/** The suite's own limits of time, on a machine that may be busy. */
const longMs = 1_500_000;

test("the conformance suite of the Gateway API passes on the nginx that ships", { timeout: longMs }, async () => {
  const words = ["--project", "conformance"];
  const { all, exitCode } = await runOnImage({ suite: testedSuite, words, env: { CONFORMANCE_NGINX: "image" } });
  console.log(
    all
      .split("\n")
      .filter((line) => /conformance[ :]|^failed: /.test(line))
      .join("\n"),
  );
  expect(all).toContain("conformance ");
  expect(exitCode, all.slice(-4_000)).toBe(0);
});
