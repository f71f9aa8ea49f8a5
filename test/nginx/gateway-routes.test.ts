/** The way from a connection's port to a listener, its hosts and their routes. */
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { certificateFrom } from "../../src/core/certificates/certificate.ts";
import { sharedPki } from "../support/pki.ts";
import { type Gateways, host, port, prefix, startGateways } from "./support/gateways.ts";
import { request } from "./support/request.ts";

type Asked = Parameters<typeof request>[0];

/** Returns the last byte of the backend's address, or the status of another answer. */
async function answer(options: Asked): Promise<string> {
  const { status, body } = await request(options);
  return status === 200 ? `b${JSON.parse(body).backend}` : String(status);
}

/** Returns the session after an answer, when a ticket of TLS 1.3 has arrived. */
async function handshake(address: string, version: "TLSv1.2" | "TLSv1.3", session?: Buffer): Promise<TLSSocket> {
  const versions = { minVersion: version, maxVersion: version } as const;
  const to = { host: address, port: 18_750, servername: "one.example", rejectUnauthorized: false };
  const socket = connect({ ...to, ...versions, ...(session === undefined ? {} : { session }) });
  await once(socket, "secureConnect");
  socket.write("GET / HTTP/1.1\r\nHost: one.example\r\n\r\n");
  await once(socket, "data");
  return socket;
}

async function sessionOf(address: string, version: "TLSv1.2" | "TLSv1.3"): Promise<Buffer | undefined> {
  const socket = await handshake(address, version);
  const session = socket.getSession();
  socket.destroy();
  return session;
}

test("a request goes to its port, then to the listener and host with the most specific name that has a route", async () => {
  const it: Gateways = await startGateways(18_700);
  const to = (upstream: string, path = "/") => ({ to: [{ upstream }], routes: prefix(path) });
  const ports = [
    port("a", "127.0.0.51", 18_710, { web: "www.a.example", any: "", below: "*.a.example" }),
    port("b", "127.0.0.52", 18_710, { web: "" }),
    port("c", undefined, 18_711, { web: "*.c.example" }),
  ];
  const hosts = [
    host("shop/a/web", "www.a.example", [to("b1", "/one")]),
    host("shop/a/below", "*.a.example", [to("b2", "/two")]),
    host("shop/a/below", "*.x.a.example", [to("b3", "/three")]),
    host("shop/a/below", "y.x.a.example", [to("b4", "/four")]),
    host("shop/a/any", "_", [to("b3")]),
    host("shop/b/web", "_", [to("b4")]),
    host("shop/c/web", "*.c.example", [to("b1")]),
  ];
  expect(await it.put({ ports, hosts })).toBe(true);
  const at = (address: string) => (name: string, path: string) => answer({ to: address, host: name, path });
  const a = at("127.0.0.51:18710");
  expect(await a("www.a.example", "/one")).toBe("b1");
  expect(await a("www.a.example", "/one/more")).toBe("b1");
  expect(await a("www.a.example", "/onemore"), "another listener has the path").toBe("404");
  expect(await a("z.a.example", "/two")).toBe("b2");
  expect(await a("z.y.x.a.example", "/three"), "a wildcard takes several labels").toBe("b3");
  expect(await a("z.y.x.a.example", "/two"), "a less specific host of the listener").toBe("b2");
  expect(await a("y.x.a.example", "/four")).toBe("b4");
  expect(await a("y.x.a.example", "/three")).toBe("b3");
  expect(await a("y.x.a.example", "/two")).toBe("b2");
  expect(await a("y.x.a.example", "/five")).toBe("404");
  expect(await a("a.example", "/five"), "no wildcard takes its own parent").toBe("b3");
  expect(await at("127.0.0.52:18710")("www.a.example", "/one"), "another Gateway on the same port").toBe("b4");
  const c = at("127.0.0.53:18711");
  expect(await c("a.c.example", "/")).toBe("b1");
  expect(await c("c.example", "/")).toBe("404");
  const ingresses = { to: "127.0.0.51:18700", host: "www.a.example", path: "/one" };
  expect(await answer(ingresses), "hosts of Ingresses are apart").toBe("503");
  expect(await a("www.a.example:18710", "/one"), "the port is not compared").toBe("b1");

  expect(await it.put({ ports, hosts: [...hosts, host("shop/a/any", "new.example", [to("b1")])] })).toBe(false);
  expect(await a("new.example", "/"), "a new host is data").toBe("b1");
  const more = port("a", "127.0.0.51", 18_710, { web: "www.a.example", any: "", below: "*.a.example", x: "x.example" });
  const [, ...others] = ports;
  const next = [...hosts, host("shop/a/x", "x.example", [to("b2")])];
  expect(await it.put({ ports: [more, ...others], hosts: next })).toBe(false);
  expect(await a("x.example", "/"), "and so is the hostname of a listener").toBe("b2");
});

