/**
 * TLS listeners on a port that has requests as well, through a real nginx: HTTPS listeners of the
 * same Gateway, Ingresses, and Ingresses whose TLS passes through. Each of the three kinds of names
 * keeps its certificate, and each backend sees the client's address.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, get, type IncomingMessage } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import { connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createServer as createTlsServer, connect as tlsConnect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../src/core/model/problem.ts";
import { type Subject, startSubject } from "../parity/subject.ts";
import { type Pki, pkiIn } from "../support/pki.ts";

const group = "gateway.networking.k8s.io";
/** The address of Ingresses, and an address of the pool. */
const [machine, pooled] = ["192.0.2.1", "192.0.2.10"] as const;
const [client, backend] = ["192.0.2.100", "192.0.2.61"] as const;
const [http, https] = [8181, 8443] as const;

const folder = mkdtempSync(join(tmpdir(), "gateway-mixed-"));
const servers: Server[] = [];
let pki: Pki;

beforeAll(async () => {
  pki = await pkiIn(folder);
  const { backend: pair } = pki;
  const answering = (socket: Socket) =>
    socket.on("error", () => {}).on("data", (data) => socket.end(`stream ${data}`)) as Socket;
  const seen = async (asked: IncomingMessage) => {
    const { headers } = asked;
    const address = [headers["x-real-ip"], headers["x-forwarded-for"], headers["x-forwarded-port"]];
    return `${headers.host} ${address.join(" ")} ${headers["x-forwarded-proto"]} ${(await text(asked)).length}`;
  };
  servers.push(
    createServer(async (asked, answer) => answer.end(await seen(asked))).listen(7080, backend),
    createTcpServer(answering).listen(7000, backend),
    createTlsServer({ cert: pair.certificate, key: pair.key }, answering).listen(7443, backend),
  );
});

afterAll(() => {
  for (const one of servers) one.close();
  rmSync(folder, { recursive: true });
});

const metadata = (name: string, second = 0, namespace = "ns") => {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  return { name, namespace, uid: `${namespace}-${name}`, generation: 1, creationTimestamp };
};

const listener = (name: string, protocol: string, port: number, hostname: string, mode?: string) => ({
  ...{ name, protocol, port, hostname },
  allowedRoutes: { namespaces: { from: "All" } },
  tls: mode === "Passthrough" ? { mode } : { mode: "Terminate", certificateRefs: [{ name: "pair" }] },
});

const listenersOn = (port: number) => [
  listener("web", "HTTPS", port, "web.example"),
  listener("deep", "HTTPS", port, "deep.through.example"),
  listener("through", "TLS", port, "*.through.example", "Passthrough"),
  listener("ended", "TLS", port, "ended.example"),
];

const route = (kind: string, name: string, hostname: string, port: number, second = 0, namespace = "ns") => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: metadata(name, second, namespace),
  spec: {
    parentRefs: [{ name: "gw", namespace: "ns" }],
    hostnames: [hostname],
    rules: [{ backendRefs: [{ name: "backend", port }] }],
  },
});

const ingress = (name: string, host: string, port: number, annotations = {}) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { ...metadata(name), annotations },
  spec: {
    ingressClassName: "nginx",
    rules: [
      {
        host,
        http: {
          paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "backend", port: { number: port } } } }],
        },
      },
    ],
  },
});

const ports = [
  { name: "web", port: 80, to: 7080 },
  { name: "tcp", port: 70, to: 7000 },
  { name: "tls", port: 443, to: 7443 },
];

function objects(listeners: readonly object[], addresses: readonly object[]): KubernetesObject[] {
  const data = { "tls.crt": pki.backend.certificate, "tls.key": pki.backend.key };
  const base64 = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  const service = (namespace: string) => [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "backend", namespace },
      spec: { ports: ports.map(({ to, ...port }) => ({ ...port, protocol: "TCP", targetPort: to })) },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "backend-1", namespace, labels: { "kubernetes.io/service-name": "backend" } },
      addressType: "IPv4",
      endpoints: [{ addresses: [backend] }],
      ports: ports.map(({ name, to }) => ({ name, port: to, protocol: "TCP" })),
    },
  ];
  return [
    {
      apiVersion: `${group}/v1`,
      kind: "GatewayClass",
      metadata: { name: "sluice" },
      spec: { controllerName: "sluice.dev/gateway-controller" },
    },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "IngressClass",
      metadata: { name: "nginx" },
      spec: { controller: "k8s.io/ingress-nginx" },
    },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "pair", namespace: "ns" },
      type: "kubernetes.io/tls",
      data: Object.fromEntries(base64),
    },
    ...service("ns"),
    ...service("other"),
    {
      apiVersion: `${group}/v1`,
      kind: "Gateway",
      metadata: metadata("gw"),
      spec: { gatewayClassName: "sluice", addresses, listeners },
    },
    route("HTTPRoute", "web", "web.example", 80),
    route("HTTPRoute", "deep", "deep.through.example", 80),
    route("TLSRoute", "through", "*.through.example", 443),
    route("TLSRoute", "ended", "ended.example", 70),
    ingress("plain", "plain.example", 80),
    ingress("below", "below.through.example", 80),
  ] as unknown as KubernetesObject[];
}

