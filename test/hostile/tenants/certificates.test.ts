/**
 * Client certificates on every way to a path: a required certificate is requested, or the request
 * is refused.
 */
import { Agent } from "node:https";
import { describe, expect, test } from "vitest";
import { type RequestOptions, request, requestHttp2 } from "../../nginx/support/request.ts";
import { offered, sessionOf } from "../../nginx/support/tls-session.ts";
import { type IngressWords, ingress, secret, settings } from "../support/objects.ts";
import { ports, worldOf } from "../support/world.ts";
import { pki } from "./authority.ts";

const client = { cert: pki.client.certificate, key: pki.client.key };
const stranger = { cert: pki.stranger.certificate, key: pki.stranger.key };
const to = `192.0.2.1:${ports.https}`;
const pair = secret("pair", { "tls.crt": pki.tls.certificate, "tls.key": pki.tls.key });
const authorities = [
  secret("ca", { "ca.crt": pki.ca.certificate }),
  secret("otherca", { "ca.crt": pki.otherca.certificate }),
];
const asks = { "auth-tls-secret": "ns/ca" };

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode });

  const guarded = (annotations: Record<string, string> = {}, words: Partial<IngressWords> = {}) =>
    ingress({ name: "guarded", annotations: { ...asks, ...annotations }, ...words });
  const withTls = (words: Partial<IngressWords>) => {
    const { spec } = ingress({ name: "guarded", ...words });
    return { ...spec!, tls: [{ secretName: "pair" }] };
  };
  const status = async (more: Omit<RequestOptions, "to"> = {}, host = "guarded.example") =>
    (await world.ask(host, more.path ?? "/", more)).status;
  const secure = (more: Omit<RequestOptions, "to"> = {}) =>
    request({ to, sni: "guarded.example", host: "guarded.example", ...more });

  test("a request without TLS does not pass, under any host name and with any headers", async () => {
    const forced = { "force-ssl-redirect": "true" };
    const claims = [
      {},
      { "x-forwarded-proto": "https" },
      { "x-forwarded-port": "443" },
      { "x-forwarded-scheme": "https" },
    ];
    const trusting = settings({ "use-forwarded-headers": "true" });
    const alias = { "server-alias": "alias.test, *.alias.test" };
    const tries: [string, Record<string, string>, Partial<IngressWords>][] = [
      ["no tls section", {}, {}],
      ["no tls section, and an alias", alias, {}],
      ["ssl-redirect is off", { "ssl-redirect": "false", ...alias }, { spec: withTls({}) }],
      ["an alias that the certificate does not cover", alias, { spec: withTls({}) }],
      ["it is always redirected", { ...forced, ...alias }, { spec: withTls({}) }],
      ["a regular expression", { "use-regex": "true", ...alias }, { paths: [["/.*", "ImplementationSpecific"]] }],
      ["a canary asks", {}, {}],
    ];
    for (const [what, annotations, words] of tries) {
      for (const configMap of [settings({}), trusting]) {
        await world.apply(configMap, pair, ...authorities, guarded(annotations, words));
        for (const headers of claims) {
          for (const host of [
            "guarded.example",
            ...("server-alias" in annotations ? ["alias.test", "x.alias.test"] : []),
          ]) {
            for (const method of ["GET", "OPTIONS"]) {
              const answer = await world.ask(host, "/", {
                headers: { ...headers, origin: "https://a.example" },
                method,
              });
              expect
                .soft([308, 403], `${what}, ${host}, ${method}, ${JSON.stringify(headers)}`)
                .toContain(answer.status);
            }
          }
        }
      }
    }
    expect(
      world.backend.asked.filter(({ headers }) => headers.some(([, value]) => /guarded|alias/.test(value))),
    ).toEqual([]);
  });

  test("with TLS and the certificate a request passes, and redirects and the paths of ACME work as before", async () => {
    const challenge = ingress({
      name: "acme",
      host: "guarded.example",
      paths: [["/.well-known/acme-challenge/x", "Exact"]],
    });
    await world.apply(pair, ...authorities, guarded({}, { spec: withTls({}) }), challenge);
    expect(await status()).toBe(308);
    expect(await status({ path: "/.well-known/acme-challenge/x" })).toBe(200);
    expect((await secure()).status).toBe(400);
    expect((await secure({ agent: new Agent(client) })).body).toBe("secret");
    expect((await secure({ agent: new Agent(stranger) })).status).toBe(400);
  });

  test.each(["optional", "optional_no_ca", "off"])(
    "with verification %s plain http stays as it was",
    async (verify) => {
      await world.apply(...authorities, guarded({ "auth-tls-verify-client": verify }));
      expect(await status()).toBe(200);
    },
  );

  test("no connection, certificate or session of another host opens the guarded one", async () => {
    const other = ingress({ name: "other", annotations: { "auth-tls-secret": "ns/otherca" } });
    await world.apply(
      ...authorities,
      guarded(),
      other,
      ingress({ name: "optional", annotations: { ...asks, "auth-tls-verify-client": "optional" } }),
    );
    const strange = new Agent(stranger);
    for (const sni of ["neighbour.example", "other.example", "optional.example", "nobody.example"]) {
      for (const agent of [strange, new Agent(client)]) {
        const answer = await secure({ sni, agent }).catch(() => ({ status: 0, body: "" }));
        expect.soft(answer.body, sni).not.toContain("secret");
      }
      const { status } = await requestHttp2({ to, sni, host: "guarded.example" }).catch(() => ({ status: 0 }));
      expect.soft([0, 400, 421], sni).toContain(status);
    }
    expect((await secure({ sni: "" })).status).toBe(400);
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const to = `192.0.2.1:${ports.https}`;
      const session = await sessionOf({ to, host: "other.example", version, pair: pki.stranger });
      const { text, isResumed } = await offered({ to, host: "guarded.example", version }, session);
      expect.soft([text.includes("secret"), isResumed], version).toEqual([false, false]);
    }
  });
});
