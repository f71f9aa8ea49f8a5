/**
 * Request bodies of routes. A body goes to the backend as it comes in, so that no client fills the
 * disk or the memory of nginx. What has to keep a body, such as a retry or a mirror, keeps a small
 * one only.
 */
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  createSecureServer,
  type ServerHttp2Stream,
} from "node:http2";
import { type AddressInfo, connect, createServer as createServerOfSockets, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { KubernetesObject, Service } from "../../../src/core/model/objects.ts";
import { installedNginx } from "../../nginx/support/installed.ts";
import { until } from "../../nginx/support/until.ts";
import { bySettings, gateway, gatewayClass, listener, route, routeSettings } from "../../support/gateways.ts";
import { secret, service, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";
import { pki } from "../tenants/authority.ts";

const { modsecurity } = await installedNginx();
const address = "192.0.2.74";
const own = "192.0.2.64";
const world = worldOf({ mode: "dynamic", flags: [`--gateway-addresses=${address}`] });
const host = "a.example";
const megabyte = 1_048_576;

/** What a backend has got: the bytes of each request's body. */
const got: number[] = [];
const count = (chunks: AsyncIterable<Buffer>, at: number) =>
  (async () => {
    for await (const chunk of chunks) got[at]! += chunk.length;
  })();
const plain: Server = createServer(async (request, response) => {
  const at = got.push(0) - 1;
  const { url = "" } = request;
  if (url.includes("early")) return void response.writeHead(200).end("early");
  await count(request, at);
  const isFirst = got.length === 1;
  response.writeHead(url.includes("fails") && isFirst ? 503 : 200).end(`${got[at]}`);
});
async function answerHttp2(stream: ServerHttp2Stream): Promise<void> {
  const at = got.push(0) - 1;
  await count(stream, at);
  stream.respond({ ":status": 200 });
  stream.end(`${got[at]}`);
}
const overHttp2 = createHttp2Server().on("stream", answerHttp2);
const overTls = createSecureServer({ cert: pki.tls.certificate, key: pki.tls.key }).on("stream", answerHttp2);
/** Uses FastCGI. Counts the bytes of the records of type 5, of which an empty one is the last. */
const overFastCgi = createServerOfSockets((socket) => {
  let rest = Buffer.alloc(0);
  const at = got.push(0) - 1;
  socket
    .on("error", () => {})
    .on("data", (data) => {
      rest = Buffer.concat([rest, data]);
      while (rest.length >= 8 && rest.length >= 8 + rest.readUInt16BE(4) + rest[6]!) {
        const [type, bytes] = [rest[1], rest.readUInt16BE(4)];
        rest = rest.subarray(8 + bytes + rest[6]!);
        if (type === 5) got[at]! += bytes;
        if (type !== 5 || bytes > 0) continue;
        const answer = Buffer.from(`Status: 200\r\n\r\n${got[at]}`);
        socket.end(
          Buffer.concat([
            Buffer.from([1, 6, 0, 1, 0, answer.length, 0, 0]),
            answer,
            Buffer.from("0103000100080000", "hex"),
            Buffer.alloc(8),
          ]),
        );
      }
    });
});

beforeAll(async () => {
  plain.listen(0, own);
  for (const server of [overHttp2, overTls, overFastCgi]) server.listen(0, own);
  await Promise.all([plain, overHttp2, overTls, overFastCgi].map((server) => once(server, "listening")));
});
afterAll(() => {
  plain.close();
  plain.closeAllConnections();
  for (const server of [overHttp2, overTls, overFastCgi]) server.close();
});

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
const up = { name: "up", port: 80 };
const copies = { name: "copies", port: 80 };
const mirror = { type: "RequestMirror", requestMirror: { backendRef: copies } };
const path = (value: string) => [{ path: { type: "PathPrefix", value } }];
const auth = {
  type: "ExternalAuth",
  externalAuth: { protocol: "HTTP", backendRef: { name: "auth", port: 80 }, forwardBody: { maxSize: 60_000 } },
};

beforeEach(() => {
  got.splice(0);
  const tls = { certificateRefs: [{ group: "", kind: "Secret", name: "pair" }] };
  const [h2c, ...slices] = service("h2c", own, portOf(overHttp2)) as [Service, ...KubernetesObject[]];
  const ports = h2c.spec!.ports!.map((one) => ({ ...one, appProtocol: "kubernetes.io/h2c" }));
  const changed: Service = { ...h2c, spec: { ...h2c.spec, ports } };
  return world.apply(
    ...[gatewayClass(), secret("pair", { "tls.crt": pki.tls.certificate, "tls.key": pki.tls.key })],
    settings({ "kept-body-size": "64k" }),
    gateway({ listeners: [listener({}), listener({ name: "tls", port: 443, protocol: "HTTPS", tls })] }),
    ...[...service("up", own, portOf(plain)), changed, ...slices],
    ...[...service("copies", world.auth.address, world.auth.port)],
    ...[...service("auth", world.auth.address, world.auth.port)],
    route({
      hostnames: [host],
      rules: [
        { matches: path("/plain"), backendRefs: [up] },
        { matches: path("/h2c"), backendRefs: [{ name: "h2c", port: 80 }] },
        { matches: path("/retry"), backendRefs: [up], retry: { attempts: 2, codes: [503] } },
        { matches: path("/pause"), backendRefs: [up], retry: { attempts: 2, codes: [503], backoff: "1ms" } },
        { matches: path("/mirror"), backendRefs: [up], filters: [mirror] },
        { matches: path("/auth"), backendRefs: [up], filters: [auth] },
      ],
    }),
  );
});

/** The process ids of nginx's workers here. */
function workers(): string[] {
  const here = readlinkSync("/proc/self/ns/net");
  return readdirSync("/proc").filter((pid) => {
    try {
      const isWorker = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("worker process");
      return /^\d+$/.test(pid) && isWorker && readlinkSync(`/proc/${pid}/ns/net`) === here;
    } catch {
      // No process, or one that has ended.
      return false;
    }
  });
}

/** The bytes on disk in files that nginx has open and that have no name, as those of bodies. */
function onDisk(): number {
  return workers()
    .flatMap((pid) => readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`))
    .map((file) => {
      try {
        return readlinkSync(file).endsWith("(deleted)") ? statSync(file).size : 0;
      } catch {
        // The file was closed meanwhile.
        return 0;
      }
    })
    .reduce((sum, size) => sum + size, 0);
}

interface Upload {
  send(bytes: number): Promise<void>;
  /** Ends the body, and resolves with everything that came back. */
  end(): Promise<string>;
  /** Everything that has come back so far. */
  answer(): string;
}

/** Begins a request over HTTP/1.1 whose body comes in parts. */
async function upload(to: string, framing: string, more = ""): Promise<Upload> {
  const socket: Socket = connect({ host: address, port: 80 });
  onTestFinished(() => void socket.destroy());
  let answer = "";
  socket.setEncoding("latin1").on("data", (data) => {
    answer += data;
  });
  socket.on("error", () => {});
  const ended = new Promise<void>((resolve) => void socket.on("close", () => resolve()));
  socket.write(`POST ${to} HTTP/1.1\r\nHost: ${host}\r\n${framing}\r\n${more}Connection: close\r\n\r\n`);
  const isChunked = framing.includes("chunked");
  const write = (data: string) => new Promise<void>((resolve) => void socket.write(data, () => resolve()));
  return {
    send: (bytes) => {
      const data = "x".repeat(bytes);
      return write(isChunked ? `${bytes.toString(16)}\r\n${data}\r\n` : data);
    },
    end: async () => {
      if (isChunked) await write("0\r\n\r\n");
      await ended;
      return answer;
    },
    answer: () => answer,
  };
}

const framings = (bytes: number) => [`Content-Length: ${bytes}`, "Transfer-Encoding: chunked"] as const;
const size = 8 * megabyte;

describe("a large body reaches the backend before its end, and nothing of it is on the disk", () => {
  // A mirror and retries give way to a body that is too large to be kept.
  const paths = ["/plain", "/h2c", "/retry", "/pause", "/mirror"];
  test.each(paths.flatMap((to) => framings(size).map((framing) => ({ to, framing }))))(
    "over HTTP/1.1 for $to with $framing",
    async ({ to, framing }) => {
      const body = await upload(to, framing);
      await body.send(megabyte);
      await until("the first bytes", () => (got[0] ?? 0) > 0);
      for (let sent = megabyte; sent < size - megabyte; sent += megabyte) await body.send(megabyte);
      await until("seven megabytes", () => got[0]! > size - 2 * megabyte);
      expect(onDisk()).toBeLessThan(65_536);
      await body.send(megabyte);
      expect(await body.end()).toContain(`${size}`);
      expect(got).toEqual([size]);
      expect(world.auth.asked).toEqual([]);
    },
  );

  test.each(paths)("over HTTP/2 for %s", async (to) => {
    const session = connectHttp2(`https://${address}:443`, { rejectUnauthorized: false, servername: host });
    const stream = session.request({ ":path": to, ":method": "POST", ":authority": host }, { endStream: false });
    stream.write(Buffer.alloc(megabyte));
    await until("the first bytes", () => (got[0] ?? 0) > 0);
    stream.write(Buffer.alloc(3 * megabyte));
    await until("the next megabytes", () => got[0]! > 3 * megabyte);
    expect(onDisk()).toBeLessThan(65_536);
    stream.end(Buffer.alloc(megabyte));
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    expect(headers[":status"]).toBe(200);
    await until("the whole body", () => got[0] === 5 * megabyte);
    session.destroy();
  });
});

