/**
 * Finds ports that no other program uses: the wanted ones, or the next free ones above them. Two
 * `sluice serve` on one machine can so have the same command line but for the ports that clients
 * know.
 */
import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { flags as declared, type Flags } from "../flags.ts";

/**
 * The flags of ports that only nginx, the controller and the operator of this machine use. Those of
 * http, https and health are known to others, so they never move by themselves.
 */
const ownPorts = {
  defaultServerPort: "tcp",
  nameCheckPort: "udp",
  profilerPort: "tcp",
  statusPort: "tcp",
  streamPort: "udp",
} as const satisfies Partial<Record<keyof Flags, Protocol>>;

type Protocol = "tcp" | "udp";
type OwnPort = keyof typeof ownPorts;

/** A port that another program uses, the one that is used in its place, and its flag. */
export interface MovedPort {
  readonly flag: string;
  readonly busy: number;
  readonly port: number;
}

/**
 * Replaces each busy port of Sluice's own by the next free one, unless the command line names the
 * port: then its user gets an error that names the flag.
 */
export async function withFreePorts(
  flags: Flags,
  named: ReadonlySet<keyof Flags>,
): Promise<{ readonly flags: Flags; readonly moved: readonly MovedPort[] }> {
  const ports: Partial<Record<OwnPort, number>> = {};
  const moved: MovedPort[] = [];
  const taken = new Set([
    flags.httpPort,
    flags.httpsPort,
    flags.healthzPort,
    flags.uiPort ?? 0,
    ...own(flags).map(([name]) => flags[name]),
  ]);
  for (const [name, protocol] of own(flags)) {
    const busy = flags[name];
    if (named.has(name) || !(await isBusy(busy, protocol))) continue;
    const port = await nextFree(busy + 1, taken, protocol);
    taken.add(port);
    ports[name] = port;
    moved.push({ flag: `--${declared[name].name}`, busy, port });
  }
  return { flags: { ...flags, ...ports }, moved };
}

function own({ profiling }: Flags): readonly (readonly [OwnPort, Protocol])[] {
  const all = Object.entries(ownPorts) as readonly (readonly [OwnPort, Protocol])[];
  return all.filter(([name]) => name !== "profilerPort" || profiling);
}

/**
 * Returns the first free port from `wanted` on. `taken` are ports that this program has assigned
 * already.
 */
export async function nextFree(
  wanted: number,
  taken: ReadonlySet<number> = new Set(),
  protocol: Protocol = "tcp",
): Promise<number> {
  for (let port = wanted; port <= 65_535; port += 1)
    if (!taken.has(port) && (await refusalOf[protocol](port)) === undefined) return port;
  throw new Error(`no port from ${wanted} is free`);
}

/** Whether another program uses the port. A port without the right to it is not busy. */
export async function isBusy(port: number, protocol: Protocol = "tcp"): Promise<boolean> {
  return (await refusalOf[protocol](port)) === "EADDRINUSE";
}

/** Returns the error code of opening the port; undefined if that works. */
const refusalOf = {
  /** On any address. */
  async tcp(port: number): Promise<string | undefined> {
    const server = createServer();
    const code = await new Promise<string | undefined>((resolve) => {
      server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      server.listen(port, () => resolve(undefined));
    });
    if (code === undefined) await new Promise((resolve) => server.close(resolve));
    return code;
  },
  /** On 127.0.0.1, where the controller answers nginx. */
  async udp(port: number): Promise<string | undefined> {
    const socket = createSocket("udp4");
    const code = await new Promise<string | undefined>((resolve) => {
      socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      socket.bind(port, "127.0.0.1", () => resolve(undefined));
    });
    await new Promise<void>((resolve) => socket.close(resolve));
    return code;
  },
};
