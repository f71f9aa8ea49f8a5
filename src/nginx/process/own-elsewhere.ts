/**
 * Finds an nginx of Sluice that uses an address and belongs to another run folder, or to one that
 * was deleted. Without this, a message would call it another program.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { textIn } from "../../base/text-in.ts";

/** Returns words about the nginx that listens on `address`; undefined if it is not of Sluice. */
export function ownElsewhere(address: string): string | undefined {
  const port = /:(\d+)$/.exec(address)?.[1];
  if (port === undefined) return undefined;
  const sockets = listeningOn(Number(port));
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const title = textIn(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
    const root = /^nginx: master process .*? -p (\S+) .*\benv SLUICE_INSTANCE=/.exec(title)?.[1];
    if (root !== undefined && socketsOf(pid).some((socket) => sockets.has(socket))) return wordsOf(pid, root);
  }
  return undefined;
}

function wordsOf(pid: string, root: string): string {
  const who = `an nginx of Sluice is using this address, process ${pid}, started in ${root}`;
  const isGone = targetOf(`/proc/${pid}/cwd`).endsWith(" (deleted)");
  const instead = isGone ? ", which was deleted" : `; --run-folder=${root} takes its place`;
  return `${who}${instead}; \`kill -QUIT ${pid}\` ends it`;
}

/** Returns the inodes of sockets that listen on the port; 0A is the state of such a socket. */
function listeningOn(port: number): ReadonlySet<string> {
  const digits = port.toString(16).toUpperCase().padStart(4, "0");
  const form = new RegExp(String.raw`^ *\d+: [\dA-F]+:${digits} \S+ 0A (?:\S+ +){5}(\d+) `, "gm");
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(textIn);
  return new Set(tables.flatMap((table) => [...table.matchAll(form)].map(([, inode]) => `socket:[${inode}]`)));
}

function socketsOf(pid: string): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => targetOf(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
