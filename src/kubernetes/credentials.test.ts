import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findCredentials, podCredentials } from "./credentials.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-credentials-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

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
  expect(found.namespace).toBe("one-space");
  const { tls, headers } = await found.proof();
  expect(headers).toEqual({ authorization: "Bearer secret" });
  expect(tls).toMatchObject({
    ca: Buffer.from("ca"),
    cert: Buffer.from("cert"),
    key: Buffer.from("key"),
    servername: "api",
  });
});

test("a token file that a kubeconfig names is read, from beside the kubeconfig and without its line end", async () => {
  write("token", "from-file\n");
  const found = await findCredentials({ kubeconfig: kubeconfig("one", { tokenFile: "token" }), env: {} });
  expect((await found.proof()).headers).toEqual({ authorization: "Bearer from-file" });
});

test("of several files in KUBECONFIG the first one's context counts", async () => {
  const files = [kubeconfig("one", { token: "1" }), kubeconfig("two", { token: "2" })];
  const found = await findCredentials({ env: { KUBECONFIG: files.join(":") } });
  expect((await found.proof()).headers).toEqual({ authorization: "Bearer 1" });
});

test("a server that is given takes the place of the one in the kubeconfig", async () => {
  const given = { kubeconfig: kubeconfig("one", { token: "1" }), server: "https://192.0.2.10:6443", env: {} };
  const found = await findCredentials(given);
  expect(found.server.host).toBe("192.0.2.10:6443");
  expect((await found.proof()).headers).toEqual({ authorization: "Bearer 1" });
});

test("in a Pod the mounted files count, and what they hold now", async () => {
  write("token", "first\n");
  write("ca.crt", "authority");
  write("namespace", "ingress-nginx");
  const found = await podCredentials(
    { KUBERNETES_SERVICE_HOST: "2001:db8::1", KUBERNETES_SERVICE_PORT: "6443" },
    folder,
  );
  expect(found.server.href).toBe("https://[2001:db8::1]:6443/");
  expect(found.namespace).toBe("ingress-nginx");
  expect(await found.proof()).toEqual({ tls: { ca: "authority" }, headers: { authorization: "Bearer first" } });
  write("token", "second\n");
  expect((await found.proof()).headers).toEqual({ authorization: "Bearer second" });
});

test("nothing to go by is said in one sentence", async () => {
  await expect(findCredentials({ env: {} })).rejects.toThrow(/give --kubeconfig, set KUBECONFIG, or run in a Pod/);
});