test("exact paths, prefixes, patterns, methods, headers and query parameters match in the order of the routes", async () => {
  const it = await startGateways(18_720);
  const ports = [port("a", "127.0.0.54", 18_730, { web: "" })];
  const none = { headers: [], query: [] };
  const header = (name: string, value: string, type: "exact" | "regex" = "exact") => ({
    conditions: { headers: [{ name, type, value }], query: [] },
  });
  const query = (name: string, value: string, type: "exact" | "regex" = "exact") => ({
    conditions: { headers: [], query: [{ name, type, value }] },
  });
  await it.put({
    ports,
    hosts: [
      host("shop/a/web", "_", [
        { to: [{ upstream: "b4" }], routes: [{ match: "exact", path: "/shop/exact" }] },
        { to: [{ upstream: "b1" }], routes: prefix("/shop/deep", header("x-re", "v[0-9]+", "regex")) },
        { to: [{ upstream: "b2" }], routes: prefix("/shop/deep", query("q", "[ab]", "regex")) },
        { to: [{ upstream: "b3" }], routes: [{ match: "pattern", path: "/re/[0-9]+" }] },
        { to: [{ upstream: "b4" }], routes: [{ match: "pattern", path: "/re/.*" }] },
        { to: [{ upstream: "b1" }], routes: prefix("/shop", { conditions: { ...none, method: "POST" } }) },
        { to: [{ upstream: "b2" }], routes: prefix("/shop", header("X-Kind", "two words")) },
        { to: [{ upstream: "b3" }], routes: prefix("/shop", query("Q", "a b")) },
        { to: [{ upstream: "b1" }], routes: prefix("/named", header("x_kind", "a")) },
        { to: [{ upstream: "b2" }], routes: prefix("/named", header("x.kind", "a")) },
        { to: [{ upstream: "b3" }], routes: prefix("/named", header("cookie", "a=1; b=2")) },
      ]),
    ],
  });
  const ask = (path: string, more: Partial<Asked> = {}) =>
    answer({ to: "127.0.0.54:18730", host: "any", path, ...more });
  expect(await ask("/shop", { method: "POST" })).toBe("b1");
  expect(await ask("/shop", { method: "POST", headers: { "x-kind": "two words" } }), "the first of the routes").toBe(
    "b1",
  );
  expect(await ask("/shop/", { headers: { "X-KIND": "two words" } })).toBe("b2");
  expect(await ask("/shop/", { headers: { "x-kind": ["two words", "more"] } }), "all values together").toBe("404");
  expect(await ask("/shop/", { headers: { "x-kind": "Two words" } })).toBe("404");
  expect(await ask("/shop?Q=a+b")).toBe("b3");
  expect(await ask("/shop?Q=a%20b&Q=c")).toBe("b3");
  expect(await ask("/shop?x=1&Q=c&Q=a+b"), "the first of the name counts").toBe("404");
  expect(await ask("/shop?q=a+b"), "names of parameters have a case").toBe("404");
  expect(await ask("/shop/exact")).toBe("b4");
  expect(await ask("/shop/exact", { method: "POST" }), "an exact path comes first").toBe("b4");
  expect(await ask("/shop/exact/", { method: "POST" })).toBe("b1");
  expect(await ask("/shop/deep/er", { headers: { "x-re": "v12" } })).toBe("b1");
  expect(await ask("/shop/deep", { headers: { "x-re": "v12" } })).toBe("b1");
  expect(await ask("/shop/deep/er", { headers: { "x-re": "v12a" } }), "a pattern takes the whole value").toBe("404");
  expect(await ask("/shop/deep/er?q=b")).toBe("b2");
  expect(await ask("/shop/deep/er", { method: "POST" }), "a shorter path").toBe("b1");
  expect(await ask("/re/12")).toBe("b3");
  expect(await ask("/re/12a")).toBe("b4");
  expect(await ask("/RE/12")).toBe("404");
  expect(await ask("/named", { headers: { "X-Kind": "a" } }), "another name for nginx's variable").toBe("404");
  expect(await ask("/named", { headers: { cookie: ["a=1", "b=2"] } }), "cookies are joined").toBe("b3");
});

