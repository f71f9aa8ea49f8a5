/**
 * Trap 1: shared memory is newer than the workers of the text before, and older than those of the next. At no moment of a
 * reload does a request meet a route whose shape its worker lacks.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Subject, startSubject } from "../../parity/subject.ts";
import { type EchoBackends, startEchoBackends } from "../../support/echo-backend.ts";
import { pkiIn } from "../../support/pki.ts";
import { ingress, ingressClass, service, settings } from "../support/shop.ts";
import { steadyTraffic } from "../support/steady-traffic.ts";

const folder = mkdtempSync(join(tmpdir(), "trap-"));
const address = "192.0.2.74";
const to = "192.0.2.1:8381";
const hosts = ["a.example", "b.example", "c.example"];
let backends: EchoBackends;
let subject: Subject;

beforeAll(async () => {
  const { backend } = await pkiIn(folder);
  backends = await startEchoBackends({ addresses: [address], ...backend });
  const flags = ["http", "https", "default-server", "status"].map((name, at) => `--${name}-port=${8381 + at}`);
  const objects = [ingressClass, ...service("web", [address]), ...hosts.map((host) => ingress(host, host, "web"))];
  subject = await startSubject({ mode: "dynamic", flags, objects });
  await subject.settled();
});
afterAll(async () => {
  await Promise.all([subject.stop(), backends.stop()]);
  rmSync(folder, { recursive: true });
});

/** Each turn wants other shapes for all hosts than the one before. */
const turns = [
  { "use-forwarded-headers": "true", "enable-real-ip": "true" },
  { "custom-http-errors": "404", "proxy-body-size": "3m" },
  { "hide-headers": "X-One", "ssl-redirect": "false" },
  {},
];

test("settings that change every shape, and Ingresses edited meanwhile, fail no request", async () => {
  const traffic = steadyTraffic(hosts.map((host) => ({ to, host })));
  for (const [at, data] of turns.entries()) {
    await subject.apply([settings(data)]);
    for (const minutes of [1, 2])
      await subject.apply([ingress(hosts[0]!, hosts[0]!, "web", { "proxy-read-timeout": `${60 * minutes + at}` })]);
    await subject.settled();
  }
  await traffic.end();
  console.log(traffic.answers, `${traffic.retries} requests were asked twice`);
  expect([...traffic.answers.keys()]).toEqual(["200"]);
});

test("a host that needs a new shape is unknown, or served by the wildcard above it, until it has it", async () => {
  await subject.apply([ingress("wild", "*.wild.example", "web")]);
  await subject.settled();
  const traffic = steadyTraffic([{ to, host: "new.wild.example" }], 2);
  await subject.apply([ingress("new", "new.wild.example", "web", { "proxy-read-timeout": "77" })]);
  await subject.settled();
  await traffic.end();
  expect([...traffic.answers.keys()]).toEqual(["200"]);
});
