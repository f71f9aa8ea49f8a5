/** Runs a program to its end and collects its stderr. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export interface RunOptions {
  readonly cwd?: string;
  /** Replaces the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * With `inherit` the program gets the stdout of this process, and not a socket of Node's.
   * Otherwise its stdout is discarded.
   */
  readonly stdout?: "inherit";
  readonly signal?: AbortSignal;
  readonly limitMs?: number;
}

export type Ran =
  | { readonly ended: true; readonly exitCode: number; readonly stderr: string }
  /** `why` completes a sentence about the program. */
  | { readonly ended: false; readonly why: string };

/**
 * Runs the program and never rejects. On `signal` and after `limitMs` the program is killed,
 * because nginx does not end on SIGTERM during a test.
 */
export async function runToEnd(binary: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd, env, stdout = "ignore", signal, limitMs } = options;
  const child = spawn(binary, args, {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    stdio: ["ignore", stdout, "pipe"],
    killSignal: "SIGKILL",
    ...(signal === undefined ? {} : { signal }),
    ...(limitMs === undefined ? {} : { timeout: limitMs }),
  });
  const stderr = text(child.stderr!).catch(() => "");
  return new Promise((resolve) => {
    child.on("error", ({ message }) => resolve({ ended: false, why: `could not be run: ${message}` }));
    child.on("close", async (exitCode, killed) =>
      resolve(
        exitCode === null
          ? { ended: false, why: `was ended by ${killed}` }
          : { ended: true, exitCode, stderr: await stderr },
      ),
    );
  });
}