interface Started {
  readonly subject: Subject;
  readonly sentences: () => readonly string[];
}

async function start(flags: readonly string[], all: readonly KubernetesObject[]): Promise<Started> {
  let problems: readonly Problem[] = [];
  const usual = [`--http-port=${http}`, `--https-port=${https}`, "--default-server-port=8182", "--status-port=10346"];
  const onProblems = (some: readonly Problem[]) => {
    problems = some;
  };
  const subject = await startSubject({ mode: "dynamic", flags: [...usual, ...flags], objects: all, onProblems });
  await subject.settled();
  return { subject, sentences: () => problems.map(sentence) };
}

/**
 * Sends a request, and returns what its backend saw: the host, the client's address twice, port and
 * scheme, and the bytes of the body.
 */
function web(host: string, at: { host: string; port: number }, headers = {}, body = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { ...at, servername: host, localAddress: client, rejectUnauthorized: false, agent: false };
    const asked = request({ ...options, method: "POST", headers: { host, ...headers } }, async (answer) => {
      const got = await text(answer);
      resolve(answer.statusCode === 200 ? got : String(answer.statusCode));
    });
    asked.on("error", reject).end(body);
  });
}

/** Sends a request over HTTP/2, with an upload. */
function overHttp2(host: string, at: { host: string; port: number }, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`https://${at.host}:${at.port}`, { servername: host, rejectUnauthorized: false });
    session.on("error", reject);
    const asked = session.request({ ":method": "POST", ":authority": host, ":path": "/" });
    asked.on("error", reject).end(body);
    text(asked).then((got) => {
      session.close();
      resolve(got);
    }, reject);
  });
}

/** Opens a stream, and returns the answer of its backend. */
function stream(servername: string, at: { host: string; port: number }): Promise<string> {
  return new Promise((resolve) => {
    let got = "";
    const socket = tlsConnect({ ...at, servername, rejectUnauthorized: false }, () => socket.write("hello"));
    socket.on("data", (data) => (got += data)).on("close", () => resolve(got === "" ? "closed" : got));
    socket.on("error", () => {});
  });
}

describe("a Gateway on an address of the pool", () => {
  const at = { host: pooled, port: https };
  let it: Started;

  beforeAll(async () => {
    const more = [
      ...listenersOn(https),
      { name: "tcp", protocol: "TCP", port: http },
      ...listenersOn(9443).map((one) => ({ ...one, name: `${one.name}-9443` })),
    ];
    it = await start([`--gateway-addresses=${pooled}`], objects(more, [{ value: pooled }]));
    await it.subject.apply([
      {
        ...route("TCPRoute", "tcp", "", 70),
        spec: {
          parentRefs: [{ name: "gw", sectionName: "tcp" }],
          rules: [{ backendRefs: [{ name: "backend", port: 70 }] }],
        },
      },
    ] as never);
    await it.subject.settled();
  });

  afterAll(() => it.subject.stop());

  test("lets requests and streams share a port by the name that a client sends", async () => {
    expect(it.sentences()).toEqual([]);
    for (const port of [https, 9443]) {
      const here = { host: pooled, port };
      expect(await web("web.example", here)).toBe(
        `web.example ${client} ${client} ${port === https ? 443 : port} https 0`,
      );
      expect(await web("deep.through.example", here)).toMatch(/^deep\.through\.example /);
      expect(await stream("any.through.example", here)).toBe("stream hello");
      expect(await stream("ended.example", here)).toBe("stream hello");
    }
  });

  test("answers a name that no listener has as it does without streams", async () => {
    expect(await web("unknown.example", at)).toBe("404");
  });

  test("accepts a megabyte over HTTP/2", async () => {
    expect(await overHttp2("web.example", at, Buffer.alloc(1_000_000, "x"))).toMatch(/ https 1000000$/);
  });

  test("may have streams on the ports of Ingresses, which stay on all other addresses", async () => {
    const answer = new Promise((resolve) => {
      const socket = connect({ port: http, host: pooled }, () => socket.write("hello"));
      socket.on("data", (data) => resolve(String(data)));
    });
    expect(await answer).toBe("stream hello");
    expect(await web("plain.example", { host: machine, port: https })).toBe(
      `plain.example ${client} ${client} 443 https 0`,
    );
    const plain = { host: machine, port: http, headers: { host: "plain.example" } };
    const status = await new Promise((resolve) => get(plain, (got) => resolve(got.resume().statusCode)));
    expect(status).toBe(200);
  });

  test("lets no client choose its own address, with and without trusted proxies", async () => {
    const forged = { "x-forwarded-for": "198.51.100.7", "x-original-forwarded-for": "198.51.100.8" };
    const configMap = (data: object) => [
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "ingress-nginx-controller", namespace: "ingress-nginx" },
        data,
      },
    ];
    expect(await web("web.example", at, forged)).toMatch(new RegExp(`^web.example ${client} `));
    for (const [cidr, address] of [
      ["203.0.113.0/24", client],
      [`${client}/32`, "198.51.100.7"],
    ]) {
      await it.subject.apply(configMap({ "use-forwarded-headers": "true", "proxy-real-ip-cidr": cidr }) as never);
      await it.subject.settled();
      for (const here of [at, { host: machine, port: https }]) {
        const host = here === at ? "web.example" : "plain.example";
        expect(await web(host, here, forged), `${cidr} ${host}`).toMatch(new RegExp(`^${host} ${address} `));
      }
    }
    await it.subject.apply(configMap({ "use-proxy-protocol": "true", "proxy-real-ip-cidr": `${client}/32` }) as never);
    await it.subject.settled();
    expect(await behindProxy("web.example", at)).toMatch(/^web.example 198.51.100.7 198.51.100.7 443 https /);
    await it.subject.apply(configMap({}) as never);
    await it.subject.settled();
  });
});

