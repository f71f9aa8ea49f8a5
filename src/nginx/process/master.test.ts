import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openRunFolder } from "../folder/open.ts";
import { startMaster } from "./master.ts";

test("a missing nginx gives one sentence with its path and the reason", async () => {
  const parent = mkdtempSync(join(tmpdir(), "sluice-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const opened = openRunFolder(join(parent, "run"));
  if (!opened.ok) throw new Error(opened.why);
  const binary = join(parent, "nginx");
  const setup = { binary, folder: opened.folder, endWithController: false, onLine: () => {} };
  const master = await startMaster(setup, "one");
  expect(master).toEqual(new Error(`${binary} cannot be started: spawn ${binary} ENOENT`));
});
