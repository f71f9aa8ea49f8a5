/**
 * Tests references of objects of the Gateway API: to a Service that is harmless at first and is
 * changed later, and to Secrets, ConfigMaps, authorities and Services of another namespace. The
 * objects under attack are in `ns`, and those of the attacker in `evil`.
 */
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { KubernetesObject, Service } from "../../../src/core/model/objects.ts";
import { request } from "../../nginx/support/request.ts";
import { until } from "../../nginx/support/until.ts";
import {
  authorities,
  backendTLSPolicy,
  bySettings,
  gateway,
  gatewayClass,
  listener,
  namespace,
  route,
  routeSettings,
} from "../../support/gateways.ts";
import { configMap, secret, service, settings } from "../support/objects.ts";
import { ports, worldOf } from "../support/world.ts";
import { pki } from "../tenants/authority.ts";

const address = "192.0.2.74";
const world = worldOf({ mode: "dynamic", flags: [`--gateway-addresses=${address}`] });
const all = { namespaces: { from: "All" } } as const;
const trapPort = 4_180;
const traps: Server[] = [];
let trapped = 0;

beforeAll(async () => {
  for (const host of ["127.0.0.1", "192.0.2.1"]) {
    const trap = createServer((socket) => {
      trapped++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => trap.listen(host === "127.0.0.1" ? trapPort : 10_254, host, resolve));
    traps.push(trap);
  }
});
afterAll(() => {
  for (const trap of traps) trap.close();
});
beforeEach(async () => {
  trapped = 0;
  await world.apply(
    ...[gatewayClass(), namespace("ns"), namespace("evil"), gateway({ listeners: [listener({ allowedRoutes: all })] })],
    ...service("web", world.backend.address, world.backend.port, "evil"),
  );
});

const ask = (host: string, headers: Record<string, string> = {}) => request({ to: `${address}:80`, host, headers });
const inEvil = <T extends KubernetesObject>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, namespace: "evil" },
});
const web = { name: "web", port: 80 };
const moving = { name: "moving", port: 80 };
const evil = (rule: object) => route({ name: "evil", namespace: "evil", hostnames: ["evil.example"], rules: [rule] });

/** The Service as it becomes after a while. */
const later: readonly (readonly [what: string, object: () => readonly KubernetesObject[]])[] = [
  ...["localhost", "127.0.0.1", "2130706433", "metadata.test", "web.ns.svc.cluster.local"].map((externalName) => {
    const spec = { type: "ExternalName", externalName, ports: [{ name: "http", port: 80, targetPort: trapPort }] };
    const object = { apiVersion: "v1", kind: "Service", metadata: { name: "moving", namespace: "evil" }, spec };
    return [`an ExternalName for ${externalName}`, () => [object as KubernetesObject]] as const;
  }),
  ...(
    [
      ["127.0.0.1", trapPort],
      ["127.9.9.9", trapPort],
      ["0.0.0.0", trapPort],
      ["192.0.2.1", 10_254],
      ["192.0.2.1", ports.status],
      ["169.254.169.254", 80],
    ] as const
  ).map(([host, port]) => [`endpoints at ${host}:${port}`, () => service("moving", host, port, "evil")] as const),
];

/** Lets a Service take requests over HTTP/2 without TLS. */
function overHttp2(object: KubernetesObject): KubernetesObject {
  const { spec } = object as Service;
  if (object.kind !== "Service" || spec?.ports === undefined) return object;
  const changed = spec.ports.map((one) => ({ ...one, appProtocol: "kubernetes.io/h2c" }));
  return { ...object, spec: { ...spec, ports: changed } } as KubernetesObject;
}

