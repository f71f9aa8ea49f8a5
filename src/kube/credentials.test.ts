import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findCredentials, podCredentials } from "./credentials.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-credentials-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const write = (name: string, content: string | object) => {
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
};
const kubeconfig = (name: string, user: object, cluster: object = { server: "https://192.0.2.9:6443/base" }) =>
  write(name, {
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: `${name}-space` } }],
    "current-context": name,
  });

test("a kubeconfig gives server, namespace, token, authority and client certificate", async () => {
  const data = (text: string) => Buffer.from(text).toString("base64");
  const user = { token: "secret", "client-certificate-data": data("cert"), "client-key-data": data("key") };
  const cluster = {
    server: "https://192.0.2.9:6443",
    "certificate-authority-data": data("ca"),
    "tls-server-name": "api",
  };
  const found = await findCredentials({ kubeconfig: kubeconfig("one", user, cluster), env: {} });
  expect(found.server.href).toBe("https://192.0.2.9:6443/");
  const { tls, headers } = await found.proof();
  expect(headers).toEqual({ authorization: "Bearer secret" });
  expect(tls).toMatchObject({
    ca: Buffer.from("ca"),
    cert: Buffer.from("cert"),
    key: Buffer.from("key"),
    servername: "api",
  });
});

test("a token file that a kubeconfig names is read, relative to the kubeconfig and without its line end", async () => {
  write("token", "from-file\n");
  const found = await findCredentials({ kubeconfig: kubeconfig("one", { tokenFile: "token" }), env: {} });
  expect((await found.proof()).headers).toEqual({ authorization: "Bearer from-file" });
});

test("where KUBECONFIG has several files, the first one's context counts", async () => {
  const files = [kubeconfig("one", { token: "1" }), kubeconfig("two", { token: "2" })];
  const found = await findCredentials({ env: { KUBECONFIG: files.join(":") } });
  expect((await found.proof()).headers).toEqual({ authorization: "Bearer 1" });
});

test("where several files have an entry with one name, the first one counts", async () => {
  const context = { name: "one", context: { cluster: "one", user: "one" } };
  const other = write("other", {
    clusters: [{ name: "one", cluster: { server: "https://192.0.2.10" } }],
    users: [{ name: "one", user: { token: "other" } }],
    contexts: [context, { name: "more", context: { cluster: "one", user: "one" } }],
  });
  const files = [kubeconfig("one", { token: "1" }), other];
  const found = await findCredentials({ env: { KUBECONFIG: files.join(":") }, context: "more" });
  expect(found.server.host).toBe("192.0.2.9:6443");
  expect((await found.proof()).headers).toEqual({ authorization: "Bearer 1" });
});

test("a context whose user no file has still has the authority of its cluster", async () => {
  const data = Buffer.from("ca").toString("base64");
  const file = write("anonymous", {
    clusters: [{ name: "one", cluster: { server: "https://192.0.2.9", "certificate-authority-data": data } }],
    contexts: [{ name: "one", context: { cluster: "one", user: "nobody" } }],
    "current-context": "one",
  });
  const found = await findCredentials({ kubeconfig: file, env: {} });
  expect(await found.proof()).toEqual({ tls: { ca: Buffer.from("ca") }, headers: {} });
});

test("an entry that client-node refuses harms no other entry", async () => {
  const file = kubeconfig("one", { token: "1" });
  const config = JSON.parse(readFileSync(file, "utf8"));
  write("one", { ...config, clusters: [{ name: "broken" }, ...config.clusters] });
  const found = await findCredentials({ kubeconfig: file, env: {} });
  expect((await found.proof()).headers).toEqual({ authorization: "Bearer 1" });
});

test("the connection's own settings of a cluster count", async () => {
  const cluster = { server: "https://192.0.2.9", "insecure-skip-tls-verify": true };
  const found = await findCredentials({ kubeconfig: kubeconfig("one", {}, cluster), env: {} });
  expect((await found.proof()).tls).toEqual({ rejectUnauthorized: false });
});

test("files of certificates and keys are read again for each connection, relative to the kubeconfig", async () => {
  write("ca.crt", "ca 1");
  write("user.crt", "cert 1");
  write("user.key", "key 1");
  const user = { "client-certificate": "user.crt", "client-key": "user.key" };
  const cluster = { server: "https://192.0.2.9", "certificate-authority": "ca.crt" };
  const found = await findCredentials({ kubeconfig: kubeconfig("one", user, cluster), env: {} });
  const texts = async () => Object.values((await found.proof()).tls).map((one) => one && String(one));
  expect(await texts()).toEqual(["ca 1", "cert 1", "key 1"]);
  write("user.crt", "cert 2");
  expect(await texts()).toEqual(["ca 1", "cert 2", "key 1"]);
});

test.each([
  [{ username: "ann", password: "b" }, { authorization: `Basic ${Buffer.from("ann:b").toString("base64")}` }],
  [{ token: "t", username: "ann" }, { authorization: "Bearer t" }],
  [
    { token: "t", as: "ben" },
    { authorization: "Bearer t", "impersonate-user": "ben" },
  ],
  [{ "auth-provider": { name: "oidc", config: { "id-token": `e30.${btoa('{"exp":1}')}.c` } } }, {}],
  [
    { "auth-provider": { name: "oidc", config: { "id-token": `e30.${btoa('{"exp":9999999999}')}.c` } } },
    { authorization: `Bearer e30.${btoa('{"exp":9999999999}')}.c` },
  ],
  [{}, {}],
])("the user %o sends the headers %o", async (user, headers) => {
  const found = await findCredentials({ kubeconfig: kubeconfig("one", user), env: {} });
  expect((await found.proof()).headers).toEqual(headers);
});

