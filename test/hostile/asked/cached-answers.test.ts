/**
 * Answers of auth services that nginx keeps (auth-cache-key). They are in the run folder, which all
 * tenants share and which may be in memory, so an answer without an end must not fill it.
 */
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../nginx/support/until.ts";
import { type Flood, mostSent, pour } from "../support/flood.ts";
import { ingress } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

/** Returns the bytes of all files below the folder. */
function bytesIn(folder: string): number {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((one) => one.isFile());
  return files.reduce((sum, { parentPath, name }) => {
    return sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode });

  test.each(["", "Content-Length: 100000000000\r\n", "Transfer-Encoding: chunked\r\n"])(
    "an answer without an end and with the header %j is not kept",
    async (header) => {
      const flood: Flood = { sent: 0, ended: false };
      const server = createServer((socket) => {
        const lead = header.startsWith("T") ? "fffffffff\r\n" : "";
        socket.once("data", () => {
          socket.write(`HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\n${header}\r\n${lead}`);
          pour(flood, socket);
        });
      });
      server.listen(0, "192.0.2.62");
      await once(server, "listening");
      onTestFinished(() => void server.close());
      const url = `http://192.0.2.62:${(server.address() as AddressInfo).port}/check`;
      await world.apply(ingress({ name: "a", annotations: { "auth-url": url, "auth-cache-key": "$remote_user" } }));
      const before = bytesIn(world.runFolder);
      expect((await world.ask("a.example")).body).toBe("secret");
      await until("the end of the answer", () => flood.ended, 30_000);
      expect(flood.sent).toBeLessThan(mostSent);
      expect(bytesIn(world.runFolder) - before).toBeLessThan(1_000_000);
    },
  );

  test("answers with a length, or without a body, are kept", async () => {
    for (const [name, status, headers] of [
      ["length", 200, { "Content-Length": "6" }],
      ["nothing", 204, {}],
    ] as const) {
      world.auth.answer = (_, response) => response.writeHead(status, headers).end(status === 204 ? "" : "let in");
      const annotations = {
        ...{ "auth-url": `${world.auth.origin}/check`, "auth-cache-key": "$remote_user" },
        "auth-cache-duration": "200 204 10m",
      };
      await world.apply(ingress({ name, annotations }));
      world.auth.forget();
      for (let at = 0; at < 3; at++) expect.soft((await world.ask(`${name}.example`)).body).toBe("secret");
      expect.soft([name, world.auth.asked.length]).toEqual([name, 1]);
    }
  });
});