describe.each(later)("a Service that becomes %s", (what, become) => {
  const honest = () => world.apply(...service("moving", world.auth.address, world.auth.port, "evil"));

  test("lets no request pass as an auth service", async () => {
    const filters = [{ type: "ExternalAuth", externalAuth: { protocol: "HTTP", backendRef: moving } }];
    await honest();
    await world.apply(evil({ backendRefs: [web], filters }));
    expect((await ask("evil.example")).body).toBe("secret");
    await world.apply(...become());
    const { status, body } = await ask("evil.example");
    expect([what, status >= 500, body === "secret", trapped]).toEqual([what, true, false, 0]);
  });

  test("is not asked as an auth service over gRPC", async () => {
    const externalAuth = { protocol: "GRPC", backendRef: moving, forwardBody: { maxSize: 1_000 } };
    await world.apply(...become(), evil({ backendRefs: [web], filters: [{ type: "ExternalAuth", externalAuth }] }));
    const { status, body } = await ask("evil.example");
    expect([what, status >= 500, body === "secret", trapped]).toEqual([what, true, false, 0]);
  });

  test("gets no copies over HTTP/2", async () => {
    const filters = [{ type: "RequestMirror", requestMirror: { backendRef: moving } }];
    await world.apply(...become().map(overHttp2), evil({ backendRefs: [web], filters }));
    for (let at = 0; at < 3; at++) expect((await ask("evil.example")).body).toBe("secret");
    // The last request makes a copy for another Service, which is sent after the earlier ones.
    await honest();
    expect((await ask("evil.example")).body).toBe("secret");
    await until("the copy", () => world.auth.asked.length === 1);
    expect(trapped).toBe(0);
  });

  test("gets no copies and no requests", async () => {
    const filters = [{ type: "RequestMirror", requestMirror: { backendRef: moving } }];
    await honest();
    await world.apply(evil({ backendRefs: [web], filters }));
    expect((await ask("evil.example")).body).toBe("secret");
    await until("the copy", () => world.auth.asked.length === 1);
    await world.apply(...become());
    for (let at = 0; at < 3; at++) expect((await ask("evil.example")).body).toBe("secret");
    await world.apply(evil({ backendRefs: [moving] }));
    expect((await ask("evil.example", { connection: "close" })).status).toBeGreaterThanOrEqual(500);
    expect([world.auth.asked.length, trapped]).toEqual([1, 0]);
  });
});

test("a policy for backends governs no Service and trusts no ConfigMap of another namespace", async () => {
  const theirs = (words: Parameters<typeof backendTLSPolicy>[0], more: object = {}) => {
    const policy = inEvil(backendTLSPolicy(words));
    const [target] = policy.spec!.targetRefs!;
    return { ...policy, spec: { ...policy.spec, targetRefs: [{ ...target, ...more }] } } as KubernetesObject;
  };
  await world.apply(
    authorities("ca", pki.ca.certificate),
    route({ name: "victim", hostnames: ["victim.example"] }),
    evil({ backendRefs: [web] }),
    theirs({ name: "theirs" }, { namespace: "ns" }),
    theirs({ name: "named", service: "ns/web" }),
  );
  // A field that the Gateway API does not have: the policy is in its own namespace, and has no CA.
  expect((await ask("victim.example")).body).toBe("secret");
  expect((await ask("evil.example")).status).toBe(500);
  for (const name of ["ns/ca", "../ns/ca", "ca"]) {
    const validation = { caCertificateRefs: [{ group: "", kind: "ConfigMap", name, namespace: "ns" }] } as never;
    await world.apply(theirs({ name: "theirs", validation }));
    expect.soft([name, (await ask("evil.example")).status]).toEqual([name, 500]);
    expect
      .soft(world.problemsOf("theirs").join())
      .toMatch(/caCertificateRefs\[0\]\.namespace: is a field that Sluice does not know/);
  }
});

test("settings use no Secret and no ConfigMap of another namespace", async () => {
  const header = "hunter2-header";
  await world.apply(
    settings({ "global-allowed-response-headers": "X-Theirs" }),
    secret("users", { auth: "victim:{PLAIN}hunter2\n" }),
    secret("pair", { "tls.crt": pki.client.certificate, "tls.key": pki.client.key }),
    configMap("headers", { "X-Theirs": header }),
  );
  const passed = { authorization: `Basic ${Buffer.from("victim:hunter2").toString("base64")}` };
  const tries: readonly Readonly<Record<string, string>>[] = [
    { "auth-type": "basic", "auth-secret": "ns/users", "auth-realm": "r" },
    { "auth-type": "basic", "auth-secret": "../ns/users" },
    { "custom-headers": "ns/headers" },
    { "auth-url": `${world.auth.origin}/`, "auth-proxy-set-headers": "ns/headers" },
    { "backend-protocol": "HTTPS", "proxy-ssl-secret": "ns/pair", "proxy-ssl-verify": "on" },
  ];
  for (const values of tries) {
    const filters = [bySettings()];
    await world.apply(routeSettings({ namespace: "evil", values }), evil({ backendRefs: [web], filters }));
    const { status, headers, body } = await ask("evil.example", passed);
    expect.soft([values, status >= 500, body === "secret"]).toEqual([values, true, false]);
    expect.soft(JSON.stringify([headers, world.auth.asked, world.backend.asked])).not.toContain(header);
  }
});