test("on a port that Ingresses and Gateways share the more specific name decides, and Ingresses get what no route takes", async () => {
  const it = await startGateways(18_820);
  const ingress = (name: string, upstream: string) => {
    const { listener: _, ...server } = host("", name, [{ to: [{ upstream }], routes: prefix("/") }]);
    return server;
  };
  const ports = [
    port("a", undefined, 18_820, { any: "", below: "*.example" }, { port: 80 }),
    port("b", "127.0.0.60", 18_829, { web: "" }),
  ];
  const hosts = [
    ingress("one.example", "b1"),
    ingress("*.other.test", "b1"),
    host("shop/a/below", "*.example", [{ to: [{ upstream: "b2" }], routes: prefix("/") }]),
    host("shop/a/below", "two.example", [{ to: [{ upstream: "b3" }], routes: prefix("/three") }]),
    host("shop/a/any", "_", [{ to: [{ upstream: "b4" }], routes: prefix("/four") }]),
    host("shop/b/web", "_", [{ to: [{ upstream: "b4" }], routes: prefix("/") }]),
  ];
  const ask = (name: string, path: string, to = "127.0.0.60:18820") => answer({ to, host: name, path });
  await it.put({ ports, hosts });
  expect(await ask("one.example", "/"), "the Ingress has the name, the route a wildcard").toBe("b1");
  expect(await ask("two.example", "/three")).toBe("b3");
  expect(await ask("two.example", "/")).toBe("b2");
  expect(await ask("x.other.test", "/four"), "the Ingress has a wildcard, the route no name").toBe("b1");
  expect(await ask("y.test", "/four")).toBe("b4");
  expect(await ask("y.test", "/"), "the Ingresses' own catch-all").toBe("503");
  expect(await ask("y.test", "/", "127.0.0.60:18829"), "a port of its own beside it").toBe("b4");
  expect(await it.put({ ports: ports.slice(1), hosts })).toBe(true);
  expect(await ask("two.example", "/three"), "the Gateway has left the port").toBe("503");
});

test("a TLS port shows its listeners' certificates, answers 421 for another listener's host, and resumes no sessions", async () => {
  const it = await startGateways(18_740);
  const pki = await sharedPki();
  const pair = (id: "tls" | "alt" | "backend") => certificateFrom(id, pki[id].certificate, pki[id].key);
  const listener = (name: string, hostname: string, pairs: readonly string[]) => ({
    ...port("a", "127.0.0.55", 18_750, { [name]: hostname }, { pairs }).listeners[0]!,
  });
  const tls = (address: string, listeners: ReturnType<typeof listener>[]) => ({
    ...port("a", address, 18_750, {}, { tls: true }),
    id: `shop/a:${address}`,
    listeners,
  });
  const to = (upstream: string) => [{ to: [{ upstream }], routes: prefix("/") }];
  await it.put({
    certificates: [pair("tls"), pair("alt"), pair("backend")],
    ports: [
      tls("127.0.0.55", [listener("one", "one.example", ["tls"]), listener("wild", "*.example", ["alt"])]),
      tls("127.0.0.56", [listener("all", "", ["backend"])]),
      tls("::1", [listener("six", "", ["alt"])]),
      tls("127.0.0.54", [listener("many", "", ["alt", "tls", "backend"])]),
    ],
    hosts: [
      host("shop/a/one", "one.example", to("b1")),
      host("shop/a/wild", "*.example", to("b2")),
      host("shop/a/all", "_", to("b3")),
      host("shop/a/six", "_", to("b4")),
    ],
  });
  const ask = async (sni: string, name = sni, address = "127.0.0.55:18750") => {
    const { status, body, certificate } = await request({ to: address, sni, host: name });
    return [status === 200 ? `b${JSON.parse(body).backend}` : status, certificate];
  };
  const [, own] = await ask("one.example");
  const [, wild] = await ask("two.example");
  const [, all] = await ask("x", "x", "127.0.0.56:18750");
  expect(new Set([own, wild, all]).size).toBe(3);
  expect(await ask("one.example")).toEqual(["b1", own]);
  expect(await ask("ONE.example", "one.example")).toEqual(["b1", own]);
  expect(await ask("two.example")).toEqual(["b2", wild]);
  expect(await ask("two.example", "three.example"), "the same listener").toEqual(["b2", wild]);
  expect(await ask("one.example", "two.example")).toEqual([421, own]);
  expect(await ask("two.example", "one.example")).toEqual([421, wild]);
  expect(await ask("one.example", "other.test")).toEqual([404, own]);
  expect((await ask("", "one.example"))[0], "without SNI the Host decides").toBe("b1");
  expect(await ask("one.example", "one.example", "127.0.0.56:18750")).toEqual(["b3", all]);
  expect(await ask("one.example", "one.example", "[::1]:18750")).toEqual(["b4", wild]);
  const named = { "alt.example": wild, "Backend.example": all, "x.svc": all, "one.example": own, "alt.example.": wild };
  for (const [name, one] of Object.entries({ ...named, "x.alt.example": wild, other: wild, "": wild })) {
    const [, shown] = await ask(name, "x", "127.0.0.54:18750");
    expect(shown, `the longest name of several certificates for ${name}`).toBe(one);
  }

  // Sessions of one port are not valid on another one (CVE-2025-23419).
  for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
    const session = await sessionOf("127.0.0.55", version);
    const again = await handshake("127.0.0.56", version, session);
    expect(again.isSessionReused(), version).toBe(false);
    again.destroy();
  }
});

