/**
 * The ports of this machine, or of the Pod, on which a program listens. Linux lists them in
 * /proc/net, so no attempt to listen is needed, which an open port below 1024 might not permit.
 */
import { readFile } from "node:fs/promises";

const tables = [
  ["tcp", "/proc/net/tcp"],
  ["tcp", "/proc/net/tcp6"],
  ["udp", "/proc/net/udp"],
  ["udp", "/proc/net/udp6"],
] as const;

/** Returns ports such as `tcp/5432`. A table that is missing, as without IPv6, counts as empty. */
export async function portsInUse(): Promise<ReadonlySet<string>> {
  const read = tables.map(async ([protocol, path]) => portsOf(protocol, await readFile(path, "utf8").catch(() => "")));
  return new Set((await Promise.all(read)).flat());
}

/** Lines are `0: 0100007F:1F90 00000000:0000 0A …`. 0A is a TCP socket that listens. */
export function portsOf(protocol: "tcp" | "udp", table: string): readonly string[] {
  const lines = table.matchAll(/^ *\d+: [\dA-F]+:([\dA-F]{4}) \S+ ([\dA-F]{2}) /gm);
  return [...lines].flatMap(([, port, state]) =>
    protocol === "udp" || state === "0A" ? [`${protocol}/${Number.parseInt(port!, 16)}`] : [],
  );
}
