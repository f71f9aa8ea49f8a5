/** A program of this repository as a process of its own, with its output. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export class Program {
  readonly child: ChildProcess;
  readonly #lines: string[] = [];
  #complaints = "";
  readonly #closed: Promise<unknown>;

  /** `script` is a path from the root of the repository. */
  constructor(script: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [`${root}${script}`, ...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#closed = once(this.child, "close");
    let rest = "";
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() as string;
      this.#lines.push(...lines);
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints += text;
    });
  }

  /** Whole lines of stdout. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  get complaints(): string {
    return this.#complaints;
  }

  /**
   * Sends the signal and returns the exit code, or null when the signal ended it; all output has
   * been read by then.
   */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    await this.#closed;
    return this.child.exitCode;
  }
}
