/**
 * Tests trap 1: during a reload shared memory is newer than the old workers and older than the new
 * ones. At no moment may a request get a route whose shape its worker lacks.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ingress, service, settings } from "../support/shop.ts";
import { type ShopSubject, startShop } from "../support/shop-subject.ts";
import { steadyTraffic } from "../support/steady-traffic.ts";

const hosts = ["a.example", "b.example", "c.example"];
let subject: ShopSubject;
beforeAll(async () => {
  const address = "192.0.2.74";
  const ingresses = hosts.map((host) => ingress(host, host, "web"));
  subject = await startShop(8386, [address], [...service("web", [address]), ...ingresses]);
});
afterAll(() => subject.stop());

/** Opens connections without a request, so that the workers that accepted them do not end. */
async function connected(count: number): Promise<readonly Socket[]> {
  const [address = "", port] = subject.to.split(":");
  const connections = Array.from({ length: count }, () => connect(Number(port), address));
  await Promise.all(connections.map((one) => once(one, "connect")));
  return connections;
}

/** Each turn needs other shapes for all hosts than the turn before. */
const turns = [
  { "use-forwarded-headers": "true", "enable-real-ip": "true" },
  { "custom-http-errors": "404", "proxy-body-size": "3m" },
  { "hide-headers": "X-One", "ssl-redirect": "false" },
  {},
];

test("settings that change every shape, beside edited Ingresses, fail no request", async () => {
  const traffic = steadyTraffic(hosts.map((host) => ({ to: subject.to, host })));
  for (const [at, data] of turns.entries()) {
    await subject.apply([settings(data)]);
    for (const minutes of [1, 2])
      await subject.apply([
        ingress(hosts[0]!, hosts[0]!, "web", { "client-body-buffer-size": `${60 * minutes + at}k` }),
      ]);
    await subject.settled();
  }
  await traffic.end();
  console.log(traffic.answers, `${traffic.retries} requests were asked twice`);
  expect([...traffic.answers.keys()]).toEqual(["200"]);
});

test("a host that needs a new shape is unknown, or served by the wildcard above it, until the shape is there", async () => {
  await subject.apply([ingress("wild", "*.wild.example", "web")]);
  await subject.settled();
  const traffic = steadyTraffic([{ to: subject.to, host: "new.wild.example" }], 2);
  await subject.apply([ingress("new", "new.wild.example", "web", { "client-body-buffer-size": "77k" })]);
  await subject.settled();
  await traffic.end();
  expect([...traffic.answers.keys()]).toEqual(["200"]);
});

test("a wildcard of the running text is served beside a host that needs the next text, while older workers remain", async () => {
  const waiting = await connected(8);
  await subject.apply([ingress("high", "*.high.example", "web", { "client-body-buffer-size": "55k" })]);
  await subject.settled();
  const traffic = steadyTraffic([{ to: subject.to, host: "new.high.example" }], 2);
  await subject.apply([ingress("low", "new.high.example", "web", { "client-body-buffer-size": "66k" })]);
  await subject.settled();
  await traffic.end();
  for (const one of waiting) one.destroy();
  expect([...traffic.answers.keys()]).toEqual(["200"]);
});

test("a worker of an older text serves a request of a waiting connection by a route with a later shape", async () => {
  const connections = await connected(8);
  const shaped = { "client-body-buffer-size": "99k" };
  await subject.apply([ingress("other", "other.example", "web", shaped)]);
  await subject.settled();
  await subject.apply([ingress(hosts[1]!, hosts[1]!, "web", shaped)]);
  await subject.settled();
  for (const one of connections) one.write(`GET / HTTP/1.1\r\nHost: ${hosts[1]}\r\nConnection: close\r\n\r\n`);
  const answers = await Promise.all(connections.map((one) => text(one).catch((error: Error) => error.message)));
  expect(new Set(answers.map((answer) => answer.slice(0, answer.indexOf("\r"))))).toEqual(new Set(["HTTP/1.1 200 OK"]));
});
