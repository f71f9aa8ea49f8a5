/**
 * Answers whose bytes nginx would pass on without a frame: interim ones, switches of the protocol
 * that the client has not asked for, and answers without a status line. A proxy in front may share
 * its connection between clients, and what follows there would be the answer to another client.
 */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { raw } from "../../nginx/support/request.ts";
import { gateway, gatewayClass, route } from "../../support/gateways.ts";
import { get, overHttp2 } from "../support/http2-raw.ts";
import { ingress, service } from "../support/objects.ts";
import { exchange, statuses } from "../support/raw.ts";
import { worldOf } from "../support/world.ts";

const forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npwned\n";
const switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n";
const unframed: readonly (readonly [what: string, bytes: string])[] = [
  ["100", `HTTP/1.1 100 Continue\r\n\r\n${forged}`],
  ["102, several times", `${"HTTP/1.1 102 Processing\r\n\r\n".repeat(3)}${forged}`],
  ["103", `HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n${forged}`],
  ["199", `HTTP/1.1 199 More\r\nContent-Length: 0\r\n\r\n${forged}`],
  ["101 without a question", `${switching}${forged}`],
  ["no status line", `\r\n${forged}`],
];

const head = (host: string, more = "") => `GET / HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
/** Sends two requests, and the second one is for a host of another tenant. */
const both = `${head("a.example")}${head("neighbour.example", "Connection: close\r\n")}`;

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode, flags: mode === "dynamic" ? ["--gateway-addresses=192.0.2.70"] : [] });
  const answers =
    (bytes: string) =>
    ({ socket }: IncomingMessage) =>
      void socket.end(bytes, "latin1");
  /** The host a.example has the service that the test decides about; the neighbour has another. */
  const own = () => service("own", world.auth.address, world.auth.port);
  const a = (annotations = {}) => ingress({ name: "a", paths: [["/", "Prefix", "own"]], annotations });

  test.each(unframed)("nothing that follows an answer of %s reaches the client as an answer", async (what, bytes) => {
    await world.apply(...own(), a());
    world.auth.answer = answers(bytes);
    const received = await exchange(both);
    // Since 1.29 nginx itself drops the status 103, and the answer behind it is the answer.
    const isDropped = what === "103" && statuses(received)[0] === 200;
    expect(statuses(received)).toEqual(isDropped ? [200, 200] : []);
    expect(received.includes("pwned")).toBe(isDropped);
    expect((await world.ask("neighbour.example")).body).toBe("secret");
  });

  test("no backend switches a connection of HTTP/2 to another protocol", async () => {
    await world.apply(...own(), a());
    let asked = 0;
    world.auth.answer = ({ socket }) => {
      asked++;
      socket.write(`${switching}pwned`);
    };
    const upgrade = [["upgrade", "x"] as const, ["connection", "upgrade"] as const];
    // A frame RST_STREAM for the first request, and the answer to the second one.
    const isEnough = (bytes: string) => /pwned/.test(bytes) || (/\x03\0\0\0\0\x01/.test(bytes) && /secret/.test(bytes));
    const received = await overHttp2([get("a.example", upgrade), get("neighbour.example")], isEnough);
    expect(asked).toBe(1);
    expect(received).toContain("secret");
    expect(received).not.toContain("pwned");
  });

  test("a client that asks for another protocol over HTTP/1.1 gets it", async () => {
    await world.apply(...own(), a());
    world.auth.answer = answers(`${switching}hello`);
    const received = await exchange(head("a.example", "Upgrade: x\r\nConnection: upgrade\r\n"));
    expect([statuses(received), received.endsWith("\r\n\r\nhello")]).toEqual([[101], true]);
  });

  test("no backend of FastCGI switches a connection to another protocol", async () => {
    const [type, length] = [6, 40];
    const record = Buffer.concat([Buffer.from([1, type, 0, 1, 0, length, 0, 0]), Buffer.alloc(length, "\n")]);
    record.write("Status: 101\r\nUpgrade: x\r\n\r\npwned", 8);
    const server = createServer((socket) => socket.once("data", () => socket.end(record)).on("error", () => {}));
    server.listen(0, "192.0.2.62");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await world.apply(...service("own", "192.0.2.62", port), a({ "backend-protocol": "FCGI" }));
    const asking = head("a.example", "Upgrade: x\r\nConnection: upgrade\r\n");
    expect(await exchange(`${asking}${head("neighbour.example", "Connection: close\r\n")}`)).toBe("");
  });

  test("interim answers of an auth service and of a mirror end no request", async () => {
    const interim = answers("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    world.auth.answer = interim;
    await world.apply(ingress({ name: "b", annotations: { "mirror-target": world.auth.origin } }));
    expect((await world.ask("b.example")).body).toBe("secret");
    await world.apply(ingress({ name: "b", annotations: { "auth-url": `${world.auth.origin}/` } }));
    expect((await world.ask("b.example")).status).toBe(500);
  });

  test("the same holds for routes of the Gateway API", async (context) => {
    if (mode === "static") context.skip("static mode has no routes of the Gateway API");
    const rules = [{ backendRefs: [{ name: "own", port: 80 }] }];
    await world.apply(gatewayClass(), gateway({}), ...own(), route({ hostnames: ["a.example"], rules }));
    for (const [what, bytes] of unframed.filter(([what]) => what !== "103")) {
      world.auth.answer = answers(bytes);
      expect([what, await raw("192.0.2.70:80", head("a.example"))]).toEqual([what, ""]);
    }
  });
});
