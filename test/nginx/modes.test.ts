/**
 * Checks that both modes give the same answers: a dynamic and a static controller serve the same
 * random hosts and paths and get the same random requests. The request as the backend saw it is
 * part of the answer.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ingress, KubernetesObject } from "../../src/core/model/objects.ts";
import { type Subject, startSubject } from "../parity/subject.ts";
import { drawn } from "../support/drawn.ts";
import { type EchoBackends, startEchoBackends } from "../support/echo-backend.ts";
import { ingress } from "../support/ingress.ts";
import { pkiIn } from "../support/pki.ts";
import { backedService, ingressClass } from "../support/sketch.ts";

const folder = mkdtempSync(join(tmpdir(), "modes-"));
const addresses = ["192.0.2.71", "192.0.2.72", "192.0.2.73"];
const ports = { dynamic: 8281, static: 8282 };
let backends: EchoBackends;
let dynamic: Subject;
let stock: Subject;

beforeAll(async () => {
  const { backend } = await pkiIn(folder);
  backends = await startEchoBackends({ addresses, ...backend });
  const flags = (first: number) =>
    ["http", "https", "default-server", "status"].map((name, at) => `--${name}-port=${first + 10 * at}`);
  dynamic = await startSubject({ mode: "dynamic", flags: flags(ports.dynamic), objects: base });
  stock = await startSubject({ mode: "static", flags: flags(ports.static), objects: base });
});

afterAll(async () => {
  await Promise.all([dynamic.stop(), stock.stop(), backends.stop()]);
  rmSync(folder, { recursive: true });
});

const services = ["web", "api", "none"];
const base = [
  ingressClass,
  ...services.flatMap((name, at) => backedService({ name, addresses: name === "none" ? [] : [addresses[at]!] })),
] as readonly KubernetesObject[];

const annotations = fc.constantFrom<Record<string, string>>(
  {},
  {},
  {},
  { "use-regex": "true" },
  { "rewrite-target": "/r$1" },
  { "force-ssl-redirect": "true" },
  { "server-alias": "b.example, d.example, *.q.example" },
  { "server-alias": "~^c\\.ex, example, other.*" },
  { "server-alias": ".q.example", "rewrite-target": "/p/$1", "x-forwarded-prefix": "/was/$1" },
  { "app-root": "/a/$host" },
  { "from-to-www-redirect": "true", "relative-redirects": "true" },
  { "custom-http-errors": "404,503", "default-backend": "api" },
  { "enable-cors": "true", "default-backend": "none" },
  { "permanent-redirect": "/elsewhere", "permanent-redirect-code": "307" },
  { "upstream-vhost": "inner.example", "use-port-in-redirects": "true" },
);
const path = fc.record({
  path: fc.constantFrom("/", "/a", "/a/", "/a/b", "/ab", "/a.c", "/A", "/x(/.*)?", "/%41", "/d e"),
  pathType: fc.constantFrom("Exact" as const, "Prefix" as const, "ImplementationSpecific" as const),
  service: fc.constantFrom(...services),
});
const sketch = fc.record({
  host: fc.constantFrom("a.example", "b.example", "*.example", "*.b.example", "x.b.example", undefined),
  paths: fc.array(path, { maxLength: 4 }),
  annotations,
  tls: fc.boolean(),
});
const world = fc.array(sketch, { minLength: 1, maxLength: 6 });
const hosts = [
  "a.example",
  "A.example",
  "b.example",
  "c.example",
  "x.b.example",
  "y.b.example",
  "p.q.example",
  "example",
  "other.test",
  "d.example",
  "www.a.example",
  "www.x.b.example",
  "q.example",
  "p.r.q.example",
];
const paths = [
  "/",
  "/a",
  "/a/",
  "/a/b",
  "/a/b/c",
  "/ab",
  "/abc",
  "/a.c",
  "/axc",
  "/A",
  "/x/y",
  "/x",
  "//a//b",
  "/a/../ab",
  "/%61",
  "/d%20e",
  "/zz?q=1",
];

function ingresses(sketches: readonly (typeof sketch extends fc.Arbitrary<infer S> ? S : never)[]): Ingress[] {
  return sketches.map(({ host, paths, annotations, tls }, at) =>
    ingress({
      ...{ name: `i${at}`, host, annotations, tls: tls ? "none" : undefined },
      paths: paths.map(({ path, pathType, service }) => [path, service, pathType]),
      metadata: { uid: `i${at}`, creationTimestamp: `2026-01-01T00:00:0${at}Z` },
    }),
  );
}

/** Returns the status, the Location without the port, and the request as the backend saw it. */
function answerOf(port: number, host: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: "192.0.2.1", port, path, headers: { Host: host, "X-Request-ID": "1" }, agent: false };
    get(options, (answer) => {
      let text = "";
      answer
        .on("data", (data) => (text += data))
        .on("end", () => {
          const seen = answer.statusCode === 200 ? JSON.parse(text) : {};
          const headers = JSON.stringify(seen.headers)?.replaceAll(String(port), "PORT");
          const location = (answer.headers.location ?? "").replace(/:(\d+)/, (found, named) =>
            Number(named) === port || Number(named) === port + 10 ? ":PORT" : found,
          );
          resolve(`${answer.statusCode} ${location} ${seen.backend ?? ""} ${seen.url ?? ""} ${headers}`);
        });
    }).on("error", reject);
  });
}

const draw = drawn(12);

test(
  "both modes give the same answers for random hosts and paths",
  async () => {
    await fc.assert(
      fc.asyncProperty(world, async (sketches) => {
        const objects = ingresses(sketches);
        for (const subject of [dynamic, stock]) await subject.apply(objects);
        await Promise.all([dynamic.settled(), stock.settled()]);
        const asked = hosts.flatMap((host) => paths.map((path) => [host, path] as const));
        const answers = await Promise.all(
          asked.map(async ([host, path]) => ({
            asked: `${host}${path}`,
            dynamic: await answerOf(ports.dynamic, host, path),
            static: await answerOf(ports.static, host, path),
          })),
        );
        for (const subject of [dynamic, stock]) await subject.remove(objects);
        expect(answers.filter((one) => one.dynamic !== one.static)).toEqual([]);
      }),
      { ...draw, endOnFailure: true },
    );
  },
  10_000 * draw.numRuns,
);
