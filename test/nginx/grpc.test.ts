/**
 * Tests gRPC as its libraries use it, in both modes: a server with Node's own HTTP/2 and a client
 * over TLS. Most servers refuse a call without `te: trailers`.
 */
import { once } from "node:events";
import { connect, createServer, type Http2Server, type IncomingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Mode, type Subject, startSubject } from "../parity/subject.ts";
import { ingressClass } from "../support/sketch.ts";
import { ingress, service } from "./support/shop.ts";

const httpsPort: Readonly<Record<Mode, number>> = { dynamic: 8762, static: 8772 };
const backendAddress = "192.0.2.77";
const subjects: Subject[] = [];
let backend: Http2Server;

beforeAll(async () => {
  backend = createServer();
  backend.on("stream", (stream, headers) => {
    text(stream).then((message) => {
      stream.respond({ "content-type": "application/grpc", "x-te": headers.te ?? "none" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "7", "grpc-message": "no" }));
      stream.end(message.toUpperCase());
    }, stream.destroy.bind(stream));
  });
  backend.listen(0, backendAddress);
  await once(backend, "listening");
});
afterAll(async () => {
  await Promise.all(subjects.map((subject) => subject.stop()));
  backend.close();
});

interface Called {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly message: string;
}

async function call(port: number, message: string): Promise<Called> {
  const session = connect(`https://192.0.2.1:${port}`, { rejectUnauthorized: false });
  const pseudo = { ":method": "POST", ":path": "/pkg.Service/Call", ":authority": "grpc.example" };
  const stream = session.request({ ...pseudo, "content-type": "application/grpc", te: "trailers" });
  let trailers: IncomingHttpHeaders = {};
  stream.on("trailers", (found) => {
    trailers = found;
  });
  const response = once(stream, "response");
  stream.end(message);
  const [headers] = (await response) as [IncomingHttpHeaders];
  const answer = await text(stream);
  session.close();
  return { headers, trailers, message: answer };
}

test.each(["dynamic", "static"] as const)("a call's trailers go both ways in %s mode", async (mode) => {
  const port = httpsPort[mode];
  const flags = ["http", "https", "default-server", "status"].map((name, at) => `--${name}-port=${port - 1 + at}`);
  const { port: backendPort } = backend.address() as AddressInfo;
  const grpc = ingress("grpc", "grpc.example", "grpc", { "backend-protocol": "GRPC", "proxy-body-size": "2m" });
  const objects = [ingressClass, ...service("grpc", [backendAddress], backendPort), grpc];
  const subject = await startSubject({ mode, flags, objects });
  subjects.push(subject);
  await subject.settled();
  const message = "m".repeat(1_000_000);
  expect(await call(port, message)).toMatchObject({
    headers: { ":status": 200, "x-te": "trailers" },
    trailers: { "grpc-status": "7", "grpc-message": "no" },
    message: message.toUpperCase(),
  });
});