/** Does the same as `web`, from a proxy that sends the client's address. */
async function behindProxy(host: string, { host: address, port }: { host: string; port: number }): Promise<string> {
  const socket = connect({ port, host: address, localAddress: client });
  socket.write(`PROXY TCP4 198.51.100.7 ${address} 5000 443\r\n`);
  const secured = tlsConnect({ socket, servername: host, rejectUnauthorized: false });
  secured.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return (await text(secured)).split("\r\n").find((line) => line.startsWith(host)) ?? "";
}

describe.each(["", "--enable-ssl-passthrough"])("a port of Ingresses %s", (flag) => {
  const at = { host: machine, port: https };
  let it: Started;

  beforeAll(async () => {
    const passed = ingress("passed", "passed.example", 443, { "nginx.ingress.kubernetes.io/ssl-passthrough": "true" });
    const all = [...objects(listenersOn(443), []), ...(flag === "" ? [] : [passed])] as KubernetesObject[];
    it = await start(["--shared-gateway=ns/gw", ...(flag === "" ? [] : [flag])], all);
  });

  afterAll(() => it.subject.stop());

  test("has Ingresses, HTTPRoutes and TLSRoutes", async () => {
    expect(it.sentences()).toEqual([]);
    expect(await web("plain.example", at)).toBe(`plain.example ${client} ${client} 443 https 0`);
    expect(await web("web.example", at)).toBe(`web.example ${client} ${client} 443 https 0`);
    expect(await web("below.through.example", at), "an Ingress below a wildcard").toMatch(/^below/);
    expect(await web("deep.through.example", at)).toMatch(/^deep/);
    expect(await stream("any.through.example", at)).toBe("stream hello");
    expect(await stream("ended.example", at)).toBe("stream hello");
    if (flag !== "") expect(await stream("passed.example", at)).toBe("stream hello");
    expect(await web("unknown.example", at)).toBe("404");
    expect(await overHttp2("plain.example", at, Buffer.alloc(1_000_000, "x"))).toMatch(/ https 1000000$/);
  });

  test("leaves a name to its Ingress against a younger route of another namespace", async () => {
    const names = [listener("own", "TLS", 443, "plain.example", "Passthrough")];
    const gateway = objects([...listenersOn(443), ...names], []).filter(({ kind }) => kind === "Gateway");
    const young = route("TLSRoute", "plain", "plain.example", 443, 9, "other");
    await it.subject.apply([...gateway, young] as never);
    await it.subject.settled();
    expect(await web("plain.example", at)).toMatch(/^plain/);
    expect(it.sentences()).toContain(
      "spec.hostnames: the older Ingress ns/plain has host plain.example on the same port; its connections go there",
    );
    await it.subject.remove([young] as never);
    await it.subject.apply([route("TLSRoute", "plain", "plain.example", 443, 9)] as never);
    await it.subject.settled();
    expect(await stream("plain.example", at)).toBe("stream hello");
    expect(it.sentences()).toContain(
      "spec.rules: TLSRoute ns/plain of the same namespace has host plain.example on the same port; TLS connections for it go there",
    );
  });

  test("belongs to nginx's http part again when it has no streams", async () => {
    const gateway = objects(listenersOn(443).slice(0, 2), []).filter(({ kind }) => kind === "Gateway");
    await it.subject.apply(gateway);
    await it.subject.settled();
    expect(await web("plain.example", at)).toBe(`plain.example ${client} ${client} 443 https 0`);
    expect(await web("web.example", at)).toMatch(/^web/);
  });
});
