/**
 * Tests the runner itself: a few cases run against a real nginx whose configuration a minimal
 * translator writes here, correct for most and deliberately wrong for one. This tests the path from
 * a case to its result, not Sluice.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ingress, KubernetesObject } from "../../src/core/model/objects.ts";
import { type TestNginx, testNginx } from "../nginx/support/nginx.ts";
import { type EchoBackends, startEchoBackends } from "../support/echo-backend.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { loadCase, loadExpectation } from "./case.ts";
import { differences } from "./compare.ts";
import { Runner } from "./runner.ts";
import { backendAddresses } from "./standard-objects.ts";
import type { StartSubject } from "./subject.ts";

const folder = mkdtempSync(join(tmpdir(), "parity-runner-"));
let nginx: TestNginx;
let backends: EchoBackends;
let pki: Pki;

beforeAll(async () => {
  pki = await pkiIn(folder);
  backends = await startEchoBackends({ addresses: backendAddresses, ...pki.backend });
  nginx = await testNginx();
});
afterAll(async () => {
  await nginx.stop();
  await backends.stop();
  rmSync(folder, { recursive: true });
});

test.each(["routing/path-prefix", "routing/update-path-removed"])(
  "the case %s passes with a hand-written configuration",
  async (name) => {
    expect(await verdict(name, forwardedHeaders)).toEqual([]);
  },
);

test("a missing header is reported with its request", async () => {
  const lines = await verdict("routing/update-path-removed", forwardedHeaders.slice(1));
  expect(lines.slice(0, 2)).toEqual([
    "1. GET http://updpath.example/b",
    '   seen.headers.x-request-id: expected "<id>", got nothing',
  ]);
});

async function verdict(name: string, headers: readonly string[]): Promise<readonly string[]> {
  const runner = await Runner.start(handWritten(headers), { mode: "static", flags: [], pki });
  const wanted = loadCase(name);
  const got = await runner.run(wanted);
  return differences(loadExpectation(wanted, false, "dynamic"), got, wanted.ignore);
}

const forwardedHeaders: readonly string[] = [
  "X-Request-ID $request_id",
  "Host $http_host",
  "X-Real-IP $remote_addr",
  "X-Forwarded-For $remote_addr",
  "X-Forwarded-Host $http_host",
  "X-Forwarded-Port $server_port",
  "X-Forwarded-Proto $scheme",
  "X-Forwarded-Scheme $scheme",
  "X-Scheme $scheme",
];
const addresses: Readonly<Record<string, string>> = { "echo-a": "192.0.2.11", "echo-b": "192.0.2.12" };

/** Renders hosts and Prefix paths, and nothing else. */
function handWritten(headers: readonly string[]): StartSubject {
  return async () => {
    const stored = new Map<string, KubernetesObject>();
    const key = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.namespace}/${metadata.name}`;
    return {
      apply: async (objects) => {
        for (const object of objects) stored.set(key(object), object);
        return [];
      },
      remove: async (objects) => {
        for (const object of objects) stored.delete(key(object));
      },
      settled: () => {
        const ingresses = [...stored.values()].filter((object): object is Ingress => object.kind === "Ingress");
        return nginx.serve({ http: ingresses.flatMap((ingress) => serversOf(ingress, headers)).join("\n") });
      },
      stop: async () => {},
    };
  };
}

function serversOf(ingress: Ingress, headers: readonly string[]): readonly string[] {
  const set = headers.map((header) => `proxy_set_header ${header};`).join(" ");
  return (ingress.spec?.rules ?? []).map(({ host, http }) => {
    const locations = (http?.paths ?? []).flatMap(({ path, backend }) => {
      const pass = `{ ${set} proxy_http_version 1.1; proxy_pass http://${addresses[backend.service!.name]}:8080; }`;
      return [`location = ${path} ${pass}`, `location ${path}/ ${pass}`];
    });
    return `server { listen 80; server_name ${host}; root /nowhere; location / { return 404; } ${locations.join("\n")} }`;
  });
}
