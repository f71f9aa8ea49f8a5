/** Browsers on real sockets: one that reads, and one that has stopped reading. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import type { TrafficEvent } from "../api/events.ts";
import { Live } from "./live.ts";

/** One event. Real ones have a hundred bytes, and would take days to fill the kernel's buffers. */
const eventBytes = 1_000_000;
/** More than the kernel holds for one connection. */
const mostEvents = 100;

test("a browser that stops reading is disconnected, holds one event at most, and does not delay others", async () => {
  const clock = new FakeClock();
  const live = new Live({
    clock,
    marks: () => ({ overview: [], routes: [], problems: [], certificates: [], gateways: [], shadow: [] }),
    traffic: () => "x".repeat(eventBytes) as unknown as TrafficEvent["traffic"],
    onChange: () => () => {},
    watched: () => {},
  });
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    responses.push(response);
    live.listen(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    live.close();
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const listening = async () => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "data");
    return socket;
  };
  const stuck = await listening();
  stuck.pause();
  let read = 0;
  (await listening()).on("data", (bytes: Buffer) => {
    read += bytes.length;
  });
  const [left, reader] = responses as [ServerResponse, ServerResponse];
  let [events, most] = [0, 0];
  while (!left.destroyed && events < mostEvents) {
    await clock.advance(5_000);
    events++;
    most = Math.max(most, left.writableLength);
    await expect
      .poll(() => [reader.writableNeedDrain, read >= events * eventBytes], { timeout: 60_000 })
      .toEqual([false, true]);
  }
  expect(left.destroyed).toBe(true);
  expect(reader.destroyed).toBe(false);
  expect(most).toBeLessThan(eventBytes + 100_000);
});
