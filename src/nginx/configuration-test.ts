/**
 * `nginx -t`: asks nginx whether it would take a text. The test opens files and sockets but serves nothing, and does not
 * notice a port that another program holds: that shows only when the text is applied.
 */
import { execa } from "execa";
import type { RunFolder } from "./folder.ts";

export type TestOutcome =
  | { readonly kind: "accepted"; readonly warnings: readonly string[] }
  | Refused
  | { readonly kind: "unreachable"; readonly cause: Error };

export interface Refused {
  readonly kind: "refused";
  /** What nginx printed, with the file named as it will be called when it is live. */
  readonly stderr: string;
  /** The place nginx named, where it named one. Line numbers count from 1. */
  readonly at?: { readonly file: string; readonly line: number };
}

/** Tests `folder.candidateConf` with the nginx at `binary`. Resolving a host name in the text can take it long. */
export async function testCandidate(
  { binary, folder, limitMs }: { readonly binary: string; readonly folder: RunFolder; readonly limitMs: number },
  signal: AbortSignal,
): Promise<TestOutcome> {
  const directives = `pid ${JSON.stringify(`${folder.temp}/test.pid`)};`;
  const args = ["-t", "-p", folder.root, "-c", folder.candidateConf, "-e", "stderr", "-g", directives];
  const options = { cwd: folder.root, stdin: "ignore", reject: false, cancelSignal: signal, timeout: limitMs } as const;
  const run = await execa(binary, args, options);
  if (run.exitCode === undefined) return { kind: "unreachable", cause: new Error(run.shortMessage) };
  const stderr = run.stderr.replaceAll(folder.candidateConf, folder.conf);
  if (run.exitCode !== 0) return refusal(stderr);
  return { kind: "accepted", warnings: stderr.split("\n").filter((line) => line.includes("[warn]")) };
}

/** What a refusal says, with the first place it names: `… in /run/nginx.conf:12`. */
export function refusal(stderr: string): Refused {
  const place = /\[emerg\].* in (\S.*):(\d+)$/m.exec(stderr);
  if (place === null) return { kind: "refused", stderr };
  return { kind: "refused", stderr, at: { file: place[1]!, line: Number(place[2]) } };
}
