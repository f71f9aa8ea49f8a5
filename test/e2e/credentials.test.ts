/**
 * Credentials of kubeconfigs against a real API server: by a command of the packed program, and by
 * an informer, whose watches need them again and again. The API server trusts an issuer of OpenID
 * Connect that this file runs.
 */
import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle } from "../../scripts/bundle.ts";
import { Client, kubeConfigCredentials, SharedInformer } from "../../src/kube/index.ts";
import { until } from "../nginx/support/until.ts";
import { httpProxy, socksProxy } from "../support/proxies.ts";
import { issueServer, newAuthority } from "./support/authority.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { configMap, configMaps, write } from "./support/objects.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const address = "192.0.2.1";
const issuerPort = 9_443;
const issuer = `https://${address}:${issuerPort}`;
const clientId = "sluice";

let folder: string;
let packed: string;
let cluster: Cluster;
let issuing: HttpsServer;
const closing: Server[] = [];
const key = generateKeyPairSync("rsa", { modulusLength: 2048 });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-credentials-"));
  // The program reads files beside its own folder, as in the image.
  for (const name of ["docs", "nginx", "node_modules", "package.json", "templates", "ui"])
    symlinkSync(join(root, name), join(folder, name));
  packed = join(folder, "dist");
  await bundle(packed);
  const authority = await newAuthority(folder, "issuer-ca");
  const { certificateFile, keyFile } = await issueServer(authority, folder, "issuer", `IP:${address}`);
  issuing = createServer({ cert: readFileSync(certificateFile), key: readFileSync(keyFile) }, (request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answerOfIssuer(request.url ?? "")));
  });
  await once(issuing.listen(issuerPort, address), "listening");
  const trusted = [`--oidc-issuer-url=${issuer}`, `--oidc-client-id=${clientId}`, "--oidc-username-prefix=-"];
  cluster = await startCluster({
    apiServerFlags: [
      ...trusted,
      "--oidc-ca-file",
      authority.certificateFile,
      "--client-ca-file",
      join(folder, "issuer-ca.crt"),
    ],
  });
  await cluster.kubectl(["create", "clusterrolebinding", "ann", "--clusterrole=cluster-admin", "--user=ann"]);
  const ingress = {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { namespace: "default", name: "web" },
    spec: { ingressClassName: "nginx", rules: [{ host: "web.example" }] },
  };
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(ingress) });
});
afterAll(async () => {
  for (const server of [...closing, issuing]) server?.close();
  await cluster?.stop();
  rmSync(folder, { recursive: true });
});

/** Returns a token of the issuer that ends at this time, in seconds since 1970. */
function idToken(ends: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: issuer, aud: clientId, sub: "ann", iat: ends - 600, exp: ends };
  const signed = `${part({ alg: "RS256", kid: "one" })}.${part(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key.privateKey).toString("base64url")}`;
}

const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;

function answerOfIssuer(path: string): object {
  if (path === "/keys")
    return { keys: [{ ...key.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }] };
  if (path === "/token")
    return {
      access_token: "a",
      token_type: "Bearer",
      expires_in: 600,
      id_token: idToken(inAnHour()),
      refresh_token: "r",
    };
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
}

