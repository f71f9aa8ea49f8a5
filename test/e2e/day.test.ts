/**
 * Simulates a day of a controller, at the most verbose log level: it starts and gets fifty changes,
 * then objects with mistakes; the API server is away for a while, nginx refuses a setting, and the
 * controller stops. Its log has to be readable, and neither the log nor an Event may hold a secret.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { readExposition, sumOf } from "../support/exposition.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { answerOf, ingress, openShop, type Shop, shopObjects } from "./support/shop.ts";
import { apply, installPod, ownPod, Sluice } from "./support/sluice.ts";
import { hook, installWebhook, tried, webhookFlags } from "./support/webhook.ts";

const { namespace } = ownPod;
const hash = "$apr1$kT6mIMPd$Qh1uN0xk4sQvVqXn1v1iG/";
const ticketKey = randomBytes(80).toString("base64");
const annotated = (annotations: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(annotations).map(([key, text]) => [`nginx.ingress.kubernetes.io/${key}`, text]));
const secret = (name: string, data: Readonly<Record<string, string>>, type = "Opaque") => ({
  apiVersion: "v1",
  kind: "Secret",
  type,
  metadata: { namespace: "shop", name },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, btoa(text)])),
});
const settings = (data: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace, name: "settings" },
  data,
});

let cluster: Cluster;
let shop: Shop;
let sluice: Sluice;
/** Secrets that no output may hold. */
const secrets: string[] = [hash, ticketKey, "admin-token"];
/** Returns the whole output, including nginx's lines. */
const printed = () => readFileSync(sluice.process.logFile, "utf8");
const lines = () =>
  sluice.log
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, string>>);
/** Waits for this text after the output at `since`. */
const says = (pattern: RegExp, since = 0) => until(`${pattern}`, () => pattern.test(printed().slice(since)), 120_000);
/** Returns all syncs except those that still wait for their reload, which have another line. */
const syncLines = () =>
  lines().filter(({ translate, msg }) => translate !== undefined && msg !== "not live yet: it waits for a reload");

beforeAll(async () => {
  [cluster, shop] = await Promise.all([startCluster(), openShop()]);
  await installPod(cluster);
  await installWebhook(cluster);
  await apply(cluster, [
    ...shopObjects,
    settings({ "ssl-session-tickets": "true", "ssl-session-ticket-key": ticketKey }),
  ]);
  const flags = [`--configmap=${namespace}/settings`, "--v=5", "--enable-metrics", "--reload-burst=50"];
  sluice = new Sluice({ cluster, flags: [...flags, ...webhookFlags, "--publish-status-address=192.0.2.1"] });
  await sluice.process.start();
});
afterAll(async () => {
  await sluice?.end();
  await shop?.stop();
  await cluster?.stop();
});

test("a controller works through a day of changes, mistakes and failures", async () => {
  const { tls, ca } = shop.pki;
  for (const { key } of [tls, ca])
    secrets.push(...key.split("\n").filter((line) => !line.startsWith("-") && line !== ""));
  await until("the webhook answers", async () => (await tried(cluster, ingress("web"))) === "", 30_000);
  await apply(cluster, [
    secret("tls", { "tls.crt": tls.certificate, "tls.key": tls.key }, "kubernetes.io/tls"),
    secret("authority", { "ca.crt": ca.certificate, "tls.crt": ca.certificate, "tls.key": ca.key }),
    secret("users", { auth: `me:${hash}\n` }),
    ingress("app", { tls: "tls", annotations: annotated({ "auth-tls-secret": "shop/authority" }) }),
    ingress("inner", { annotations: annotated({ "auth-type": "basic", "auth-secret": "users" }) }),
  ]);
  await until("who is not known is not let in", async () => (await answerOf("inner")) === 401, 30_000);
  for (let at = 0; at < 50; at++) {
    const timeout = annotated({ "proxy-read-timeout": String(5 + ((at + Math.floor(at / 10)) % 5)) });
    const service = at % 2 === 0 ? "echo-a" : "echo-b";
    await apply(cluster, [ingress(`web-${at % 10}`, { service, annotations: timeout })]);
  }
  await until("the last change is live", async () => (await answerOf("web-9")) === "echo-b", 60_000);

  await apply(cluster, [
    ingress("nobody", { service: "nothing" }),
    secret("broken", { "tls.crt": tls.certificate, "tls.key": ca.key }, "kubernetes.io/tls"),
    ingress("misfit", { tls: "broken", annotations: annotated({ "proxy-raed-timeout": "5" }) }),
  ]);
  const bad = ingress("bad", { annotations: annotated({ "whitelist-source-range": "everywhere" }) });
  expect(await tried(cluster, bad)).toMatch(/denied the request/);
  await says(/Service shop\/nothing not found/);

  const away = printed().length;
  await cluster.apiServer.stop("SIGKILL");
  await says(/the API server is not reached/, away);
  await delay(1_000);
  const back = printed().length;
  await cluster.apiServer.start();
  await says(/the API server is reached again/, back);

  await apply(cluster, [settings({ "ssl-session-ticket-key": ticketKey, "http-snippet": "no_such_directive on;" })]);
  await says(/nginx refuses it and stays as it was/);
  await until("everything else is live", async () => (await answerOf("web")) === "echo-a");
  const made = await cluster.kubectl(["get", "secret", "-n", namespace, hook, "-o", "jsonpath={.data.key}"]);
  const pem = Buffer.from(made, "base64").toString();
  secrets.push(...pem.split("\n").filter((line) => !line.startsWith("-") && line !== ""));
  await until("each sync has its line", async () => {
    const { body } = await request({ to: "127.0.0.1:10254", path: "/metrics" });
    return syncLines().length === sumOf(readExposition(body), "sluice_syncs_total");
  });
});

