/**
 * Finds the nginx processes of a run folder in /proc. The pid file is not used: after a SIGKILL it
 * names a process that is gone, or an unrelated one. The nginx processes of a run folder are those
 * whose working folder it is, because each was started there. Folders are compared by identity and
 * not by path: other containers that are visible in /proc have the same path.
 */
import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";

export interface NginxProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /**
   * `starting` is a master that still reads its first configuration. `forked` is a child of a
   * master whose role is not visible yet. A `worker` accepts connections. `helper` is a cache
   * manager or the like.
   */
  readonly role: "starting" | "master" | "forked" | "worker" | "helper";
  /** Whether it is ending: it finishes its requests and accepts no new connection. */
  readonly draining: boolean;
  /** The title that `ps` shows. The title of a master contains its command line. */
  readonly title: string;
}

/**
 * Returns every nginx process that was started in `root`. `conf` is the file with which a master
 * was started.
 */
export function nginxProcesses({ root, conf }: { readonly root: string; readonly conf: string }): NginxProcess[] {
  const home = folderAt(root);
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const all = pids.flatMap((pid) => {
    const found = nginxProcess(Number(pid), conf);
    const place = found === undefined ? undefined : folderAt(`/proc/${pid}/cwd`);
    return found !== undefined && place?.ino === home?.ino && place?.dev === home?.dev ? [found] : [];
  });
  const masters = new Set(all.flatMap(({ pid, role }) => (role === "master" ? [pid] : [])));
  return all.map((one) => (one.role === "master" && masters.has(one.parent) ? { ...one, role: "forked" } : one));
}

/**
 * Whether a master has no more work, so that it accepts signals. Before that, it may still start
 * workers of an older text. The result is true if the kernel does not show this.
 */
export function isIdle(master: number): boolean {
  try {
    const blocked = /^SigBlk:\s*([0-9a-f]+)$/m.exec(read(`/proc/${master}/status`))?.[1] ?? "0";
    return (BigInt(`0x${blocked}`) & 1n) === 0n; // of SIGHUP, which is number 1
  } catch {
    return true;
  }
}

/**
 * Returns undefined when `pid` is gone or is not an nginx. A process that has ended, but whose
 * parent has not waited for it, counts as gone.
 */
export function nginxProcess(pid: number, conf: string): NginxProcess | undefined {
  const title = titleOf(pid);
  const role = roleOf(title, conf);
  const ids = role === undefined ? undefined : idsOf(pid);
  if (role === undefined || ids === undefined) return undefined;
  return { pid, ...ids, role, draining: title.includes(" is shutting down"), title };
}

/**
 * Returns the role of a process by its title. A starting master has the command line of
 * `master.ts`, which neither the watchdog nor `nginx -t` has.
 */
function roleOf(title: string, conf: string): NginxProcess["role"] | undefined {
  if (title.startsWith("nginx: master process ")) return title.includes(` -c ${conf} `) ? "master" : undefined;
  if (title.startsWith("nginx: worker process")) return "worker";
  if (title.startsWith("nginx: ")) return "helper";
  return /^\S+ -p /.test(title) && title.includes(` -c ${conf} `) ? "starting" : undefined;
}

function titleOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trimEnd();
}

/**
 * Reads fields 4 and 5 of /proc/PID/stat. The name before them is in brackets and may hold any
 * character.
 */
function idsOf(pid: number): { readonly parent: number; readonly group: number } | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const [, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group === undefined ? undefined : { parent: Number(parent), group: Number(group) };
}

function folderAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns an empty text if there is no file, because a process may end at any time. Throws if this
 * program has no descriptor left, which says nothing about the process.
 */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (/^E[MN]FILE$/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return "";
  }
}
