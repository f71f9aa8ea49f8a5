/**
 * Starts an nginx master, recognises one that already runs, and notices its end. The master has a
 * session of its own, so neither Ctrl-C nor a closing terminal reaches it. Its working folder is
 * the run folder, so that its workers can be found even when the master is dead. Settings of the
 * process (`daemon`, `pid`, the instance) are on its command line; a configuration must not repeat
 * them.
 */
import { closeSync, openSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { attempt, callback } from "../../base/callbacks.ts";
import { textIn } from "../../base/text-in.ts";
import { nginxEnvironment } from "../allocator.ts";
import { overwrite } from "../folder/files.ts";
import type { RunFolder } from "../folder/paths.ts";
import { nginxProcess, nginxProcesses } from "./processes.ts";
import { guardCommand } from "./watchdog.ts";

export interface Master {
  readonly pid: number;
  /**
   * Resolves, with words such as `code 1` or `signal SIGKILL`, when the master has ended. Its
   * workers may still run.
   */
  readonly gone: Promise<string>;
  /** Ends the watchdog. Call it only after the master and all its workers have ended. */
  readonly forget: () => void;
}

export interface MasterSetup {
  readonly binary: string;
  readonly folder: RunFolder;
  /**
   * With true, nginx ends together with this process, even on SIGKILL, and its output arrives as
   * lines. Its stdout and stderr are then sockets, so the configuration has `stderr`, never
   * `/dev/stderr`. With false, nginx outlives this process, inherits its stdout and stderr, and is
   * found again by `adoptMaster`.
   */
  readonly endWithController: boolean;
  readonly onLine: (line: string) => void;
}

/**
 * Starts nginx with `folder.conf`. It may not serve yet when this function returns. `instance` must
 * be new.
 */
export async function startMaster(setup: MasterSetup, instance: string): Promise<Master | Error> {
  const { binary, folder, endWithController } = setup;
  try {
    writeFileSync(folder.instance, instance, { mode: 0o600, flag: overwrite as never });
    for (const path of [folder.emergencies, folder.upstreamErrors]) closeSync(openSync(path, overwrite, 0o600));
  } catch (error) {
    return error as Error;
  }
  // execa may neither end the master nor keep its output, which both outlive this process.
  const options = {
    ...{ cwd: folder.root, env: nginxEnvironment(), extendEnv: false },
    ...{ detached: true, cleanup: false, buffer: false, reject: false },
  } as const;
  const args = argumentsFor(folder, instance);
  const [guard, ...guardArgs] = guardCommand();
  const child = endWithController
    ? execa(guard, [...guardArgs, binary, ...args], { ...options, stdio: ["ignore", "pipe", "pipe", "pipe"] })
    : execa(binary, args, { ...options, stdio: ["ignore", "inherit", "inherit"] });
  if (child.pid === undefined) {
    const { originalMessage = "" } = await child;
    return new Error(`${binary} cannot be started: ${originalMessage.replaceAll("\n", ": ")}`);
  }
  // The promise of execa is no help: it waits for the ends of pipes, which workers still hold.
  const gone = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal === null ? `code ${code}` : `signal ${signal}`));
  });
  const leash = child.stdio[3];
  for (const stream of [child.stdout, child.stderr]) if (stream) eachLine(stream, setup.onLine);
  if (!endWithController) child.unref();
  return { pid: child.pid, gone, forget: () => leash?.destroy() };
}

/**
 * Finds the nginx that an earlier controller left serving in this folder, if its pid file, group
 * and instance all match.
 */
export function adoptMaster(folder: RunFolder): Master | undefined {
  const [pid, instance] = [Number(textIn(folder.pid)), textIn(folder.instance).trim()];
  const found = nginxProcesses(folder).find((one) => one.pid === pid && one.role === "master");
  if (found === undefined || found.group !== pid || instance === "") return undefined;
  if (!found.title.includes(instanceDirective(instance))) return undefined;
  return { pid, gone: seenGone(folder, pid), forget: () => {} };
}

/**
 * Returns the arguments. With `-e` and `error_log` the reasons for failed starts and reloads are
 * always in one file, wherever the other log lines go.
 */
function argumentsFor(folder: RunFolder, instance: string): readonly string[] {
  const quoted = JSON.stringify;
  const identity = instanceDirective(instance);
  const directives = `${identity} daemon off; pid ${quoted(folder.pid)}; error_log ${quoted(folder.emergencies)} alert;`;
  return ["-p", folder.root, "-c", folder.conf, "-g", directives, "-e", folder.emergencies];
}

const instanceDirective = (instance: string): string => `env SLUICE_INSTANCE=${instance};`;

/**
 * Resolves when the process has ended. The kernel does not report the end of a process that is not
 * our child, so it is checked four times a second.
 */
async function seenGone(folder: RunFolder, pid: number): Promise<string> {
  const runs = async () => nginxProcess(pid, folder.conf)?.role === "master";
  // A check that fails says nothing: a second nginx beside this one would end its workers.
  while ((await attempt("the look at nginx's master", runs)) !== false) await delay(250, undefined, { ref: false });
  return "unknown";
}

function eachLine(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8").on(
    "data",
    callback("the log of nginx", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(line);
    }),
  );
}
