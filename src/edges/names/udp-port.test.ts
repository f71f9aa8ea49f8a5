import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { answerOnUdp } from "./udp-port.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function bound(port = 0): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind(port, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

async function freePort(): Promise<number> {
  const socket = await bound();
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}

/** Sends until an answer arrives, because a lost datagram is no mistake. */
async function asks(port: number, question: string): Promise<string> {
  const client = await bound();
  const repeated = setInterval(() => client.send(question, port, "127.0.0.1"), 20);
  try {
    const [answer] = (await once(client, "message")) as [Buffer];
    return answer.toString();
  } finally {
    clearInterval(repeated);
    client.close();
  }
}

test("a question whose answer fails or is missing leaves the port answering", async () => {
  const port = await freePort();
  const answer = async (message: Buffer) => {
    if (message.toString() === "throw") throw new Error("no");
    return message.toString() === "none" ? undefined : Buffer.from(`re: ${message}`);
  };
  closers.push(answerOnUdp({ port, answer, onBusy: () => {} }));
  const client = await bound();
  closers.push(() => client.close());
  for (const odd of ["throw", "none", ""]) client.send(odd, port, "127.0.0.1");
  expect(await asks(port, "name")).toBe("re: name");
});

test("a port that another program holds is reported once, and answers when it is free", async () => {
  const other = await bound();
  const { port } = other.address();
  const busy: string[] = [];
  const answer = async () => Buffer.from("mine");
  const { promise, resolve } = Promise.withResolvers<void>();
  const onBusy = (why: string) => resolve(void busy.push(why));
  closers.push(answerOnUdp({ port, answer, onBusy }));
  await promise;
  await new Promise<void>((closed) => other.close(closed));
  expect(await asks(port, "name")).toBe("mine");
  expect(busy).toEqual([expect.stringContaining("EADDRINUSE")]);
});

test("a port that is closed while another program holds it is not tried again", async () => {
  const other = await bound();
  const { port } = other.address();
  const { promise, resolve } = Promise.withResolvers<void>();
  const close = answerOnUdp({ port, answer: async () => Buffer.from("mine"), onBusy: () => resolve() });
  await promise;
  await close();
  await new Promise<void>((closed) => other.close(closed));
  const again = await bound(port);
  again.close();
});