test("a body that is small enough is sent again, and copied", async () => {
  for (const to of ["/retry/fails", "/pause/fails"]) {
    got.splice(0);
    const body = await upload(to, "Content-Length: 50000");
    await body.send(50_000);
    expect.soft(await body.end(), to).toContain("HTTP/1.1 200");
    expect.soft(got, to).toEqual([50_000, 50_000]);
  }
  got.splice(0);
  const body = await upload("/mirror", "Content-Length: 50000");
  await body.send(50_000);
  expect(await body.end()).toContain("HTTP/1.1 200");
  await until("the copy", () => world.auth.asked.length === 1);
  expect(world.auth.asked[0]!.body).toHaveLength(50_000);
});

test("a body that is too large is not sent again", async () => {
  for (const to of ["/retry/fails", "/pause/fails"])
    for (const framing of framings(megabyte)) {
      got.splice(0);
      const body = await upload(to, framing);
      await body.send(megabyte);
      expect.soft(await body.end(), `${to} ${framing}`).toMatch(/HTTP\/1.1 50[23]/);
      expect.soft(got, `${to} ${framing}`).toEqual([megabyte]);
    }
});

test("an auth service with forwardBody sees the whole body, or the request gets 413", async () => {
  for (const [bytes, status] of [
    [50_000, 200],
    [70_000, 413],
    [5 * megabyte, 413],
  ] as const)
    for (const framing of framings(bytes)) {
      got.splice(0);
      world.auth.forget();
      const body = await upload("/auth", framing);
      await body.send(bytes);
      expect.soft(await body.end(), `${framing} ${bytes}`).toContain(`HTTP/1.1 ${status}`);
      expect.soft(onDisk()).toBeLessThan(128 * 1024);
      const seen = status === 200 ? [bytes] : [];
      expect.soft([got, world.auth.asked.map((one) => one.body.length)], `${framing} ${bytes}`).toEqual([seen, seen]);
    }
});

