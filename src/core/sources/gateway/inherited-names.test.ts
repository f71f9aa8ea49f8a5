/**
 * Names that every object of JavaScript inherits, such as `constructor`, in fields that any tenant
 * may write. A table of known words has no entry for them.
 */
import { expect, test } from "vitest";
import {
  gateway,
  gatewayClass,
  grpcRoute,
  listener,
  listenerSet,
  namespace,
  pooled,
  route,
  serviceIn,
  shortConditions,
} from "../../../../test/support/gateways.ts";
import { fake, put } from "../../../../test/support/sketch.ts";
import type { RouteNamespaces } from "../../model/gateway/objects.ts";
import type { KubernetesObject } from "../../model/objects.ts";
import { sentence } from "../../model/problem.ts";
import { emptySnapshot } from "../../model/snapshot.ts";
import { translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

const inherited = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"];
const all = { namespaces: { from: "All" } } as const;
const world = put(emptySnapshot, gatewayClass(), namespace("ns"), namespace("other"), serviceIn("ns", "web"));

function outcome(...objects: KubernetesObject[]) {
  const found = translate({ ...emptyInputs, snapshot: put(world, ...objects) }, pooled, fake);
  return {
    said: [...found.problems.values()].flat().map(sentence),
    ports: [...found.configuration.listenerPorts.keys()],
    streams: found.configuration.streams,
    listeners: (key: string) => {
      const status = found.statuses.get(key);
      if (status?.kind !== "Gateway" && status?.kind !== "ListenerSet") throw new Error(`no status of ${key}`);
      return status.listeners.map(({ conditions }) => shortConditions(conditions));
    },
    route: (key: string) => {
      const status = found.statuses.get(key);
      return status?.kind === "route" ? status.parents.map(({ conditions }) => shortConditions(conditions)) : [];
    },
  };
}

test.each(inherited)("no protocol of a listener is called %s, and other listeners are served", (protocol) => {
  const strange = listener({ name: "strange", port: 81, protocol, hostname: "a.example", allowedRoutes: all });
  const kinds = { ...strange, name: "kinds", port: 82, allowedRoutes: { kinds: [{ kind: "HTTPRoute" }] } };
  const ofGateway = { allowedListeners: { namespaces: { from: "All" } } } as const;
  const { said, ports, streams, listeners } = outcome(
    gateway({ listeners: [listener({}), strange, kinds], spec: ofGateway as never }),
    listenerSet({ namespace: "other", listeners: [{ ...strange, port: 83 }] }),
    route({}),
  );
  expect(said.filter((text) => text.includes(`${protocol} is not HTTP, HTTPS, TLS, TCP or UDP`)).length).toBe(3);
  expect([ports, streams]).toEqual([["ns/gw:80"], []]);
  expect(listeners("Gateway ns/gw")).toMatchObject([
    { Accepted: true },
    ...[0, 1].map(() => ({ Accepted: "UnsupportedProtocol" })),
  ]);
});

test.each(inherited)("no protocol of a backend is called %s", (appProtocol) => {
  const { said, route: parents } = outcome(
    gateway({}),
    serviceIn("ns", "strange", { appProtocol }),
    route({ rules: [{ backendRefs: [{ name: "strange", port: 80 }] }] }),
    grpcRoute({ hostnames: ["calls.example"], rules: [{ backendRefs: [{ name: "strange", port: 80 }] }] }),
  );
  expect(said.filter((text) => text.includes(`has the appProtocol ${appProtocol}`)).length).toBe(2);
  expect(parents("HTTPRoute ns/route")).toEqual([{ Accepted: true, ResolvedRefs: "UnsupportedProtocol" }]);
});

test.each(inherited)("no namespace has a label %s that it does not have", (key) => {
  const selector = { matchExpressions: [{ key, operator: "Exists" }] };
  const namespaces = { from: "Selector", selector } as RouteNamespaces;
  const { route: parents } = outcome(
    gateway({ listeners: [listener({ allowedRoutes: { namespaces } })] }),
    route({ namespace: "other" }),
  );
  expect(parents("HTTPRoute other/route")).toMatchObject([{ Accepted: "NotAllowedByListeners" }]);
});

test.each(inherited)("no mode of client certificates and no filter is called %s", (name) => {
  const validation = { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }], mode: name };
  const { said, ports } = outcome(
    gateway({
      listeners: [listener({}), listener({ name: "tls", port: 443, protocol: "HTTPS", tls: { certificateRefs: [] } })],
      spec: { tls: { frontend: { default: { validation } } } } as never,
    }),
    route({ rules: [{ filters: [{ type: name }], backendRefs: [{ name: "web", port: 80 }] }] }),
  );
  expect(said.join("\n")).toContain(`"${name}" is not AllowValidOnly or AllowInsecureFallback`);
  expect(said.join("\n")).toContain(`"${name}" is not a filter that Sluice knows`);
  expect(ports).toEqual(["ns/gw:80"]);
});
