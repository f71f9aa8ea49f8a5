/**
 * Tests abilities of the image's nginx that older ones lack: it gets changed endpoints of streams
 * from the controller without a reload, and keeps the bodies of calls for their copies.
 */
import { expect, test } from "vitest";
import { testedSuite } from "./support/container.ts";
import { runOnImage } from "./support/image-nginx.ts";

const files = [
  "stream-endpoints",
  "gateway-streams",
  "gateway-mixed",
  "streams",
  "settings-streams",
  "streams-while-away",
];

test.each([
  ["streams are served", ["nginx", ...files.map((name) => `test/nginx/${name}.test.ts`)]],
  ["calls are copied", ["nginx", "test/nginx/grpc-mirrors.test.ts"]],
  ["streams are kept over deaths of the controller and of nginx", ["e2e", "test/e2e/streams.test.ts"]],
])(
  "on the nginx of the image %s",
  async (_what, projectAndFiles) => {
    const words = ["--project", ...projectAndFiles];
    const { all, exitCode } = await runOnImage({ suite: testedSuite, words });
    expect(exitCode, all).toBe(0);
  },
  // Each row is several files, which take ten times as long beside other load.
  900_000,
);