test("an auth service refuses before the body is read", async () => {
  world.auth.answer = (_, response) => response.writeHead(403).end();
  const externalAuth = { protocol: "HTTP", backendRef: { name: "auth", port: 80 } };
  const rules = [
    { backendRefs: [up], filters: [{ type: "ExternalAuth", externalAuth }, mirror], retry: { codes: [503] } },
  ];
  await world.apply(route({ hostnames: [host], rules }));
  const body = await upload("/x", "Content-Length: 50000", "Expect: 100-continue\r\n");
  await until("the answer", () => body.answer().includes("HTTP/1.1 403"));
  expect(body.answer()).not.toContain("100 Continue");
  expect(got).toEqual([]);
});

test("a backend that answers early is heard", async () => {
  const body = await upload("/plain/early", `Content-Length: ${size}`);
  await body.send(1000);
  await until("the answer", () => body.answer().includes("early"));
});

test("the bodies that are kept for all requests together take a bounded part of the disk", async () => {
  const bodies: Upload[] = [];
  for (let at = 0; at < 300; at++) {
    const body = await upload("/retry", "Content-Length: 60000");
    await body.send(59_000);
    bodies.push(body);
  }
  // The bodies without a place go on to the backend.
  await until("the bodies without a place", () => got.filter((bytes) => bytes === 59_000).length > 100);
  expect(onDisk()).toBeLessThanOrEqual(workers().length * 128 * 65_536);
  for (const body of bodies) await body.send(1000);
  const answers = await Promise.all(bodies.map((body) => body.end()));
  expect(answers.filter((answer) => !answer.includes("HTTP/1.1 200"))).toEqual([]);
  expect(got).toEqual(Array(300).fill(60_000));
  // All places are free again.
  got.splice(0);
  const body = await upload("/retry/fails", "Content-Length: 60000");
  await body.send(60_000);
  await body.end();
  expect(got).toEqual([60_000, 60_000]);
});