describe("a plugin that prints the credential", () => {
  const plugin = (script: string) => {
    chmodSync(write("plugin", `#!/bin/sh\n${script}`), 0o755);
    return kubeconfig("one", {
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        command: "./plugin",
        args: ["login"],
        env: [{ name: "WHO", value: "ann" }],
      },
    });
  };
  const answer = (status: string) => `echo run >> "$(dirname "$0")/runs"; echo '{"status":{${status}}}'`;
  const runs = () => readFileSync(join(folder, "runs"), "utf8").trim().split("\n").length;

  test("is found beside the kubeconfig, gets its arguments and variables, and is run once", async () => {
    const file = plugin(
      `test "$KUBERNETES_EXEC_INFO" || exit 1; ${answer('"token":"\'"$1-$WHO"\'","clientCertificateData":"c","clientKeyData":"k"')}`,
    );
    const found = await findCredentials({ kubeconfig: file, env: process.env });
    for (let at = 0; at < 2; at++) {
      expect(await found.proof()).toMatchObject({
        tls: { cert: "c", key: "k" },
        headers: { authorization: "Bearer login-ann" },
      });
    }
    expect(runs()).toBe(1);
  });

  test("is run once for requests that begin together", async () => {
    const file = plugin(answer('"token":"t","expirationTimestamp":"2020-01-01T00:00:00Z"'));
    const found = await findCredentials({ kubeconfig: file, env: process.env });
    await Promise.all([found.proof(), found.proof(), found.proof()]);
    expect(runs()).toBe(1);
  });

  test("is run again when its credential has expired", async () => {
    const file = plugin(answer('"token":"t","expirationTimestamp":"2020-01-01T00:00:00Z"'));
    const found = await findCredentials({ kubeconfig: file, env: process.env });
    await found.proof();
    await found.proof();
    expect(runs()).toBe(2);
  });

  test("is named with its error when it fails, and is run again", async () => {
    const file = plugin("echo log in first >&2; exit 1");
    const found = await findCredentials({ kubeconfig: file, env: process.env });
    await expect(found.proof()).rejects.toThrow(/program .*plugin gave no credential: log in first$/);
    plugin(answer('"token":"t"'));
    expect((await found.proof()).headers).toEqual({ authorization: "Bearer t" });
  });
});

test("a server without TLS gets no credential", async () => {
  const file = kubeconfig("one", { token: "secret" }, { server: "http://127.0.0.1:8001" });
  const found = await findCredentials({ kubeconfig: file, env: process.env });
  expect(await found.proof()).toEqual({ tls: {}, headers: {} });
});

test.each([
  ["{", "kubeconfig FILE cannot be read: "],
  ["", "kubeconfig FILE cannot be read: "],
  ["current-context: none", "kubeconfig FILE: its current context names no cluster"],
  [
    "{contexts: [{name: a, context: {cluster: b}}], current-context: a, clusters: [{name: b, cluster: {}}]}",
    "kubeconfig FILE: its current context names no cluster",
  ],
  [
    "{contexts: [{name: a, context: {cluster: b}}], current-context: a, clusters: [{name: b, cluster: {server: api}}]}",
    "kubeconfig FILE: the server api is no URL",
  ],
])("the kubeconfig %j is refused with one sentence", async (text, sentence) => {
  const file = write("broken", text);
  await expect(findCredentials({ kubeconfig: file, env: process.env })).rejects.toThrow(sentence.replace("FILE", file));
});

test("a context that no file has is reported by name", async () => {
  const given = { kubeconfig: kubeconfig("one", {}), context: "two", env: {} };
  await expect(findCredentials(given)).rejects.toThrow(/has no context two$/);
});

test("a given server replaces that of the kubeconfig", async () => {
  const given = { kubeconfig: kubeconfig("one", { token: "1" }), server: "https://192.0.2.10:6443", env: {} };
  const found = await findCredentials(given);
  expect(found.server.host).toBe("192.0.2.10:6443");
  expect((await found.proof()).headers).toEqual({ authorization: "Bearer 1" });
});

test("in a Pod the mounted files are used, with their current content", async () => {
  write("token", "first\n");
  write("ca.crt", "authority");
  write("namespace", "ingress-nginx");
  const found = await podCredentials(
    { KUBERNETES_SERVICE_HOST: "2001:db8::1", KUBERNETES_SERVICE_PORT: "6443" },
    folder,
  );
  expect(found.server.href).toBe("https://[2001:db8::1]:6443/");
  expect(await found.proof()).toEqual({
    tls: { ca: Buffer.from("authority") },
    headers: { authorization: "Bearer first" },
  });
  write("token", "second\n");
  // client-node reads a token again after a minute, as client-go does.
  vi.setSystemTime(Date.now() + 61_000);
  expect((await found.proof()).headers).toEqual({ authorization: "Bearer second" });
});

test("missing credentials give one sentence", async () => {
  await expect(findCredentials({ env: {} })).rejects.toThrow(/give --kubeconfig, set KUBECONFIG, or run in a Pod/);
});
