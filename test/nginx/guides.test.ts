/**
 * Applies the YAML of docs/guides exactly as it is printed, in front of echo backends, in both
 * modes, and checks that each guide gets the answers that it promises. The test creates the
 * Services that a guide only names, and replaces the names of auth services by addresses, because
 * no cluster resolves them here.
 */

import { createSocket, type Socket as Datagrams } from "node:dgram";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, request as httpRequest, type Server } from "node:http";
import { createServer as createHttp2Server, type Http2Server } from "node:http2";
import { connect, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../src/core/model/problem.ts";
import type { Field } from "../../src/core/policies/declare.ts";
import { featureList } from "../../src/core/policies/registry.ts";
import { type Mode, type Subject, startSubject } from "../parity/subject.ts";
import { type EchoBackends, type Seen, startEchoBackends } from "../support/echo-backend.ts";
import { pkiIn } from "../support/pki.ts";
import { backedService, ingressClass } from "../support/sketch.ts";
import { datagramAnswer } from "./support/datagram.ts";
import {
  addressOf,
  applied,
  authAddress,
  blocks,
  certificateFor,
  fragments,
  modsecurity,
  objects,
  ports,
  prefix,
  secret,
  services,
  streamAddress,
  streamService,
  together,
  withProxyProtocol,
} from "./support/guides.ts";
import { request, requestHttp2 } from "./support/request.ts";
import { until } from "./support/until.ts";

const root = join(import.meta.dirname, "../..");

let folder: string;
let secrets: readonly KubernetesObject[];
let echo: EchoBackends;
let grpc: Http2Server;
let talk: Server;
let tcp: TcpServer;
let udp: Datagrams;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "guides-"));
  const { backend } = await pkiIn(folder);
  const own = services.filter(([, { name }]) => !(name in ports)).map(([, { name }]) => addressOf(name));
  echo = await startEchoBackends({ addresses: [...own, authAddress], ...backend });
  grpc = createHttp2Server().on("stream", (stream, headers) => {
    stream.respond({ "content-type": "application/grpc", "x-path": headers[":path"] });
    stream.end("quote");
  });
  grpc.listen(ports.quotes, addressOf("quotes"));
  talk = createHttpServer().on("upgrade", (_request, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
    socket.pipe(socket).on("error", () => {});
  });
  talk.listen(ports.talk, addressOf("talk"));
  tcp = createTcpServer((socket) => socket.on("error", () => {}).end("ready\n")).listen(15_432, streamAddress);
  udp = createSocket("udp4").bind(15_353, streamAddress);
  udp.on("message", (message, from) => udp.send(`name of ${message}`, from.port, from.address));
  await Promise.all([grpc, talk, tcp, udp].map((server) => once(server, "listening")));
  secrets = [
    secret("letters", "letters-tls", await certificateFor(folder, "letters", ["letters.example.com"])),
    secret("quotes", "quotes-tls", await certificateFor(folder, "quotes", ["quotes.example.com"])),
    secret("maps", "maps-wildcard", await certificateFor(folder, "maps", ["*.maps.example.com"])),
    secret("ingress-nginx", "wildcard-tls", await certificateFor(folder, "wildcard", ["*.apps.example.com"])),
  ];
});
afterAll(async () => {
  await echo.stop();
  for (const server of [grpc, talk, tcp, udp]) server.close();
  rmSync(folder, { recursive: true });
});

test("each guide has YAML, and is on the page that lists the guides", () => {
  const pages = globSync("*.md", { cwd: join(root, "docs/guides") }).filter((page) => page !== "README.md");
  expect(pages.filter((page) => !blocks.some(({ guide }) => `${guide}.md` === page))).toEqual([]);
  const list = readFileSync(join(root, "docs/guides/README.md"), "utf8");
  expect(pages.filter((page) => !list.includes(`(${page})`))).toEqual([]);
});

test("annotations outside of whole objects are valid", () => {
  const fields = featureList.flatMap(([, { fields }]) => Object.values(fields) as readonly Field<unknown>[]);
  const values = fragments.flatMap(({ metadata }) => Object.entries(metadata.annotations as Record<string, string>));
  const bad = values.filter(([key, value]) => {
    const field = fields.find((one) => `${prefix}${one.key}` === key);
    return field === undefined || !field.kind.read(value).ok;
  });
  expect(values.length).toBeGreaterThan(0);
  expect(bad).toEqual([]);
});

