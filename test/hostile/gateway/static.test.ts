/**
 * Objects of the Gateway API in static mode, where none of them is served: they open no port, take
 * no host from an Ingress, write nothing, and end no connection.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { request } from "../../nginx/support/request.ts";
import {
  backendTLSPolicy,
  bySettings,
  gateway,
  gatewayClass,
  grpcRoute,
  listener,
  listenerSet,
  namespace,
  route,
  routeSettings,
} from "../../support/gateways.ts";
import { hostileObjects } from "../search/objects.ts";
import { intruders } from "../support/corpus.ts";
import { ingress, service } from "../support/objects.ts";
import { ports, worldOf } from "../support/world.ts";

const address = "192.0.2.75";
const world = worldOf({ mode: "static", flags: ["--shared-gateway=ns/gw", `--gateway-addresses=${address}`] });
const all = { namespaces: { from: "All" } } as const;
const web = [{ name: "web", port: 80 }];

function stream(kind: "TCPRoute" | "UDPRoute" | "TLSRoute", section: string): KubernetesObject {
  return {
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind },
    metadata: { name: kind.toLowerCase(), namespace: "evil", uid: kind },
    spec: {
      parentRefs: [{ name: "gw", namespace: "ns", sectionName: section }],
      ...(kind === "TLSRoute" ? { hostnames: ["shop.example"] } : {}),
      rules: [{ backendRefs: web }],
    },
  } as KubernetesObject;
}

test("objects of the Gateway API get no host, path, certificate or port in static mode, and nginx.conf has none of their text", async () => {
  const words = { namespace: "evil", age: 1e8, hostnames: ["shop.example"] } as const;
  const values = { "permanent-redirect": "https://evil.example/", "configuration-snippet": "pwned;" };
  const before = readFileSync(join(world.runFolder, "nginx.conf"), "utf8");
  const hostile = hostileObjects(7, 0, 60).map(({ name, objects }) => {
    const { annotations = {} } = objects.find(({ kind }) => kind === "Ingress")?.metadata ?? {};
    return routeSettings({ name, namespace: "evil", values: annotations, to: [["Gateway", "gw"]] });
  });
  await world.apply(
    ...[gatewayClass(), namespace("ns"), namespace("evil")],
    ...service("web", world.auth.address, world.auth.port, "evil"),
    gateway({
      listeners: [
        listener({ allowedRoutes: all }),
        listener({ name: "tcp", port: 5000, protocol: "TCP", allowedRoutes: all }),
        listener({ name: "udp", port: 5001, protocol: "UDP", allowedRoutes: all }),
        listener({ name: "tls", port: 443, protocol: "TLS", tls: { mode: "Passthrough" }, allowedRoutes: all }),
      ],
      spec: { allowedListeners: all } as never,
    }),
    listenerSet({ namespace: "evil", age: 1e8, listeners: [listener({ name: "own", hostname: "shop.example" })] }),
    route({ ...words, name: "plain" }),
    route({ ...words, name: "set", rules: [{ filters: [bySettings("settings")], backendRefs: web }] }),
    grpcRoute(words),
    ...[stream("TCPRoute", "tcp"), stream("UDPRoute", "udp"), stream("TLSRoute", "tls")],
    routeSettings({ namespace: "evil", values, to: [["HTTPRoute", "plain"]] }),
    backendTLSPolicy({}),
    ...hostile,
  );
  expect(readFileSync(join(world.runFolder, "nginx.conf"), "utf8").replaceAll(/generation \S+/g, "")).toBe(
    before.replaceAll(/generation \S+/g, ""),
  );
  expect((await world.ask("shop.example")).status).toBe(404);
  await world.apply(ingress({ name: "shop" }));
  for (const path of ["/", "/x", "/a.B/C"]) {
    const call = { "content-type": "application/grpc" };
    expect.soft((await world.ask("shop.example", path)).body).toBe("secret");
    expect.soft((await world.ask("shop.example", path, { method: "POST", headers: call })).body).toBe("secret");
  }
  const secure = { to: `192.0.2.1:${ports.https}`, host: "shop.example", sni: "shop.example" };
  expect((await request(secure)).body).toBe("secret");
  for (const port of [80, 443, 5000])
    await expect(request({ to: `${address}:${port}`, host: "shop.example" })).rejects.toThrow("ECONNREFUSED");
  expect(world.auth.asked).toEqual([]);
  expect(intruders(world.tree())).toEqual([]);
});