describe("RouteSettings", () => {
  const withSettings = (values: Readonly<Record<string, string>>) =>
    world.apply(
      routeSettings({ values }),
      route({ hostnames: [host], rules: [{ backendRefs: [up], filters: [bySettings()] }] }),
    );

  test("mirror-target copies a small body, and no request with a large one", async () => {
    await withSettings({ "mirror-target": `${world.auth.origin}/copy` });
    for (const framing of framings(size)) {
      got.splice(0);
      const large = await upload("/x", framing);
      await large.send(megabyte);
      await until("the first bytes", () => (got[0] ?? 0) > 0);
      await large.send(size - megabyte);
      expect.soft(onDisk()).toBeLessThan(65_536);
      expect.soft(await large.end(), framing).toContain(`${size}`);
      expect.soft(world.auth.asked, framing).toEqual([]);
    }
    const small = await upload("/x", "Content-Length: 50000");
    await small.send(50_000);
    expect(await small.end()).toContain("50000");
    await until("the copy", () => world.auth.asked.length === 1);
    expect(world.auth.asked[0]!.body).toHaveLength(50_000);
  });

  test("a body in chunks for a backend that takes none is limited", async () => {
    await withSettings({ "proxy-http-version": "1.0" });
    const small = await upload("/x", "Transfer-Encoding: chunked");
    await small.send(50_000);
    expect(await small.end()).toContain("50000");
    const large = await upload("/x", "Transfer-Encoding: chunked");
    await large.send(size);
    expect(await large.end()).toContain("HTTP/1.1 413");
    const known = await upload("/x", `Content-Length: ${size}`);
    await known.send(size);
    expect(await known.end()).toContain(`${size}`);
  });

  test.each([
    ["GRPC", overHttp2],
    ["GRPCS", overTls],
    ["FCGI", overFastCgi],
  ] as const)("a body for a backend of %s goes to it as it comes in", async (protocol, server) => {
    await world.apply(
      ...service("special", own, portOf(server)),
      routeSettings({ values: { "backend-protocol": protocol } }),
      route({ hostnames: [host], rules: [{ backendRefs: [{ name: "special", port: 80 }], filters: [bySettings()] }] }),
    );
    for (const framing of framings(size)) {
      got.splice(0);
      const body = await upload("/x", framing);
      if (protocol === "FCGI" && framing.includes("chunked")) {
        // FastCGI has no chunks, so such a body is limited.
        await body.send(size);
        expect.soft(await body.end()).toContain("HTTP/1.1 413");
        expect.soft(got.filter((bytes) => bytes > 0)).toEqual([]);
        continue;
      }
      await body.send(megabyte);
      await until("the first bytes", () => (got[0] ?? 0) > 0);
      await body.send(size - megabyte);
      expect.soft(onDisk(), framing).toBeLessThan(65_536);
      expect.soft([await body.end(), got], framing).toEqual([expect.stringContaining(`${size}`), [size]]);
    }
    got.splice(0);
    const small = await upload("/x", "Transfer-Encoding: chunked");
    await small.send(50_000);
    expect([await small.end(), got]).toEqual([expect.stringContaining("50000"), [50_000]]);
  });

  test("proxy-request-buffering and proxy-body-size keep their meaning", async () => {
    await withSettings({ "proxy-request-buffering": "on", "proxy-body-size": "1m" });
    for (const framing of framings(2 * megabyte)) {
      const large = await upload("/x", framing);
      await large.send(2 * megabyte);
      expect.soft(await large.end(), framing).toContain("HTTP/1.1 413");
    }
    expect(got).toEqual([]);
    const body = await upload("/x", "Content-Length: 500000");
    await body.send(400_000);
    await until("the body on the disk", () => onDisk() > 300_000);
    expect(got).toEqual([]);
    await body.send(100_000);
    expect(await body.end()).toContain("500000");
  });

  test("a body that ModSecurity reads has the limit of Ingresses, or that of the settings", async (context) => {
    if (!modsecurity) context.skip("nginx has no ModSecurity module: npm run setup installs it where Debian has it");
    const on = { "enable-modsecurity": "true" };
    const status = async (bytes: number, framing: string) => {
      const body = await upload("/x", framing);
      // A connection may stay open if its request was refused while ModSecurity waited for it.
      void body.send(bytes).then(() => body.end());
      const found = () => /^HTTP\/1.1 (?!100)(\d+)/m.exec(body.answer())?.[1];
      await until("the answer", () => found() !== undefined);
      return Number(found());
    };
    for (const [ofRoute, ofAll, bytes, expected] of [
      [on, {}, 500_000, 200],
      [on, {}, 2 * megabyte, 413],
      [{ ...on, "proxy-body-size": "4m" }, {}, 2 * megabyte, 200],
      [{ "proxy-read-timeout": "9" }, on, 2 * megabyte, 413],
      [{ "proxy-read-timeout": "9" }, {}, 2 * megabyte, 200],
    ] as const) {
      await world.apply(settings({ "kept-body-size": "64k", ...ofAll }));
      await withSettings(ofRoute);
      for (const framing of framings(bytes))
        expect
          .soft([await status(bytes, framing), onDisk() < megabyte], `${framing} ${JSON.stringify([ofRoute, ofAll])}`)
          .toEqual([expected, true]);
    }
  });

  test("proxy-next-upstream with a status sends a small body again", async () => {
    await withSettings({ "proxy-next-upstream": "error http_503 non_idempotent" });
    const body = await upload("/fails", "Content-Length: 50000");
    await body.send(50_000);
    expect(await body.end()).toContain("HTTP/1.1 200");
    expect(got).toEqual([50_000, 50_000]);
  });
});

test("the log says once for a namespace that bodies are not kept", async () => {
  const file = join(world.runFolder, "errors.log");
  await world.apply(settings({ "kept-body-size": "64k", "error-log-path": file }));
  for (let at = 0; at < 5; at++) {
    const body = await upload("/retry", "Content-Length: 100000");
    await body.send(100_000);
    expect(await body.end()).toContain("HTTP/1.1 200");
  }
  const lines = readFileSync(file, "utf8").match(/a body for a route of ns was not kept/g) ?? [];
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(workers().length);
});