let written = 0;
/** Returns the file of a kubeconfig with this user and this cluster. */
function kubeconfig(user: object, more: object = {}): string {
  const file = join(folder, `kubeconfig-${written++}`);
  const one = { server: cluster.url, "certificate-authority": cluster.authority.certificateFile, ...more };
  const config = {
    clusters: [{ name: "one", cluster: one }],
    users: [{ name: "one", user }],
    contexts: [{ name: "one", context: { cluster: "one", user: "one" } }],
    "current-context": "one",
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** Runs `sluice compat` of the packed program, which reads the whole cluster. */
const compat = (file: string) =>
  execa(join(root, "node_modules/.bin/node"), [join(packed, "main.js"), "compat", "--kubeconfig", file], {
    reject: false,
    env: { KUBECONFIG: "" },
  });

function plugin(script: string): string {
  const file = join(folder, `plugin-${written++}`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}
const credential = (status: string) => `echo '{"kind":"ExecCredential","status":{${status}}}'`;
const exec = (script: string) => ({ exec: { apiVersion: "client.authentication.k8s.io/v1", command: plugin(script) } });

async function listening(server: Server): Promise<number> {
  closing.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const users: Readonly<Record<string, () => object | Promise<object>>> = {
  "a token": () => ({ token: "admin-token" }),
  "a file with a token": () => {
    writeFileSync(join(folder, "token"), "admin-token\n");
    return { tokenFile: "token" };
  },
  "a plugin": () => exec(`test "$KUBERNETES_EXEC_INFO" && ${credential('"token":"admin-token"')}`),
  "an expired token of OpenID Connect, which is refreshed": () => ({
    "auth-provider": {
      name: "oidc",
      config: {
        "idp-issuer-url": issuer,
        "idp-certificate-authority": join(folder, "issuer-ca.crt"),
        "client-id": clientId,
        "id-token": idToken(1),
        "refresh-token": "r",
      },
    },
  }),
  "a client certificate": async () => {
    const [certificate, clientKey] = [join(folder, "ann.crt"), join(folder, "ann.key")];
    const authority = ["-CA", join(folder, "issuer-ca.crt"), "-CAkey", join(folder, "issuer-ca.key")];
    const made = ["-newkey", "rsa:2048", "-nodes", "-keyout", clientKey, "-out", certificate];
    await execa("openssl", ["req", "-x509", ...made, ...authority, "-subj", "/CN=ann", "-days", "2"]);
    return { "client-certificate": "ann.crt", "client-key": "ann.key" };
  },
};

test.each(Object.keys(users))("the packed program reads a cluster with %s", async (name) => {
  const { stdout, stderr } = await compat(kubeconfig(await users[name]!()));
  expect(stderr).toBe("");
  expect(stdout).toMatch(/1 Ingress/);
});

test.each([
  ["http", httpProxy],
  ["socks5", socksProxy],
])(
  "the packed program reads a cluster through a proxy of type %s, and checks the name of the server",
  async (scheme, proxy) => {
    const seen: string[] = [];
    const url = `${scheme}://127.0.0.1:${await listening(proxy(seen))}`;
    const through = { "proxy-url": url, "tls-server-name": "kubernetes.default.svc" };
    expect((await compat(kubeconfig({ token: "admin-token" }, through))).stdout).toMatch(/1 Ingress/);
    expect(new Set(seen)).toEqual(new Set([`${address}:6443`]));
    const wrong = await compat(
      kubeconfig({ token: "admin-token" }, { ...through, "tls-server-name": "other.example" }),
    );
    expect(wrong.stderr).toContain("other.example");
  },
);

test("the context that is named counts, and one that no file has is named", async () => {
  const file = kubeconfig({ token: "wrong" });
  const config = JSON.parse(readFileSync(file, "utf8"));
  config.users.push({ name: "two", user: { token: "admin-token" } });
  config.contexts.push({ name: "two", context: { cluster: "one", user: "two" } });
  writeFileSync(file, JSON.stringify(config));
  const named = (context: string) =>
    execa(join(root, "node_modules/.bin/node"), [join(packed, "main.js"), "compat", "--context", context], {
      reject: false,
      env: { KUBECONFIG: file },
    });
  expect((await named("two")).stdout).toMatch(/1 Ingress/);
  expect((await named("three")).stderr).toContain(`kubeconfig ${file} has no context three`);
});

test.each([
  ["a plugin that fails", () => kubeconfig(exec("echo log in first >&2; exit 1")), "gave no credential: log in first"],
  ["a plugin that does not exist", () => kubeconfig({ exec: { command: "./none" } }), "gave no credential: spawn"],
  [
    "a kubeconfig that is no YAML",
    () => {
      const file = join(folder, "broken");
      writeFileSync(file, "{");
      return file;
    },
    "cannot be read: ",
  ],
  ["a kubeconfig that does not exist", () => join(folder, "none"), "cannot be read: "],
  ["a token that is wrong", () => kubeconfig({ token: "wrong" }), "Unauthorized"],
])("%s gives one sentence", async (_what, file, sentence) => {
  const { stderr, exitCode } = await compat(file());
  expect(stderr.trim().split("\n")).toEqual([expect.stringContaining(sentence)]);
  expect(exitCode).not.toBe(0);
});

test("a watch goes on with the next token of a plugin when the former one has ended", async () => {
  const count = join(folder, "runs");
  const soon = "$(date -u -d '+2 seconds' +%Y-%m-%dT%H:%M:%SZ)";
  const script = `echo run >> ${count}
echo "{\\"status\\":{\\"token\\":\\"admin-token\\",\\"expirationTimestamp\\":\\"${soon}\\"}}"`;
  const client = new Client(await kubeConfigCredentials([kubeconfig(exec(script))], undefined, process.env));
  const stop = new AbortController();
  const informer = new SharedInformer(client, configMaps, { namespace: "default", watchSeconds: 1 });
  const ended = informer.run(stop.signal);
  await informer.synced;
  const runs = () => readFileSync(count, "utf8").trim().split("\n").length;
  await until("the plugin has run again", () => runs() > 2);
  await write(client, configMap("later"));
  await until("the change is seen", () => informer.store.get("default/later") !== undefined);
  stop.abort();
  await ended;
  client.close();
});
