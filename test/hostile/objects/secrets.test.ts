/**
 * Secrets with wrong content: binary, huge, of the wrong type, with a key that does not fit or
 * needs a password, or with hundreds of certificates. Their own host is served without them or
 * refused, and no other host is affected.
 */
import { createPrivateKey, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { KubernetesObject, Secret } from "../../../src/core/model/objects.ts";
import { request } from "../../nginx/support/request.ts";
import { type Pki, sharedPki } from "../../support/pki.ts";
import { configMap, ingress, secret, settings } from "../support/objects.ts";
import { ports, worldOf } from "../support/world.ts";

const pki = await sharedPki();
const raw = (data: Record<string, unknown>): Secret =>
  ({ apiVersion: "v1", kind: "Secret", metadata: { name: "odd", namespace: "ns" }, data }) as unknown as Secret;
const base64 = (text: string | Buffer): string => Buffer.from(text).toString("base64");
const encrypted = (key: string): string =>
  createPrivateKey(key)
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" })
    .toString();

/** Each Secret, with the Problem that it causes as a TLS pair. */
const pairs: Readonly<Record<string, (pki: Pki) => Secret>> = {
  "bytes that are no text": () => raw({ "tls.crt": base64(randomBytes(900_000)), "tls.key": base64(randomBytes(900)) }),
  "text that is no base64": () => raw({ "tls.crt": "\u0000\u202e***", "tls.key": "{}" }),
  "values that are no text": () => raw({ "tls.crt": 7, "tls.key": { a: [] } }),
  "no values": () => raw({}),
  "the key of another certificate": ({ tls, alt }) => secret("odd", { "tls.crt": tls.certificate, "tls.key": alt.key }),
  "a key with a password": ({ tls }) => secret("odd", { "tls.crt": tls.certificate, "tls.key": encrypted(tls.key) }),
  "a certificate in the place of the key": ({ tls }) =>
    secret("odd", { "tls.crt": tls.certificate, "tls.key": tls.certificate }),
  "nginx's words behind the certificate": ({ tls }) =>
    secret("odd", { "tls.crt": `${tls.certificate}\n; } pwned { #`, "tls.key": `${tls.key}\npwned;` }),
  "a chain that is cut off": ({ tls, ca }) =>
    secret("odd", { "tls.crt": tls.certificate + ca.certificate.slice(0, 300), "tls.key": tls.key }),
  "five hundred certificates": ({ tls, ca }) =>
    secret("odd", { "tls.crt": tls.certificate + ca.certificate.repeat(500), "tls.key": tls.key }),
  "a megabyte of beginnings": ({ tls }) =>
    secret("odd", { "tls.crt": "-----BEGIN CERTIFICATE-----\n".repeat(36_000), "tls.key": tls.key }),
};

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode, flags: ["--tcp-services-configmap=ns/tcp", "--udp-services-configmap=ns/udp"] });

  const withTls = (name: string, host: string, secretName: string) => {
    const made = ingress({ name, host });
    return { ...made, spec: { ...made.spec, tls: [{ hosts: [host], secretName }] } };
  };
  const apply = (...objects: KubernetesObject[]): Promise<void> => {
    const alt = secret("alt", { "tls.crt": pki.alt.certificate, "tls.key": pki.alt.key });
    return world.apply(alt, withTls("honest", "alt.example", "alt"), ...objects);
  };
  const others = async (): Promise<void> => {
    expect((await world.ask("neighbour.example")).body).toBe("secret");
    const served = await request({
      to: `192.0.2.1:${ports.https}`,
      sni: "alt.example",
      host: "alt.example",
      path: "/",
    });
    expect([served.status, served.body]).toEqual([200, "secret"]);
  };

  test.each(Object.keys(pairs))("a Secret with %s affects no other host and lets no request pass", async (what) => {
    const odd = pairs[what]!(pki);
    const data = odd.data ?? {};
    const named = { ...odd, data: { ...data, "ca.crt": data["tls.crt"]!, auth: data["tls.crt"]! } } as Secret;
    const plain = { "ssl-redirect": "false" };
    await apply(
      named,
      withTls("odd", "odd.example", "odd"),
      ingress({ name: "clients", annotations: { ...plain, "auth-tls-secret": "ns/odd" } }),
      ingress({ name: "basic", annotations: { ...plain, "auth-type": "basic", "auth-secret": "odd" } }),
    );
    await others();
    const asked = () => world.backend.asked.map(({ headers }) => headers.find(([name]) => name === "host")![1]);
    for (const host of ["clients.example", "basic.example"]) {
      const headers = { authorization: `Basic ${Buffer.from("a:b").toString("base64")}` };
      expect.soft((await world.ask(host, "/", { headers })).status, host).toBeGreaterThanOrEqual(400);
      expect.soft(asked()).not.toContain(host);
    }
    expect(JSON.stringify(world.tree())).not.toContain("pwned");
  });

  test("hostile entries of the ConfigMaps for TCP and UDP affect no other service", async () => {
    const own = [ports.status, ports["default-server"], ports.http, 10_254];
    const entries = Object.fromEntries([
      ...own.map((port) => [String(port), "ns/web:80"]),
      ...["0", "65536", "-1", "80;", "9000 udp", "1e3", "0x50", "__proto__"].map((key) => [key, "ns/web:80"]),
      ...["ns/web:80;}", "ns/web", "../web:80", "ns/web:80:PROXY:PROXY:x", ":", "\n", "ns/web:$port", "unix:/a:1"].map(
        (value, at) => [String(25_000 + at), value],
      ),
    ]);
    await apply(settings({}), configMap("tcp", entries), configMap("udp", entries));
    await others();
    expect(JSON.stringify(world.tree())).not.toContain("unix:/a");
  });
});