describe.each([
  ["dynamic", 8920],
  ["static", 8930],
] as const)("%s mode", (mode: Mode, port: number) => {
  const to = `192.0.2.1:${port}`;
  const secureTo = `192.0.2.1:${port + 1}`;
  let subject: Subject;
  let problems: readonly Problem[] = [];

  const controllerConfigMap = (data: Record<string, string>) =>
    ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "ingress-nginx-controller", namespace: "ingress-nginx" },
      data,
    }) as KubernetesObject;

  beforeAll(async () => {
    const backends = services.flatMap(
      ([
        key,
        {
          name,
          port: { number },
        },
      ]) => {
        const target = ports[name] ?? 8080;
        const namespace = key.split("/")[0]!;
        const [service, slice] = backedService({ name, namespace, addresses: [addressOf(name)], port: target });
        return [{ ...service!, spec: { ports: [{ port: number, targetPort: target }] } } as KubernetesObject, slice!];
      },
    );
    subject = await startSubject({
      mode,
      flags: [
        ...["http", "https", "default-server", "status"].map((name, at) => `--${name}-port=${port + at}`),
        "--default-ssl-certificate=ingress-nginx/wildcard-tls",
        "--tcp-services-configmap=ingress-nginx/tcp-services",
        "--udp-services-configmap=ingress-nginx/udp-services",
      ],
      objects: [
        ingressClass,
        controllerConfigMap(together),
        ...backends,
        ...streamService("postgres", 5432, "TCP"),
        ...streamService("names", 5353, "UDP"),
        ...secrets,
        ...objects.map(applied),
      ],
      onProblems: (found) => {
        problems = found;
      },
    });
    await subject.settled();
  });
  afterAll(() => subject.stop());

  const seenBy = (body: string) => JSON.parse(body) as Seen;

  test("the guides' objects cause no Problems", () => {
    const names = new Set(objects.map(({ metadata }) => metadata.name));
    const found = problems.filter(({ object }) => names.has(object.name)).map(sentence);
    // docs/differences.md lists what nginx cannot do without Lua.
    const known = (one: string) => mode === "static" && /\bstatic mode (cannot|passes)/.test(one);
    expect(found.filter((one) => !known(one))).toEqual([]);
  });

  test.each([
    ["notes.example.com", "https://notes.example.com/oauth2/start?rd=", "x-auth-request-user"],
    ["wiki.example.com", "https://auth.example.com?rm=GET", "remote-user"],
    ["photos.example.com", "https://photos.example.com/outpost.goauthentik.io/start?rd=", undefined],
  ])("in the guide about auth services %s requires a session", async (host, signIn, header) => {
    const without = await request({ to, host, path: "/a?b=c" });
    expect([without.status, without.headers.location]).toEqual([302, expect.stringContaining(signIn)]);
    const within = await request({ to, host, headers: { cookie: "session=1" } });
    expect(within.status).toBe(200);
    if (header !== undefined) expect(seenBy(within.body).headers[header]).toBe("ann");
  });

  test("in the guide about auth services the sign-in pages are open, and authentik gets the host", async () => {
    expect((await request({ to, host: "notes.example.com", path: "/oauth2/start" })).status).toBe(200);
    const forged = { "x-forwarded-host": "forged.example" };
    await request({ to, host: "photos.example.com", headers: forged });
    const path = "/outpost.goauthentik.io/x?echo-recall=asked";
    const { headers } = seenBy((await request({ to, host: "photos.example.com", path })).body);
    expect(headers["x-forwarded-host"]).toBe("photos.example.com");
  });

  test.each([
    ["letters.example.com", "letters"],
    ["chat.apps.example.com", "wildcard"],
    ["a.maps.example.com", "maps"],
  ])("in the guide about certificates %s has the certificate %s", async (host, commonName) => {
    const answer = await request({ to: secureTo, host, sni: host });
    expect([answer.status, answer.certificate]).toEqual([200, commonName]);
    expect((await request({ to, host })).status).toBe(308);
  });

  test("in the guide about canaries a header, a cookie and a weight choose the Service", async () => {
    const host = "cart.example.com";
    const backendOf = async (headers: Record<string, string>) =>
      seenBy((await request({ to, host, headers })).body).backend;
    expect(await backendOf({ "X-Canary": "always" })).toBe(addressOf("cart-next"));
    expect(await backendOf({ "X-Canary": "never", cookie: "canary=always" })).toBe(addressOf("cart"));
    expect(await backendOf({ cookie: "canary=always" })).toBe(addressOf("cart-next"));
    const drawn = await Promise.all(Array.from({ length: 150 }, () => backendOf({})));
    expect([...new Set(drawn)].toSorted()).toEqual([addressOf("cart"), addressOf("cart-next")].toSorted());
  });

  test("in the guide about gRPC a call passes over HTTP/2", async () => {
    const host = "quotes.example.com";
    const headers = { "content-type": "application/grpc", te: "trailers" };
    const answer = await requestHttp2({
      to: secureTo,
      host,
      sni: host,
      method: "POST",
      path: "/quotes.v1.Quotes/Get",
      headers,
    });
    expect([answer.status, answer.headers["x-path"], answer.body]).toEqual([200, "/quotes.v1.Quotes/Get", "quote"]);
  });

  test("in the guide about websockets a websocket opens", async () => {
    const headers = { host: "talk.example.com", connection: "Upgrade", upgrade: "websocket" };
    const asked = httpRequest({ host: "192.0.2.1", port, path: "/", headers }).end();
    const [, socket] = (await once(asked, "upgrade")) as [unknown, import("node:net").Socket];
    socket.write("hello");
    expect(`${(await once(socket, "data"))[0]}`).toBe("hello");
    socket.destroy();
  });

  test("in the guide about TCP and UDP both reach their Services", async () => {
    expect(await text(connect(5432, "192.0.2.1"))).toBe("ready\n");
    expect(await datagramAnswer("host", 5353, "192.0.2.1")).toBe("name of host");
  });

  test("in the guide about client addresses lists and backends get the forwarded address", async () => {
    const host = "office.example.com";
    expect((await request({ to, host })).status).toBe(403);
    const answer = await request({ to, host, headers: { "x-forwarded-for": "203.0.113.9" } });
    expect([answer.status, seenBy(answer.body).headers["x-real-ip"]]).toEqual([200, "203.0.113.9"]);
  });

  test("in the guide about rate limits further requests get 429, and an exempted client has no limit", async () => {
    const host = "login.example.com";
    const statuses = (headers: Record<string, string>) =>
      Promise.all(Array.from({ length: 40 }, async () => (await request({ to, host, headers })).status));
    const seen = new Set<number>();
    await until("a request over the limit", async () => {
      for (const status of await statuses({})) seen.add(status);
      return seen.has(429);
    });
    expect([...seen].toSorted()).toEqual([200, 429]);
    expect(new Set(await statuses({ "x-forwarded-for": "10.1.2.3" }))).toEqual(new Set([200]));
  });

  test("in the guide about ModSecurity the rule refuses its requests, and no others", async (context) => {
    if (!modsecurity) context.skip("nginx has no ModSecurity module: npm run setup installs it where Debian has it");
    const host = "forum.example.com";
    expect((await request({ to, host, path: "/?q=%3Cscript%3E" })).status).toBe(403);
    expect((await request({ to, host, path: "/?q=script" })).status).toBe(200);
  });

  test("in the guide about client addresses the PROXY protocol gives the address", async () => {
    await subject.apply([controllerConfigMap(withProxyProtocol)]);
    await subject.settled();
    const asked = async (client: string) => {
      const socket = connect(port, "192.0.2.1");
      const head = "GET / HTTP/1.1\r\nHost: office.example.com\r\nConnection: close\r\n\r\n";
      socket.write(`PROXY TCP4 ${client} 192.0.2.1 4000 80\r\n${head}`);
      return (await text(socket)).split("\r\n")[0];
    };
    expect(await asked("203.0.113.9")).toBe("HTTP/1.1 200 OK");
    expect(await asked("198.51.100.9")).toBe("HTTP/1.1 403 Forbidden");
  });
});
