import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { portsInUse, portsOf } from "./ports-in-use.ts";

test("ports are read from Linux's tables, of TCP only those that listen", () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000
   1: 0100007F:A1B2 0100007F:1F90 01 00000000:00000000
`;
  expect(portsOf("tcp", table)).toEqual(["tcp/8080"]);
  expect(portsOf("udp", table)).toEqual(["udp/8080", "udp/41394"]);
  expect(portsOf("tcp", "")).toEqual([]);
});

test("a port is in use while a program listens on it", async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  expect(await portsInUse()).toContain(`tcp/${port}`);
  await new Promise((resolve) => server.close(resolve));
  expect(await portsInUse()).not.toContain(`tcp/${port}`);
});
