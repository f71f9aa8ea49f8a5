/**
 * Tests one host with several namespaces: a younger Ingress of another namespace adds its own paths
 * and does not change the answers of the older one. The older one is in `ns`, and its backend
 * answers `secret`; the other one is in `evil`, and its Service answers `let in`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { type Answer, type RequestOptions, request } from "../../nginx/support/request.ts";
import { type IngressWords, ingress, secret, service, settings } from "../support/objects.ts";
import { ports, worldOf } from "../support/world.ts";
import { pki } from "./authority.ts";

const shop = (words: Partial<IngressWords> = {}) => ingress({ name: "shop", ...words });
const evil = (words: Partial<IngressWords> = {}) =>
  ingress({ name: "evil", namespace: "evil", host: "shop.example", paths: [["/evil"]], day: 2, ...words });
const pair = (namespace: string) =>
  secret("pair", { "tls.crt": pki.tls.certificate, "tls.key": pki.tls.key }, namespace);
const rules = (words: Partial<IngressWords>) => evil(words).spec!.rules!;

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode, flags: ["--enable-ssl-passthrough"] });

  const apply = (...objects: KubernetesObject[]) =>
    world.apply(...service("web", world.auth.address, world.auth.port, "evil"), ...objects);
  const outcome = async (answer: Promise<Answer>) => {
    const { status, body, headers } = await answer;
    return status === 200 ? body : [status, headers.location].filter(Boolean).join(" ");
  };
  const ask = (path = "/", host = "shop.example", more: Omit<RequestOptions, "to"> = {}) =>
    outcome(world.ask(host, path, more));
  const secure = (path = "/", host = "shop.example") =>
    request({ to: `192.0.2.1:${ports.https}`, host, path, sni: host });

  test("no alias becomes the host for all other names", async () => {
    for (const names of ["_", "_,more.example"]) {
      await apply(shop(), evil({ host: "evil.example", paths: [["/"]], annotations: { "server-alias": names } }));
      expect(await ask("/", "evil.example")).toBe("let in");
      expect(await ask("/", "unknown.example")).toBe("404");
      expect(world.problemsOf("evil").join()).toContain("no client requests a host called _");
    }
    expect(await ask("/", "more.example")).toBe("let in");
  });

  test("a canary gets no requests for another namespace, by any annotation", async () => {
    const rivals = [
      { "canary-weight": "100" },
      { "canary-by-header": "X-C" },
      { "canary-by-cookie": "c" },
      { "canary-by-header": "X-C", "canary-by-header-pattern": ".*" },
    ].map((more, at) =>
      evil({ name: `evil-${at}`, paths: [["/"]], annotations: { canary: "true", ...more }, day: 3 + at }),
    );
    const whole = evil({ name: "whole", annotations: { canary: "true", "canary-weight": "100" } });
    const backing = {
      ...whole.spec!,
      rules: undefined,
      defaultBackend: { service: { name: "web", port: { number: 80 } } },
    };
    const anyHost = shop({ name: "any", host: "" });
    await apply(
      shop(),
      anyHost,
      ...rivals,
      evil({
        name: "whole",
        annotations: whole.metadata.annotations ? { canary: "true", "canary-weight": "100" } : {},
        spec: backing as never,
      }),
    );
    for (const headers of [{}, { "x-c": "always" }, { cookie: "c=always" }]) {
      expect(await ask("/", "shop.example", { headers })).toBe("secret");
      expect(await ask("/", "unknown.example", { headers })).toBe("secret");
    }
    expect(world.problemsOf("evil-0").join()).toContain(
      "path / of host shop.example is served by Ingress ns/shop, and a canary stands beside an Ingress of its own namespace (allow-cross-namespace-canaries)",
    );
    await world.apply(settings({ "allow-cross-namespace-canaries": "true" }));
    expect(await ask()).toBe("let in");
  });

  test("a canary of the same namespace works as before", async () => {
    const canary = { canary: "true", "canary-weight": "100" };
    const own = service("next", world.auth.address, world.auth.port);
    await apply(
      shop(),
      ...own,
      ingress({ name: "next", host: "shop.example", paths: [["/", "Prefix", "next"]], annotations: canary }),
    );
    expect(await ask()).toBe("let in");
  });

  test.each([
    ["app-root", { "app-root": "/evil" }],
    ["from-to-www-redirect", { "from-to-www-redirect": "true" }],
    ["ssl-ciphers", { "ssl-ciphers": "NULL-SHA256" }],
    ["ssl-prefer-server-ciphers", { "ssl-prefer-server-ciphers": "true" }],
    ["ssl-passthrough", { "ssl-passthrough": "true" }],
    ["a missing auth-tls-secret", { "auth-tls-secret": "evil/none" }],
    ["server-alias", { "server-alias": "other.example" }],
    ["a server-alias that is a wildcard", { "server-alias": "*.example" }],
    ["server-snippet", { "server-snippet": "return 418;" }],
  ])("%s of a younger Ingress in another namespace changes nothing on the host", async (what, annotations) => {
    const open = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
    await apply(
      settings(open),
      pair("ns"),
      shop({ spec: { ...shop().spec!, tls: [{ secretName: "pair" }] }, annotations: { "ssl-redirect": "false" } }),
      evil({ annotations: { ...annotations, "ssl-redirect": "false" } }),
    );
    expect(await ask()).toBe("secret");
    expect(await outcome(secure())).toBe("secret");
    expect(await ask("/", "neighbour.example")).toBe("secret");
    expect(await ask("/", "other.example")).toBe("404");
    expect(await ask("/", "www.shop.example")).toBe("404");
    expect(world.problemsOf("evil").join()).toContain("Ingress ns/shop");
    // A guard that has no effect closes the paths that it should protect.
    expect(await ask("/evil")).toBe(/auth-tls|snippet/.test(what) ? "503" : "let in");
  });

  test.each([
    ["server-snippet", "/inside", 'location = /inside { internal; return 200 "inside"; }'],
    ["configuration-snippet", "/own/inside", 'location = /own/inside { internal; return 200 "inside"; }'],
  ])("the location of a %s can be reached by backends of its namespace alone", async (key, inside, text) => {
    const redirecting = (request: IncomingMessage, response: ServerResponse) =>
      request.url!.endsWith("/inside")
        ? response.end("routed")
        : response.writeHead(200, { "X-Accel-Redirect": inside }).end("not led there");
    await apply(
      settings({ "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" }),
      shop({ paths: [["/own/", "ImplementationSpecific"]], annotations: { [key]: text } }),
      evil(),
      evil({ name: "fcgi", paths: [["/fcgi"]], annotations: { "backend-protocol": "FCGI" } }),
      evil({ name: "grpc", paths: [["/grpc"]], annotations: { "backend-protocol": "GRPC" } }),
      evil({ name: "elsewhere", host: "elsewhere.example", paths: [["/"]] }),
    );
    world.backend.answer = redirecting;
    world.auth.answer = redirecting;
    expect(await ask("/own/start")).toBe("inside");
    expect(await ask("/evil")).toBe("not led there");
    expect(await ask(inside)).toBe("404");
    // Without declared locations, the router decides where the header leads.
    expect(await ask("/start", "elsewhere.example")).toBe("routed");
  });

  test("a server-alias gets no names of an older wildcard or alias, and a host gets none of an older alias", async () => {
    await apply(
      shop({ name: "wild", host: "*.shop.example" }),
      shop({ annotations: { "server-alias": "alias.example, *.a.example, ~^old[0-9]\\.example$" } }),
      ...["*.example", "*.shop.example", "*.a.example", "www.*", "alias.example", "~."].map((alias, at) =>
        evil({ name: `evil-${at}`, host: `0${at}.zz`, annotations: { "server-alias": alias } }),
      ),
      evil({ name: "host", host: "alias.example", paths: [["/"]] }),
      evil({ name: "twin", host: "www.alias.example", annotations: { "from-to-www-redirect": "true" } }),
    );
    for (const host of ["x.shop.example", "www.shop.example", "y.a.example", "alias.example", "old1.example"]) {
      expect.soft(await ask("/evil", host), host).toBe("secret");
    }
    expect(world.problemsOf("host").join()).toBe(
      "spec.rules: alias.example is another name of host shop.example, which an older Ingress of another namespace has; its paths there are not served",
    );
    expect(world.problemsOf("evil-0").join()).toContain(
      "*.example takes names that host *.shop.example of another namespace has",
    );
  });

  test("a tls section without a certificate redirects its own paths alone, and one with a certificate the whole host", async () => {
    const tls = { tls: [{ hosts: ["shop.example"], secretName: "pair" }], rules: rules({}) };
    await apply(shop(), evil({ spec: tls }));
    expect(await ask()).toBe("secret");
    expect(await ask("/evil")).toBe("308 https://shop.example/evil");
    expect(world.problemsOf("evil").join()).toContain(
      "it brings no certificate for the host; TLS is configured for its own paths alone",
    );
    await apply(evil({ spec: { ...tls, tls: [{ hosts: ["shop.example"] }] } }));
    expect(await ask()).toBe("secret");
    await apply(pair("evil"), evil({ spec: tls }));
    expect(await ask()).toBe("308 https://shop.example");
    expect((await secure()).certificate).toBe("tls.example");
  });

  test("a wildcard with a tls section and without a certificate redirects no older host below it", async () => {
    const spec = { ...shop().spec!, rules: rules({ host: "*.example" }), tls: [{ secretName: "none" }] };
    await apply(shop(), evil({ spec }));
    expect(await ask()).toBe("secret");
    await apply(evil({ spec, day: 1 }), shop({ day: 2 }));
    expect(await ask()).toBe("308 https://shop.example");
  });

  test("regular expressions of another namespace get no plain path, and do not change paths that they do not match", async () => {
    const paths = [
      "/.*",
      "/.*a?a?a?a?a?a?a?a?a?a?",
      "/a|/",
      "/(?i)admin.*(x)?(x)?",
      "/ADMI\\w/?.*(x)?(x)?(x)?",
      "/admin\\E?.*(y)?",
    ];
    await apply(
      shop({ paths: [["/admin"], ["/cart/"], ["/exact", "Exact"], ["/Case"], ["/odd(name"]] }),
      evil({ paths: paths.map((path) => [path, "ImplementationSpecific"]), annotations: { "use-regex": "true" } }),
    );
    for (const path of ["/admin", "/admin/x/aaaa", "/cart/x", "/exact", "/Case/x", "/odd(name"]) {
      expect.soft(await ask(path), path).toBe("secret");
    }
    expect.soft(await ask("/cart")).toBe("301 http://shop.example/cart/");
    // Another namespace may try to set values that the older Ingress does not have.
    for (const path of ["/administrator", "/exact/x", "/case", "/other"])
      expect.soft(await ask(path), path).toBe("let in");
    await apply(shop({ paths: [["/"]] }));
    for (const path of ["/", "/a", "/other"]) expect.soft(await ask(path), path).toBe("secret");
    expect(world.problemsOf("evil").join()).toContain(
      "it would take requests from path / of host shop.example, which the older Ingress ns/shop has; that path comes before it",
    );
  });

  test("ordinary regular expressions beside another namespace's paths get their part of the host", async () => {
    await apply(
      shop({ paths: [["/"], ["/api/health", "Exact"]] }),
      evil({
        paths: [
          ["/api(/|$)(.*)", "ImplementationSpecific"],
          ["/v[12]/(x|y)", "ImplementationSpecific"],
        ],
        annotations: { "use-regex": "true", "rewrite-target": "/$2" },
      }),
    );
    expect(await ask("/")).toBe("secret");
    expect(await ask("/apiary")).toBe("secret");
    expect(await ask("/api/health")).toBe("secret");
    expect(await ask("/api/users")).toBe("let in");
    expect(world.auth.asked.at(-1)?.url).toBe("/users");
    expect(await ask("/v1/x")).toBe("let in");
    await apply(settings({ "allow-cross-namespace-host-settings": "true" }));
    expect(await ask("/apiary")).toBe("secret");
    expect(await ask("/api/health")).toBe("let in");
  });

  test("the same prefix with an additional slash, and a default backend, stay with the older Ingress", async () => {
    const backend = { service: { name: "web", port: { number: 80 } } };
    await apply(
      shop({ paths: [["/a"]] }),
      shop({ name: "any", host: "" }),
      evil({ paths: [["/a/"], ["/a/b"]] }),
      evil({ name: "default", spec: { ingressClassName: "nginx", defaultBackend: backend } }),
    );
    expect(await ask("/a/x")).toBe("secret");
    expect(await ask("/a/b")).toBe("let in");
    expect(await ask("/", "unknown.example")).toBe("secret");
    expect(world.problemsOf("evil").join()).toContain(
      "path /a/ of host shop.example belongs to the older Ingress ns/shop; this one is ignored",
    );
  });
});
