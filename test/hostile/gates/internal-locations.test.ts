/**
 * Tests locations that only nginx itself may enter: shapes, subrequests to auth services, mirrors,
 * error pages, nginx's own figures. An answer with X-Accel-Redirect, an error page or a path may
 * name a location, too, and must not lead there.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import type { Directive } from "../../support/nginx-tree.ts";
import { sharedPki } from "../../support/pki.ts";
import { ingress, secret, settings } from "../support/objects.ts";
import { firstBytes } from "../support/raw.ts";
import { ports, worldOf } from "../support/world.ts";

/** Names that an attacker knows: those in the source code, and hashes that anyone can compute. */
const guesses = [
  ...["@sluice_status", "@sluice_health", "@sluice_app_root", "@sluice_www", "@sluice_unrouted", "@cf2ee125b10ef45b"],
  ...["/_sluice/variables", "/%5fsluice/variables", "//_sluice//variables", "/x/../_sluice/variables", "/_sluice/"],
];

/** Returns the locations that no client and no answer may reach. */
function internalOf(tree: readonly Directive[]): string[] {
  return tree.flatMap(({ name, args, block = [] }) => [
    ...(name === "location" && /^@|^\/_sluice/.test(args.at(-1)!) ? [args.at(-1)!] : []),
    ...internalOf(block),
  ]);
}

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode });

  const open = settings({ "nginx-status-ipv4-whitelist": "0.0.0.0/0" });
  const redirecting = (to: string, status = 200) => {
    return (_request: IncomingMessage, response: ServerResponse) =>
      response.writeHead(status, { "X-Accel-Redirect": to, "X-User": "u" }).end("the answer itself");
  };

  test("an attacker cannot compute the name of an internal location", async () => {
    const annotations = {
      "auth-url": `${world.auth.origin}/`,
      "auth-signin": "https://a/",
      "custom-http-errors": "404",
    };
    await world.apply(ingress({ name: "a", annotations: { ...annotations, "mirror-target": world.auth.origin } }));
    const names = internalOf(world.tree());
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => guesses.includes(name) && name !== "/_sluice/variables")).toEqual([]);
  });

  test.each(guesses)("a backend's X-Accel-Redirect to %s reaches no internal location", async (to) => {
    await world.apply(
      open,
      ingress({ name: "a", paths: [["/", "Prefix"]], annotations: { "auth-url": `${world.auth.origin}/` } }),
    );
    world.auth.answer = (_request, response) => response.end();
    world.backend.answer = (asked, response) => {
      if (asked.url === "/start") redirecting(to)(asked, response);
      else response.end("routed");
    };
    const { status, body } = await world.ask("a.example", "/start");
    expect(body).not.toMatch(/Active connections|server accepts/);
    // nginx refuses a name that it does not have, and a path that leaves its folder.
    if (to.startsWith("@") || to.includes("..")) expect(status).toBe(to.startsWith("@") ? 500 : 404);
    else expect([status, body]).toEqual([200, "routed"]);
  });

  test("a backend's X-Accel-Redirect leads to what routing serves, with its guards", async () => {
    await world.apply(
      ingress({ name: "a" }),
      ingress({
        name: "guarded",
        host: "a.example",
        paths: [["/guarded"]],
        annotations: { "denylist-source-range": "0.0.0.0/0" },
      }),
    );
    world.backend.answer = (asked, response) => {
      const to = new URL(asked.url!, "http://a").searchParams.get("to");
      if (to === null) response.end(`served ${asked.url}`);
      else redirecting(to)(asked, response);
    };
    expect((await world.ask("a.example", "/?to=/files/1")).body).toBe("served /files/1");
    expect((await world.ask("a.example", "/?to=/guarded/1")).status).toBe(403);
  });

  test("a backend's other X-Accel headers keep their effect", async () => {
    const annotations = { "proxy-buffering": "on", "proxy-buffers-number": "8", "proxy-buffer-size": "16k" };
    await world.apply(ingress({ name: "a", annotations }));
    let goOn = () => {};
    world.backend.answer = (_asked, response) => {
      response.writeHead(200, { "X-Accel-Buffering": "no" }).write("first");
      goOn = () => response.end("last");
    };
    expect(await firstBytes("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", /first/)).toContain("first");
    goOn();
  });

  test("an auth service's X-Accel-Redirect lets no request pass", async () => {
    await world.apply(open, ingress({ name: "a", annotations: { "auth-url": `${world.auth.origin}/` } }));
    const real = internalOf(world.tree());
    for (const to of ["/open", "http://a.example/open", ...guesses, ...real]) {
      world.backend.forget();
      world.auth.answer = redirecting(to, 403);
      expect([to, (await world.ask("a.example", "/x")).status]).toEqual([to, 403]);
      world.auth.answer = redirecting(to);
      expect([to, (await world.ask("a.example", "/x")).body]).toEqual([to, "secret"]);
      expect(world.backend.asked.map(({ url }) => url)).toEqual(["/x"]);
    }
  });

  test("a mirror's X-Accel-Redirect causes no request in the client's name", async () => {
    await world.apply(ingress({ name: "a", annotations: { "mirror-target": world.auth.origin } }));
    for (const to of ["/delete-everything", ...internalOf(world.tree())]) {
      world.auth.answer = redirecting(to);
      world.backend.forget();
      world.auth.forget();
      expect((await world.ask("a.example", "/x")).body).toBe("secret");
      while (world.auth.asked.length === 0) await delay(5);
      // The next request shows that everything to which the mirror's answer could lead has been
      // requested.
      expect((await world.ask("a.example", "/y")).body).toBe("secret");
      expect(world.backend.asked.map(({ url }) => url)).toEqual(["/x", "/y"]);
    }
  });

  test("the X-Accel-Redirect of an error backend does not replace its page", async () => {
    await world.apply(
      settings({ "custom-http-errors": "404", "default-backend-service": "" }),
      ingress({ name: "a", annotations: { "custom-http-errors": "404", "default-backend": "web" } }),
    );
    world.backend.answer = (asked, response) => {
      if (asked.headers["x-code"] === "404") redirecting("/other", 404)(asked, response);
      else response.writeHead(asked.url === "/other" ? 200 : 404).end(asked.url);
    };
    const { status, body } = await world.ask("a.example", "/gone");
    expect([status, body]).toEqual([404, "the answer itself"]);
  });

  test("an Ingress may have paths with the names of nginx's internal locations", async () => {
    const paths = ["/_sluice/variables", "/_sluice", "/@sluice_status"].map((path) => [path, "Exact"] as const);
    await world.apply(
      ingress({ name: "a", paths }),
      ingress({ name: "b", annotations: { "rewrite-target": "/_sluice/x" } }),
    );
    for (const [path] of paths) expect((await world.ask("a.example", path)).body).toBe("secret");
    expect((await world.ask("a.example", "/other")).status).toBe(404);
    expect((await world.ask("b.example", "/")).body).toBe("secret");
    expect(world.backend.asked.at(-1)!.url).toBe("/_sluice/x");
  });

  test("an error page for clients without a certificate cannot be an internal location", async () => {
    const { ca } = await sharedPki();
    for (const page of ["@sluice_status", "/_sluice/variables", "/_sluice/0123456789abcdef", "/nginx_status"]) {
      const annotations = { "auth-tls-secret": "ns/ca", "auth-tls-error-page": page };
      const a = ingress({ name: "a", annotations, spec: { tls: [{ hosts: ["a.example"] }] } });
      await world.apply(open, secret("ca", { "ca.crt": ca.certificate }), a);
      const answer = await request({ to: `192.0.2.1:${ports.https}`, sni: "a.example", host: "a.example", path: "/x" });
      expect([page, /Active connections/.test(answer.body)]).toEqual([page, false]);
      await world.clear();
    }
  });
});
