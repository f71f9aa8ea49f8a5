/**
 * `nginx -t`: tests whether nginx accepts a text. The test opens files and sockets but serves
 * nothing, and does not notice a port that another program holds: that shows only when the text is
 * applied.
 */
import { nginxEnvironment } from "./allocator.ts";
import type { RunFolder } from "./folder/paths.ts";
import { runToEnd } from "./process/run.ts";
import { machineFault } from "./process/start-failure.ts";

export type TestOutcome = { readonly kind: "accepted"; readonly warnings: readonly string[] } | Refused | Unreachable;

/**
 * The text could not be tested, or failed for a reason outside of it, so another try may succeed.
 */
export interface Unreachable {
  readonly kind: "unreachable";
  readonly cause: Error;
  /** The address that the machine refused, if the failure is about one. */
  readonly names?: string;
}

export interface Refused {
  readonly kind: "refused";
  /** The output of nginx, with the name that the file will have when it is live. */
  readonly stderr: string;
  /** The place that nginx named, if it named one. Lines are counted from 1. */
  readonly at?: { readonly file: string; readonly line: number };
  /**
   * The failure has a cause outside the text, such as a file or a host name, so the same text may
   * pass later.
   */
  readonly mayPass?: true;
  /** The file in the error, if nginx names no line. */
  readonly names?: string;
}

/**
 * Tests the text in `file` with the nginx at `binary`. It may take long, because nginx resolves
 * host names in the text.
 */
export async function testText(
  { binary, folder, limitMs }: { readonly binary: string; readonly folder: RunFolder; readonly limitMs: number },
  file: string,
  signal: AbortSignal,
): Promise<TestOutcome> {
  const directives = `pid ${JSON.stringify(`${folder.temp}/test.pid`)};`;
  const args = ["-t", "-p", folder.root, "-c", file, "-e", "stderr", "-g", directives];
  // nginx opens /dev/stdout for logs. So the test gets the stdout of the running nginx, and not a
  // socket of Node's, which cannot be opened.
  const run = await runToEnd(binary, args, {
    ...{ cwd: folder.root, env: nginxEnvironment() },
    ...{ stdout: "inherit", signal, limitMs },
  });
  if (!run.ended) return { kind: "unreachable", cause: new Error(`${binary} -t failed: ${run.why}`) };
  const printed = run.stderr.replaceAll(file, folder.conf);
  return run.exitCode === 0 ? { kind: "accepted", warnings: warningsIn(printed) } : refusal(printed);
}

/** Returns the warnings among the messages of a test or start. */
export const warningsIn = (log: string): readonly string[] => log.split("\n").filter((line) => line.includes("[warn]"));

/**
 * Interprets a failed test by the output of `nginx -t`. The line number is at the end of nginx's
 * last message; similar words in earlier messages may be text of a user. A port that nginx may not
 * bind, or a lack of memory, is not a mistake in the text.
 */
export function refusal(output: string): Refused | Unreachable {
  const stderr = output
    .split("\n")
    .filter((line) => !/^nginx: (the )?configuration file /.test(line))
    .join("\n")
    .trim();
  const words = /\[(?:emerg|alert)\] (?:\d+#\d+: )?(.*)/.exec(stderr)?.[1] ?? "";
  const fault = machineFault(words);
  if (fault !== undefined) {
    const { sentence, ...names } = fault;
    return { kind: "unreachable", cause: new Error(`${sentence}.`), ...names };
  }
  const place = /^(?:.* )?in (\S[^\n]*):(\d+)$/.exec(stderr.slice(stderr.lastIndexOf("\n") + 1));
  const file = place === null ? /^(?:open|mkdir)\(\) "(.+)" failed \(\d+: [^)]*\)$/.exec(words)?.[1] : undefined;
  return {
    kind: "refused",
    stderr,
    ...(place === null ? {} : { at: { file: place[1]!, line: Number(place[2]) } }),
    ...(file === undefined ? {} : { names: file }),
    ...(file !== undefined || /^host not found in /.test(words) ? { mayPass: true } : {}),
  };
}
