/**
 * Which nginx processes belong to a run folder, read from /proc. A pid file is not asked: after a
 * SIGKILL it names a process that is gone, or one that is somebody else's by now. Ours are the
 * nginx processes whose working folder is the run folder, because every one of them was started
 * there. Folders are compared as such and not by their paths: where other containers can be seen in
 * /proc, theirs has the same path.
 */
import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";

export interface NginxProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /**
   * `starting` is a master that still reads its first configuration; `forked` is a child of a
   * master that does not say yet what it is; a `worker` accepts connections; `helper` is a cache
   * manager and the like.
   */
  readonly role: "starting" | "master" | "forked" | "worker" | "helper";
  /** It was signalled to end and only finishes what it has: it accepts no new connection. */
  readonly draining: boolean;
  /** As `ps` shows it; a master's has its command line in it. */
  readonly title: string;
}

/** Every nginx process started in `root`. `conf` is what a master was started with. */
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
 * Whether a master has done all that was asked of it: only then does it let signals in. Until then
 * it may start workers of a text that it was given before. True where the kernel does not say.
 */
export function isIdle(master: number): boolean {
  const blocked = /^SigBlk:\s*([0-9a-f]+)$/m.exec(read(`/proc/${master}/status`))?.[1] ?? "0";
  return (BigInt(`0x${blocked}`) & 1n) === 0n; // of SIGHUP, which is number 1
}

/**
 * Undefined when `pid` is gone or is no nginx. A process that has ended but was not yet waited for
 * counts as gone.
 */
export function nginxProcess(pid: number, conf: string): NginxProcess | undefined {
  const title = titleOf(pid);
  const role = roleOf(title, conf);
  const ids = role === undefined ? undefined : idsOf(pid);
  if (role === undefined || ids === undefined) return undefined;
  return { pid, ...ids, role, draining: title.includes(" is shutting down"), title };
}

/**
 * A master that is starting has the command line of `master.ts`, which the watchdog and `nginx -t`
 * do not begin with.
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

/** Fields 4 and 5 of /proc/PID/stat; the name before them is in brackets and may hold anything. */
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

/** A process may end between two looks at it; what is gone reads as nothing. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
