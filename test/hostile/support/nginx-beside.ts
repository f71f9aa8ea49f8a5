/** Starts nginx as in a container of its own, in a process that takes orders over a socket. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type FoundNginx, openRunFolder, remoteNginx } from "../../../src/nginx/index.ts";

const program = join(import.meta.dirname, "../../../src/main.ts");

export interface NginxBeside {
  readonly nginx: FoundNginx;
  readonly end: () => Promise<void>;
}

/** `root` is the run folder that both processes share. */
export async function nginxBeside(root: string): Promise<NginxBeside> {
  const opened = openRunFolder(root);
  if (!opened.ok) throw new Error(opened.why);
  const socket = join(opened.folder.sockets, "nginx.sock");
  const child = spawn("node", [program, "nginx", `--nginx-socket=${socket}`, `--run-folder=${root}`], {
    stdio: "ignore",
  });
  const waiting = { limitMs: 100_000, onWait: () => {}, signal: AbortSignal.timeout(100_000) };
  return {
    nginx: await remoteNginx(socket, opened.folder, waiting),
    end: async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
