/**
 * Changes every ConfigMap key once on a running controller with 100 Ingresses: to a valid value, to
 * an unreadable one, and back; eight keys at a time. Requests are sent all the time, and none may
 * fail.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { written } from "../../src/core/kinds/kind.ts";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { settingList } from "../../src/core/settings/registry.ts";
import { backendAddresses, clusterObjects, controllerConfigMap, standardObjects } from "../parity/standard-objects.ts";
import { type LocalSubject, startSubject } from "../parity/subject.ts";
import { type EchoBackends, startEchoBackends } from "../support/echo-backend.ts";
import { ingress } from "../support/ingress.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { settingSamples } from "../support/samples.ts";

const namespace = "live";
const hosts = Array.from({ length: 100 }, (_, at) => `host-${at}.live.example`);
const folder = mkdtempSync(join(tmpdir(), "sluice-live-"));
let pki: Pki;
let backends: EchoBackends;
let subject: LocalSubject;

beforeAll(async () => {
  pki = await pkiIn(folder);
  backends = await startEchoBackends({ addresses: backendAddresses, ...pki.backend });
  const objects = [...clusterObjects(pki), ...standardObjects(namespace, pki), ...hosts.map(ingressOf)];
  subject = await startSubject({ mode: "dynamic", flags: [], objects });
  await subject.settled();
});

afterAll(async () => {
  await subject.stop();
  await backends.stop();
  rmSync(folder, { recursive: true });
});

function ingressOf(host: string, at: number): KubernetesObject {
  const metadata = { uid: `uid-${at}`, creationTimestamp: "2026-01-01T00:00:00Z" };
  return ingress({ name: `app-${at}`, namespace, host, paths: [["/", "echo-a"]], metadata });
}

/**
 * Replaces values that would lock out the clients of this test or demand something that they lack.
 * Three keys are left out: they would demand a PROXY header, redirect to https, or send to an
 * unused ClusterIP.
 */
const leftOut = new Set(["use-proxy-protocol", "force-ssl-redirect", "service-upstream"]);
const harmless: Readonly<Record<string, string>> = {
  "whitelist-source-range": "192.0.2.0/24, 198.51.100.0/24",
  "denylist-source-range": "203.0.113.0/24",
  "block-cidrs": "203.0.113.7",
  "global-auth-url": "http://192.0.2.20:8080/auth",
  "bind-address": "192.0.2.1, 2001:db8::1",
  "bind-address-ipv4": "192.0.2.1",
  "bind-address-ipv6": "[2001:db8::1]",
  "max-worker-open-files": "4096",
  // Controller, clients and backends share this process, which may wait for a second on a busy
  // machine.
  "worker-shutdown-timeout": "30",
  "client-header-timeout": "59",
  "client-body-timeout": "59",
  "proxy-connect-timeout": "6",
  "proxy-send-timeout": "59",
  "proxy-read-timeout": "59",
  // The auth service does not understand the sample.
  "global-auth-request-redirect": "https://$host/back",
};

const declared = settingList.map(([, setting]) => setting);
const steps = declared
  .filter(({ key }) => !leftOut.has(key))
  .map((setting) => {
    const { key, kind, default: usual } = setting;
    const { good, bad } = settingSamples(setting);
    const legal = good.find((text) => {
      const read = kind.read(text);
      return read.ok && written(kind, read.value) !== written(kind, usual) && !/^\/(etc|dev)|collector/.test(text);
    });
    return {
      key,
      legal: harmless[key] ?? legal ?? good[0] ?? "",
      illegal: bad.find((text) => text !== "") ?? "\0",
    };
  });

/**
 * Returns each batch together with the one before it. The last two batches are empty, so that
 * everything is changed back.
 */
function batches<T>(all: readonly T[], size: number): readonly (readonly [readonly T[], readonly T[]])[] {
  const cut = Array.from({ length: Math.ceil(all.length / size) + 2 }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
  return cut.map((now, at) => [now, cut[at - 1] ?? []]);
}

/** Requests one host after the other until it is stopped, and returns the failures. */
function traffic() {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const failures: string[] = [];
  let asked = 0;
  let going = true;
  const one = async () => {
    while (going) {
      const host = hosts[asked++ % hosts.length]!;
      const answer = await ask(agent, host);
      if (answer !== "200") failures.push(`${host}: ${answer}`);
      await delay(2);
    }
  };
  const done = Promise.all(Array.from({ length: 3 }, one));
  return {
    failures,
    stop: async () => {
      going = false;
      await done;
      agent.destroy();
      return asked;
    },
  };
}

/**
 * Returns the status or the error. If a kept connection was closed meanwhile, the request is
 * repeated on a new one.
 */
async function ask(agent: Agent | false, host: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = request({ agent, host: "192.0.2.1", port: 80, headers: { host } }, (response) => {
      response.resume();
      response.on("end", () => resolve(String(response.statusCode)));
      response.on("error", (error) => resolve(error.message));
    });
    sent.on("error", (error) => resolve(sent.reusedSocket ? ask(false, host) : error.message));
    sent.end();
  });
}

test("no request fails while every key changes to a valid value, an invalid one, and back", async () => {
  const clients = traffic();
  for (const [now, before] of batches(steps, 8)) {
    const texts = [...before.map(({ key, illegal }) => [key, illegal]), ...now.map(({ key, legal }) => [key, legal])];
    const known = clients.failures.length;
    await subject.apply([controllerConfigMap(Object.fromEntries(texts))]);
    await subject.settled();
    expect(clients.failures.slice(known), now.map(({ key, legal }) => `${key}: ${legal}`).join(", ")).toEqual([]);
  }
  const asked = await clients.stop();
  console.log(`${steps.length} keys changed under ${asked} requests, ${clients.failures.length} failed`);
  expect(clients.failures).toEqual([]);
  expect(asked).toBeGreaterThan(1000);
  expect(steps.length + leftOut.size).toBe(222); // 12 of them Sluice's own
  await subject.apply([controllerConfigMap({ "proxy-read-timeout": "321" })]);
  await subject.settled();
  expect(readFileSync(join(subject.root, "nginx.conf"), "utf8")).toContain("proxy_read_timeout 321s;");
}, 300_000);

test("session tickets of the operator's key and DHE with the operator's parameters are used", async () => {
  const dh = execFileSync("openssl", ["genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:ffdhe2048"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "dh", namespace },
    data: { "dhparam.pem": Buffer.from(dh).toString("base64") },
  };
  const key = Buffer.alloc(48, 7).toString("base64");
  await subject.apply([
    secret as KubernetesObject,
    controllerConfigMap({
      "ssl-dh-param": `${namespace}/dh`,
      "ssl-ciphers": "DHE-RSA-AES128-GCM-SHA256",
      "ssl-session-tickets": "true",
      "ssl-session-ticket-key": key,
    }),
  ]);
  await subject.settled();
  const printed = execFileSync(
    "openssl",
    [
      "s_client",
      "-connect",
      "192.0.2.1:443",
      "-tls1_2",
      "-cipher",
      "DHE-RSA-AES128-GCM-SHA256",
      "-servername",
      hosts[0]!,
    ],
    { encoding: "utf8", input: "", stdio: ["pipe", "pipe", "ignore"] },
  );
  expect(printed).toContain("Cipher    : DHE-RSA-AES128-GCM-SHA256");
  // The name of a session ticket is the first 16 bytes of its key.
  expect(printed).toMatch(/0000 - 07 07 07 07 07 07 07 07-07 07 07 07 07 07 07 07/);
});
