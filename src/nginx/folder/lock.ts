/**
 * One controller per run folder. The lock is the kernel's (flock) on a file that this process keeps
 * open, so it ends with the process in every case; there are no stale locks to remove by hand. Node
 * cannot call flock(2), but the command `flock` can, on an open file that it gets as standard
 * input. The lock belongs to the open file, which this process keeps, and not to the command, which
 * ends at once.
 */
import { type FileHandle, open } from "node:fs/promises";

import { fileError } from "../../base/file-errors.ts";
import { runToEnd } from "../process/run.ts";
import { readAndAppend, readOnly } from "./files.ts";

export type Locked =
  | { readonly ok: true; readonly release: () => Promise<void> }
  | { readonly ok: false; readonly why: string };

/** Takes the lock at `path`, or returns who has it. It never waits. */
export async function lock(path: string): Promise<Locked> {
  const file = await opened(path).catch((error: Error) => error);
  if (file instanceof Error) return { ok: false, why: `The run folder cannot be used: ${path}: ${fileError(file)}.` };
  const failure = await flock(file);
  if (failure === undefined) {
    // A read-only disk can be locked, but keeps the number of the process before.
    await file
      .truncate()
      .then(() => file.write(`${process.pid}\n`))
      .catch(() => {});
    return { ok: true, release: () => file.close() };
  }
  const why = failure === "held" ? await heldBy(file) : `the command flock (package util-linux) failed: ${failure}`;
  await file.close();
  return { ok: false, why: `The run folder cannot be used: ${why}.` };
}

/** Opens the file for reading alone if the disk is read-only: the kernel locks it all the same. */
async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, readAndAppend, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EROFS") return open(path, readOnly);
    throw error;
  }
}

/** Returns undefined when this process has the lock. */
async function flock(file: FileHandle): Promise<string | undefined> {
  const run = await runToEnd("flock", ["--nonblock", "0"], { stdin: file.fd });
  if (!run.ended) return run.why;
  return run.exitCode === 0 ? undefined : run.exitCode === 1 ? "held" : `exit code ${run.exitCode}`;
}

async function heldBy(file: FileHandle): Promise<string> {
  const holder = (await file.readFile("utf8")).trim();
  return `another controller${holder === "" ? "" : `, process ${holder},`} is using it`;
}