test("on a TLS port of both APIs a name has the certificate of the more exact owner, and a listener without one ends the handshake", async () => {
  const it = await startGateways(18_840);
  const pki = await sharedPki();
  const pair = (id: "tls" | "alt" | "backend") => certificateFrom(id, pki[id].certificate, pki[id].key);
  const ingress = (name: string, certificate: string | undefined) => {
    const to = [{ to: [{ upstream: "b1" }], routes: prefix("/") }];
    const { listener: _, ...server } = host("", name, to);
    return { ...server, certificate, tlsConfigured: certificate !== undefined };
  };
  const usualPorts = { http: 18_840, https: 18_841 };
  const redirect = { scheme: undefined, hostname: undefined, path: undefined, port: undefined };
  const both = { ...port("a", undefined, 18_841, {}, { tls: true, usualPorts }), id: "*:18841" };
  const listener = (name: string, hostname: string, pairs: readonly string[]) =>
    port("a", undefined, 18_841, { [name]: hostname }, { pairs }).listeners[0]!;
  const parts = {
    certificates: [pair("tls"), pair("alt"), pair("backend")],
    ports: [
      {
        ...both,
        listeners: [
          listener("wild", "*.example", ["tls"]),
          listener("bare", "*.bare.test", []),
          listener("one", "one.example", ["alt"]),
          listener("both", "both.example", ["alt"]),
        ],
      },
    ],
    hosts: [
      ingress("own.example", "backend"),
      ingress("both.example", "backend"),
      ingress("plain.example", undefined),
      ingress("kept.bare.test", undefined),
      ingress("other.test", "backend"),
      ...["shop/a/wild *.example", "shop/a/bare *.bare.test", "shop/a/one one.example"].map((key) => {
        const [id = "", name = ""] = key.split(" ");
        return host(id, name, [
          { to: [{ upstream: "b2" }], routes: prefix("/") },
          { to: [{ upstream: "b2" }], routes: prefix("/away"), filters: { redirect: { ...redirect, status: 302 } } },
          {
            to: [{ upstream: "b2" }],
            routes: prefix("/https"),
            filters: { redirect: { ...redirect, scheme: "https", status: 301 } },
          },
        ]);
      }),
    ],
  };
  await it.put(parts);
  const ask = async (sni: string, name = sni, path = "/") => {
    const { status, body, certificate, headers } = await request({ to: "127.0.0.1:18841", sni, host: name, path });
    const hsts = headers["strict-transport-security"] === undefined ? [] : ["hsts"];
    return [status === 200 ? `b${JSON.parse(body).backend}` : status, certificate, ...hsts];
  };
  const [, own] = await ask("own.example");
  const [, wild] = await ask("two.example");
  const [, one] = await ask("one.example");
  expect(new Set([own, wild, one]).size).toBe(3);
  expect(await ask("own.example"), "an Ingress's own").toEqual(["b1", own, "hsts"]);
  expect(await ask("two.example"), "a route's, which says nothing of HTTPS by itself").toEqual(["b2", wild]);
  expect(await ask("plain.example"), "an Ingress without a certificate").toEqual(["b1", wild, "hsts"]);
  expect(await ask("other.test"), "a name that no listener takes").toEqual(["b1", own, "hsts"]);
  expect(await ask("one.example", "two.example"), "another listener's").toEqual([421, one]);
  expect(await ask("other.test", "two.example"), "no listener's").toEqual([421, own]);
  expect(await ask("one.example", "own.example"), "an Ingress's").toEqual(["b1", one, "hsts"]);
  const [kept] = await ask("kept.bare.test");
  expect(kept, "an Ingress goes on").toBe("b1");
  await expect(ask("any.bare.test"), "not the default certificate").rejects.toThrow();
  const leadsTo = async (path: string) =>
    (await request({ to: "127.0.0.1:18841", sni: "two.example", host: "two.example", path })).headers.location;
  expect(await leadsTo("/away"), "a port that is open").toBe("https://two.example:18841/away");
  expect(await leadsTo("/https")).toBe("https://two.example:18841/https");
  expect((await ask("both.example"))[1], "of two for one name that of the listener").toBe(one);
  await it.put({ ...parts, yielding: ["shop/a/both"] });
  expect((await ask("both.example"))[1], "unless the Ingress comes before it").toBe(own);
  expect((await ask("one.example"))[1], "other listeners keep theirs").toBe(one);
});
