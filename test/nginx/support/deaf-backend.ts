/** A backend that listens and accepts no connection, so that connecting to it never ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { onTestFinished } from "vitest";

/**
 * Starts a server that is stopped as soon as it listens: the kernel accepts connections until its
 * queue is full, and then none.
 */
export async function listensDeafly(address: string): Promise<{ readonly port: number; readonly child: ChildProcess }> {
  const program = `const s = require("net").createServer(); s.listen({ host: "${address}", port: 0, backlog: 1 }, () => console.log(s.address().port));`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [data] = await once(child.stdout!, "data");
  child.kill("SIGSTOP");
  const port = Number(data);
  const waiting: Socket[] = [];
  onTestFinished(() => waiting.forEach((socket) => void socket.destroy()));
  for (let full = false; !full; ) {
    const socket = connectTcp(port, address);
    waiting.push(socket);
    full = !(await connects(socket));
  }
  return { port, child };
}

/**
 * Whether the kernel on the other side accepts the connection. Over loopback it does so at once or
 * not at all.
 */
async function connects(socket: Socket): Promise<boolean> {
  await Promise.race([once(socket, "connect"), delay(300)]);
  // This process may have been stopped meanwhile: data that arrived then is read in the next turn
  // of the event loop.
  for (let turns = 0; turns < 2; turns++) await turn();
  return !socket.connecting;
}
