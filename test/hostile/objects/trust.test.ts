/**
 * A tenant's Ingresses that each name a Secret with many authorities. nginx loads them again for
 * each, at every test and reload, so a namespace may have only some of them.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Directive } from "../../support/nginx-tree.ts";
import { sharedPki } from "../../support/pki.ts";
import { ingress, secret, service, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const { ca } = await sharedPki();
/** Authorities of about 60 kB. */
const bundle = ca.certificate.repeat(Math.ceil(60_000 / ca.certificate.length));
const store = secret("store", { "ca.crt": bundle });
const limit = (most: string) => settings({ "authorities-per-namespace": most });

/** Returns the annotation for the Secret of the other namespace. */
const secretOf = (annotations: object): Record<string, string> => ({
  [Object.keys(annotations).find((key) => key.endsWith("-secret"))!]: "other/store",
});

const kinds = {
  proxy_ssl_trusted_certificate: {
    annotations: { "backend-protocol": "HTTPS", "proxy-ssl-secret": "ns/store", "proxy-ssl-verify": "on" },
    status: 503,
  },
  ssl_client_certificate: { annotations: { "auth-tls-secret": "ns/store" }, status: 403 },
} as const;

/**
 * Returns the bytes of the bundle that nginx loads by directives of this name. It loads nothing for
 * a location that passes requests on without TLS.
 */
function loadedBy(name: string, tree: readonly Directive[]): number {
  const isPlain = tree.some((one) => one.name === "proxy_pass" && one.args[0]!.startsWith("http://"));
  return tree.reduce(
    (sum, { name: found, args, block = [] }) =>
      sum + (found === name && !isPlain ? sizeOf(args[0]!) : 0) + loadedBy(name, block),
    0,
  );
}

/** Returns the files that directives of this name load. */
const filesOf = (name: string, tree: readonly Directive[]): readonly string[] =>
  tree.flatMap(({ name: found, args, block = [] }) => [...(found === name ? [args[0]!] : []), ...filesOf(name, block)]);

const sizeOf = (path: string): number => (readFileSync(path, "utf8").includes(bundle) ? bundle.length : 0);

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode });

  test.each(Object.entries(kinds))("%s has a limited number of bytes", async (name, { annotations, status }) => {
    // They differ, so that no two of them share a location.
    const all = Array.from({ length: 12 }, (_, at) =>
      ingress({
        name: `i${at}`,
        day: 1 + at,
        annotations: { ...annotations, "proxy-ssl-name": `n${at}`, "ssl-ciphers": `AES128-SHA:!A${at}` },
      }),
    );
    const equal = ingress({
      name: "equal",
      namespace: "other",
      annotations: { ...annotations, ...secretOf(annotations), "proxy-ssl-name": "other" },
    });
    const { address, port } = world.backend;
    const inOther = [secret("store", { "ca.crt": bundle }, "other"), ...service("web", address, port, "other"), equal];
    await world.apply(store, ...all, limit("256k"));
    const loaded = loadedBy(name, world.tree());
    expect(loaded).toBeGreaterThan(0);
    expect(loaded).toBeLessThanOrEqual(256 * 1024);
    expect(world.problemsOf("i11")).toContainEqual(
      expect.stringMatching(
        /nginx would load more .* than authorities-per-namespace permits \(256k\); every request to its .* gets \d+$/,
      ),
    );
    expect((await world.ask("i11.example")).status).toBe(status);
    expect((await world.ask("neighbour.example")).body).toBe("secret");
    await world.apply(limit("4m"));
    expect(loadedBy(name, world.tree())).toBeGreaterThan(2 * loaded);
    const files = filesOf(name, world.tree());
    await world.apply(...inOther);
    expect(filesOf(name, world.tree()).length, "another namespace loads it, too").toBeGreaterThan(files.length);
    expect(new Set(filesOf(name, world.tree())).size, "equal authorities are one file").toBe(1);
    expect(world.problemsOf("i11").join()).not.toContain("authorities-per-namespace");
  });
});