test("kubectl describe shows what is wrong with an object", async () => {
  const described = async (kind: string, name: string) => {
    const text = await cluster.kubectl([
      "describe",
      kind,
      name,
      "--namespace",
      name === "settings" ? namespace : "shop",
    ]);
    return text.slice(text.indexOf("Events:")).replaceAll(/\s+/g, " ");
  };
  // An Event is written after the log line.
  const sees = (kind: string, name: string, what: RegExp) => expect.poll(() => described(kind, name)).toMatch(what);
  await sees("ingress", "nobody", /Warning ServiceMissing .* Service shop\/nothing not found; the path answers 503/);
  await sees("ingress", "misfit", /Warning AnnotationUnknown .* \(did you mean proxy-read-timeout\?\)/);
  await sees(
    "ingress",
    "misfit",
    /Warning SecretUnusable .* Secret shop\/broken has a tls.key that does not belong to its tls.crt/,
  );
  await sees("configmap", "settings", /Warning SettingUnreadable .* nginx refused it/);
});

test("the controller stops with exit code 0", async () => {
  expect(await sluice.process.stop()).toBe(0);
});

test("every line is a constant message with fields, in the order of the day", () => {
  const messages = lines().map(({ msg }) => msg ?? "");
  expect(messages.filter((msg) => /web-|shop|\d|[{}"]/.test(msg))).toEqual([]);
  const story = [
    "starting",
    "nginx started",
    "serving",
    "applied without a reload",
    "refused at the door",
    "the API server is not reached; the last state is still served",
    "the API server is reached again",
    "nginx refuses it and stays as it was",
    "ending; requests in flight are finished",
    "ended; no nginx is left",
  ];
  // The lines come in this order. On a busy machine the API server may be away more than once.
  let at = -1;
  for (const msg of story) {
    at = messages.indexOf(msg, at + 1);
    expect([msg, at]).not.toEqual([msg, -1]);
  }
  expect(new Set(messages).size).toBeLessThan(60);
});

test("a sync is one line with the changes, the reason for the reload and the time of each stage", () => {
  const before = syncLines();
  expect(before.length).toBeGreaterThan(40);
  for (const line of before) {
    for (const stage of ["took", "translate", "render", "publish"]) expect(line[stage]).toMatch(/^[\d.]+ms$/);
    if (line.msg === "applied with a reload") expect(line.why).not.toBe("");
  }
  expect(before.some(({ changed }) => changed?.includes("Ingress shop/web-9"))).toBe(true);
});

test("mistakes of users leave no stack trace", () => {
  expect(lines().filter(({ err, stack }) => err !== undefined || stack !== undefined)).toEqual([]);
  expect(printed()).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
});

test("no secret is in the log or in an Event", async () => {
  expect(secrets.length).toBeGreaterThan(8);
  const events = await cluster.kubectl(["get", "events", "--all-namespaces", "-o", "json"]);
  for (const one of secrets) {
    expect(printed().includes(one)).toBe(false);
    expect(events.includes(one)).toBe(false);
  }
  expect(printed()).not.toContain("PRIVATE KEY");
});
