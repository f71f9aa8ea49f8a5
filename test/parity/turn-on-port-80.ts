/**
 * One subject after another on port 80: test files run side by side in one network namespace, and two nginx processes that share
 * a port would answer for each other. Who waits for his turn asks for a listener that only one process can have.
 */
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const turn = { port: 20_080, host: "127.0.0.1" };
let holder: Server | undefined;
let users = 0;

/** Resolves with what gives the turn back. The subjects of one process share theirs. */
export async function turnOnPort80(): Promise<() => void> {
  users++;
  while (holder === undefined) {
    holder = await listener();
    if (holder === undefined) await sleep(50);
  }
  return () => {
    users--;
    if (users > 0) return;
    holder?.close();
    holder = undefined;
  };
}

function listener(): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ ...turn, exclusive: true }, () => resolve(server.unref()));
  });
}
