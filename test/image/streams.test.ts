/**
 * The tests of streams on the nginx that ships, which asks the controller for their endpoints
 * instead of being reloaded.
 */
import { expect, test } from "vitest";
import { testedSuite } from "./support/container.ts";
import { runOnImage } from "./support/image-nginx.ts";

const files = ["stream-endpoints", "gateway-streams", "gateway-mixed", "streams", "settings-streams"];

test.each([
  ["served", ["nginx", ...files.map((name) => `test/nginx/${name}.test.ts`)]],
  ["kept over deaths of the controller and of nginx", ["e2e", "test/e2e/streams.test.ts"]],
])("streams are %s by the nginx that ships", async (_what, projectAndFiles) => {
  const words = ["--project", ...projectAndFiles];
  const { all, exitCode } = await runOnImage({ suite: testedSuite, words });
  expect(exitCode, all).toBe(0);
});
