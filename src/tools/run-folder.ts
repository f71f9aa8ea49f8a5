/**
 * Finds the run folder of the controller from which a command reads. `sluice serve` has it in the
 * current folder.
 */
import { existsSync } from "node:fs";
import { pathsOf, type RunFolder } from "../nginx/folder/paths.ts";
import type { ToolOption } from "./call.ts";

export const folderOption: ToolOption = {
  name: "run-folder",
  value: "FOLDER",
  doc: "Where the controller keeps its state.",
};

/** Returns the run folder. `given` is the flag `--run-folder`. */
export function runFolderOf(given: string | undefined, env: NodeJS.ProcessEnv = process.env): RunFolder {
  return pathsOf(given ?? env.SLUICE_RUN_FOLDER ?? (existsSync("run/sockets") ? "run" : "/run/sluice"));
}
