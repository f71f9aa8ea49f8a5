/**
 * Headers in which clients describe themselves, and line breaks where such text becomes a header.
 */
import { describe, expect, test } from "vitest";
import { ingress, settings } from "../support/objects.ts";
import { exchange, statuses } from "../support/raw.ts";
import { worldOf } from "../support/world.ts";
import { places } from "./places.ts";

const breaks = [
  "%0d%0aPwned:%201",
  "%0aPwned:%201",
  "%0dPwned:%201",
  "%0d%0a%0d%0apwned",
  "%E5%98%8A%E5%98%8DPwned:1",
  "%00",
  "%20HTTP/1.1",
];

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode, flags: ["--enable-annotation-validation=false"] });

  const get = (path: string, headers = "") =>
    exchange(`GET ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n${headers}\r\n`);

  test.each(places)("no line break gets into a header through %s", async (_what, given, start) => {
    world.auth.answer = (_request, response) => response.writeHead(401).end();
    const annotations = Object.fromEntries(
      Object.entries(given).map(([key, text]) => [key, text.replace("AUTH", `${world.auth.origin}/`)]),
    );
    const path = "rewrite-target" in annotations ? "/x/([^/]*)" : "/";
    await world.apply(ingress({ name: "a", paths: [[path, "ImplementationSpecific"]], annotations }));
    for (const text of breaks) {
      const answer = await get(`${start}${text}`);
      expect.soft(statuses(answer), text).toHaveLength(1);
      expect.soft(answer, text).not.toMatch(/^Pwned/im);
    }
    for (const { headers } of [...world.backend.asked, ...world.auth.asked]) {
      expect.soft(headers.filter(([name]) => name === "pwned")).toEqual([]);
    }
  });

  test("the redirect that adds a slash has no line break in its headers", async () => {
    await world.apply(ingress({ name: "a", paths: [["/x/", "Prefix"]] }));
    for (const text of breaks) expect.soft(await get(`/x?${text}`), text).not.toMatch(/^Pwned/im);
  });

  const claims = [
    ...["X-Real-IP: 6.6.6.6", "X-Forwarded-For: 6.6.6.6", "X-Forwarded-Host: evil.example", "X-Forwarded-Port: 666"],
    ...[
      "X-Forwarded-Proto: https",
      "X-Forwarded-Scheme: https",
      "X-Scheme: https",
      "X-Original-Forwarded-For: 6.6.6.6",
    ],
    ...[
      "X-Original-Forwarded-Host: evil.example",
      "X-Original-URI: /evil",
      "X-Request-ID-2: x",
      "Proxy: http://evil.example",
    ],
    ...[
      "ssl-client-verify: SUCCESS",
      "ssl-client-subject-dn: CN=root",
      "ssl-client-issuer-dn: CN=root",
      "ssl-client-cert: x",
    ],
    ...["X_Real_IP: 6.6.6.6", "X_Forwarded_For: 6.6.6.6", "ssl_client_verify: SUCCESS", "SSL-CLIENT-VERIFY: SUCCESS"],
  ];

  test("Traefik 13260: headers in which a client states its address, scheme or certificate do not reach the backend", async () => {
    await world.apply(ingress({ name: "a" }));
    await get("/here", `${claims.join("\r\n")}\r\n`);
    const received = world.backend.asked.at(-1)!.headers;
    const values = (wanted: string) =>
      received.filter(([name]) => name.replaceAll("_", "-") === wanted).map(([, value]) => value);
    const port = String(received.find(([name]) => name === "x-forwarded-port")?.[1]);
    expect(
      Object.fromEntries(
        [
          "x-real-ip",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-proto",
          "x-forwarded-scheme",
          "x-scheme",
          "proxy",
          "ssl-client-verify",
          "ssl-client-subject-dn",
          "ssl-client-issuer-dn",
          "ssl-client-cert",
          "x-original-uri",
        ].map((name) => [name, values(name)]),
      ),
    ).toEqual({
      "x-real-ip": ["192.0.2.1"],
      "x-forwarded-for": ["192.0.2.1"],
      "x-forwarded-host": ["a.example"],
      "x-forwarded-proto": ["http"],
      "x-forwarded-scheme": ["http"],
      "x-scheme": ["http"],
      ...{
        proxy: [],
        "ssl-client-verify": [],
        "ssl-client-subject-dn": [],
        "ssl-client-issuer-dn": [],
        "ssl-client-cert": [],
      },
      // Sluice sets this header only with proxy-add-original-uri-header, so otherwise no backend
      // may trust it.
      "x-original-uri": ["/evil"],
    });
    expect(port).not.toBe("666");
    // The client's own list of addresses is passed under this name alone.
    expect(values("x-original-forwarded-for")).toEqual(["6.6.6.6"]);
  });

  test.each(["enable-underscores-in-headers", "ignore-invalid-headers"])(
    "with %s, no spelling with underscores contradicts a header that Sluice sends",
    async (key) => {
      // Sluice does not send these without further settings, so they say what the client says.
      const sent = claims.filter((claim) => !/^X-(Original|Request-ID-2)/.test(claim));
      const [all, first, last] = [/-/g, /-/, /-(?!.*-)/];
      const spelt = sent.flatMap((claim) => {
        const [name = "", value] = claim.split(": ");
        return [all, first, last].map((hyphens) => `${name.replace(hyphens, "_")}: ${value}`);
      });
      const forged = spelt.filter((line) => line.includes("_"));
      const users = ["X_Auth_User", "X-Auth_User", "x_auth-user"].map((name) => `${name}: root`);
      world.auth.answer = (_request, response) => response.writeHead(200, { "X-Auth-User": "ann" }).end();
      const asks = { "auth-url": `${world.auth.origin}/check`, "auth-response-headers": "X-Auth-User" };
      await world.apply(
        settings({ [key]: `${key.startsWith("enable")}` }),
        ingress({ name: "plain" }),
        ingress({ name: "asks", annotations: asks }),
        ingress({ name: "own", annotations: { ...asks, "upstream-vhost": "other.example" } }),
      );
      const receivedBy = async (name: string, lines: readonly string[]) => {
        const head = [`GET /here HTTP/1.1`, `Host: ${name}.example`, "Connection: close", "X_Own: kept", ...lines];
        expect(await exchange(`${head.join("\r\n")}\r\n\r\n`)).toContain("secret");
        return world.backend.asked.at(-1)!.headers.filter(([one]) => one.includes("_") || one === "x-auth-user");
      };
      expect(await receivedBy("plain", forged)).toEqual([["x_own", "kept"]]);
      for (const name of ["asks", "own"]) {
        const received = await receivedBy(name, [...forged, ...users]);
        expect.soft([name, received.sort()]).toEqual([
          name,
          [
            ["x-auth-user", "ann"],
            ["x_own", "kept"],
          ],
        ]);
      }
      const heard = world.auth.asked.map(({ headers }) => headers.filter(([one]) => one.includes("_")));
      const own = [["x_own", "kept"], ...users.map((line) => line.toLowerCase().split(": "))];
      expect(heard).toEqual([own, own]);
    },
  );

  test("forwarded headers count from proxies that the operator trusts, and from no other client", async () => {
    const trusting = (ranges: string) => settings({ "use-forwarded-headers": "true", "proxy-real-ip-cidr": ranges });
    const received = async () => {
      await get("/", "X-Forwarded-For: 6.6.6.6\r\n");
      return world.backend.asked.at(-1)!.headers.find(([name]) => name === "x-real-ip")?.[1];
    };
    await world.apply(trusting("203.0.113.0/24"), ingress({ name: "a" }));
    expect(await received()).toBe("192.0.2.1");
    await world.apply(trusting("192.0.2.0/24"));
    expect(await received()).toBe("6.6.6.6");
  });

  test("requests that are too large or too slow do not affect others", async () => {
    const limits = settings({
      "client-header-timeout": "1",
      "client-body-timeout": "1",
      "large-client-header-buffers": "2 1k",
      "proxy-body-size": "1k",
    });
    await world.apply(limits, ingress({ name: "a" }));
    const code = async (text: string | string[]) => statuses(await exchange(text, { silenceMs: 20_000 }))[0];
    expect(await code(`GET /${"a".repeat(5_000)} HTTP/1.1\r\nHost: a.example\r\n\r\n`)).toBe(414);
    expect(await code(`GET / HTTP/1.1\r\nHost: a.example\r\nX: ${"a".repeat(5_000)}\r\n\r\n`)).toBe(400);
    expect(await code(`POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 99999999\r\n\r\n`)).toBe(413);
    expect(
      await code([
        "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n",
        `2000\r\n${"a".repeat(0x2000)}\r\n0\r\n\r\n`,
      ]),
    ).toBe(413);
    const begun = performance.now();
    const slow = Array.from({ length: 40 }, () => code("GET / HTTP/1.1\r\nHost: a.example\r\nX: "));
    expect(await world.ask("neighbour.example")).toMatchObject({ status: 200 });
    const ended = await Promise.all(slow);
    expect(ended.every((one) => one === undefined || one === 408)).toBe(true);
    expect(performance.now() - begun, "nginx ended them, and not the test").toBeLessThan(20_000);
    const half = await code("POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\nab");
    expect([half, world.backend.asked.filter(({ method }) => method === "POST")]).toEqual([undefined, []]);
  });
});
