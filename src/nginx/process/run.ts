/** Runs a program to its end and collects its stderr. */
import { execa } from "execa";

export interface RunOptions {
  readonly cwd?: string;
  /** Replaces the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** The number of an open file. Without it the program has no input. */
  readonly stdin?: number;
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
  /** `why` is what execa says, without the command: `Command timed out after 100 milliseconds`. */
  | { readonly ended: false; readonly why: string };

/** The most characters that a program may print, enough for 20,000 warnings of nginx. */
export const outputLimit = 4 * 1024 * 1024;

/**
 * Runs the program and never rejects. On `signal` and after `limitMs` the program is killed,
 * because nginx does not end on SIGTERM during a test. Its stderr is closed when it prints too
 * much, which ends every program that does not ignore SIGPIPE.
 */
export async function runToEnd(binary: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd = "/", env, stdin = "ignore", stdout = "ignore", signal, limitMs } = options;
  const limits = { killSignal: "SIGKILL", maxBuffer: outputLimit } as const;
  const run = await execa(binary, args, {
    // execa passes on an open file of any number, although its types end at 9.
    ...{ cwd, stdin: stdin as "ignore" | 9, stdout, stderr: "pipe", reject: false, ...limits },
    ...(env === undefined ? {} : { env, extendEnv: false }),
    ...(signal === undefined ? {} : { cancelSignal: signal }),
    ...(limitMs === undefined ? {} : { timeout: limitMs }),
  });
  if (run.exitCode !== undefined && !run.isMaxBuffer)
    return { ended: true, exitCode: run.exitCode, stderr: run.stderr };
  const { shortMessage = "", escapedCommand } = run;
  return { ended: false, why: shortMessage.replace(`: ${escapedCommand}`, "").replaceAll("\n", ": ") };
}
