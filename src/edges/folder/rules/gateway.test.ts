/** Objects that the definitions of the Gateway API would refuse get sentences of Sluice. */
import { expect, test } from "vitest";
import { fieldOf } from "../../../core/schema/findings.ts";
import { readManifest } from "../manifest.ts";
import { checkOfKind } from "./kinds.ts";

const metadata = { name: "x", namespace: "ns" };
const mistakes = (kind: string, spec: unknown) =>
  checkOfKind(kind)({ metadata, spec }).map(({ path, why }) => `${fieldOf(path)}: ${why}`);

const listener = { name: "http", port: 80, protocol: "HTTP" };
const ofGateway = (...listeners: unknown[]) => ({ gatewayClassName: "sluice", listeners });
const gateways: readonly [object, string][] = [
  [{ listeners: [listener] }, "spec: gatewayClassName is missing"],
  [ofGateway(), "spec.listeners: the list is empty"],
  [ofGateway({ ...listener, port: 0 }), "spec.listeners[0].port: 0 is not a whole number from 1 to 65535"],
  [
    ofGateway({ ...listener, tls: {} }),
    "spec.listeners[0].tls: it needs certificateRefs or options where mode is Terminate",
  ],
  [
    ofGateway({ ...listener, tls: { certificateRefs: [{ name: "a" }] } }),
    "spec.listeners[0].tls: it must not stand beside protocol HTTP",
  ],
  [
    ofGateway({ ...listener, protocol: "HTTPS", tls: { mode: "Passthrough" } }),
    "spec.listeners[0].tls.mode: it must be Terminate beside protocol HTTPS",
  ],
  [
    ofGateway({ ...listener, protocol: "TLS", tls: { mode: "Passthrough", options: "fast" } }),
    "spec.listeners[0].tls.options: text is given where a mapping is required",
  ],
  [
    ofGateway({ ...listener, hostname: "a.*.b" }),
    'spec.listeners[0].hostname: "a.*.b" has a * that is not its whole first label',
  ],
  [
    ofGateway({ ...listener, hostname: "192.0.2.1" }),
    'spec.listeners[0].hostname: "192.0.2.1" is an address, and only a DNS name may stand here',
  ],
  [ofGateway(listener, { ...listener, port: 81 }), "spec.listeners[1]: the name http is given twice"],
  [
    ofGateway(listener, { ...listener, name: "b" }),
    "spec.listeners[1]: another listener has this port, protocol and hostname",
  ],
  [
    ofGateway({ ...listener, allowedRoutes: { namespaces: { from: "Any" } } }),
    'spec.listeners[0].allowedRoutes.namespaces.from: "Any" is not one of All, Selector, Same',
  ],
  [
    { ...ofGateway(listener), addresses: [{ value: "192.0.2.300" }] },
    'spec.addresses[0].value: "192.0.2.300" is not an IP address',
  ],
  [
    { ...ofGateway(listener), addresses: [{ value: "::1" }, { type: "IPAddress", value: "::1" }] },
    "spec.addresses[1]: IPAddress ::1 is given twice",
  ],
  [
    {
      ...ofGateway(listener),
      tls: { frontend: { default: {}, perPort: [443, 443].map((port) => ({ port, tls: {} })) } },
    },
    "spec.tls.frontend.perPort[1]: the port 443 is given twice",
  ],
];
test.each(gateways)("a Gateway with the spec %j gets the sentence: %s", (spec, sentence) =>
  expect(mistakes("Gateway", spec)).toEqual([sentence]),
);

const service = { group: "", kind: "Service", name: "web" };
const trusted = { hostname: "web.example", wellKnownCACertificates: "System" };
const ofPolicy = (validation: object) => ({ targetRefs: [service], validation: { ...trusted, ...validation } });
const policies: readonly [object, string][] = [
  [{ validation: trusted }, "spec: targetRefs is missing"],
  [{ ...ofPolicy({}), targetRefs: [service, service] }, "spec.targetRefs[1]: this target is given twice"],
  [
    { ...ofPolicy({}), targetRefs: [service, { ...service, sectionName: "http" }] },
    "spec.targetRefs[1]: another one names the same target, and only one of them has sectionName",
  ],
  [
    ofPolicy({ hostname: "*.example" }),
    'spec.validation.hostname: "*.example" is a wildcard, and one name must stand here',
  ],
  [
    ofPolicy({ wellKnownCACertificates: "Mozilla" }),
    'spec.validation.wellKnownCACertificates: "Mozilla" is not System',
  ],
  [
    { ...ofPolicy({}), validation: { hostname: "web.example" } },
    "spec.validation: caCertificateRefs is missing, or wellKnownCACertificates",
  ],
  [ofPolicy({ wellKnownCACertificates: "" }), "spec.validation.wellKnownCACertificates: it is empty"],
  [
    ofPolicy({ caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] }),
    "spec.validation: only one of caCertificateRefs and wellKnownCACertificates may stand there",
  ],
  [
    ofPolicy({ subjectAltNames: [{ type: "URI", hostname: "a.example" }] }),
    "spec.validation.subjectAltNames[0]: uri is missing",
  ],
  [
    ofPolicy({ subjectAltNames: [{ type: "URI", uri: "cluster/shop" }] }),
    'spec.validation.subjectAltNames[0].uri: "cluster/shop" is not a URI such as spiffe://cluster/shop',
  ],
];
test.each(policies)("a BackendTLSPolicy with the spec %j gets the sentence: %s", (spec, sentence) =>
  expect(mistakes("BackendTLSPolicy", spec)).toEqual([sentence]),
);
const sets: readonly [object, string][] = [
  [{ listeners: [listener] }, "spec: parentRef is missing"],
  [{ parentRef: { name: "gw" } }, "spec: listeners is missing"],
  [{ parentRef: { name: "gw" }, listeners: [] }, "spec.listeners: the list is empty"],
  [{ parentRef: { namespace: "infra" }, listeners: [listener] }, "spec.parentRef: name is missing"],
  [
    { parentRef: { name: "gw", sectionName: "http" }, listeners: [listener] },
    "spec.parentRef.sectionName: there is no such field",
  ],
  [
    { parentRef: { name: "gw" }, listeners: [listener, { ...listener, name: "b" }] },
    "spec.listeners[1]: another listener has this port, protocol and hostname",
  ],
];
test.each(sets)("a ListenerSet with the spec %j gets the sentence: %s", (spec, sentence) =>
  expect(mistakes("ListenerSet", spec)).toEqual([sentence]),
);

const rule = { backendRefs: [{ name: "web", port: 80 }] };
const ofRoute = (...rules: unknown[]) => ({ parentRefs: [{ name: "gw" }], rules });
const match = (path: object) => ofRoute({ ...rule, matches: [{ path }] });
const filtered = (...filters: unknown[]) => ofRoute({ ...rule, filters });
const mirrored = (share: object) =>
  filtered({ type: "RequestMirror", requestMirror: { backendRef: { name: "web", port: 80 }, ...share } });
const redirect = { type: "RequestRedirect", requestRedirect: { statusCode: 302 } };
const rewrite = { type: "URLRewrite", urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } } };
const routes: readonly [object, string][] = [
  [{ hostnames: ["A.example"] }, 'spec.hostnames[0]: "A.example" has capital letters; write "a.example"'],
  [match({ value: "a" }), 'spec.rules[0].matches[0].path.value: "a" does not begin with /'],
  [match({ value: "/a//b" }), 'spec.rules[0].matches[0].path.value: "/a//b" has // in it'],
  [
    match({ type: "Prefix", value: "/" }),
    'spec.rules[0].matches[0].path.type: "Prefix" is not one of Exact, PathPrefix, RegularExpression',
  ],
  [ofRoute({ ...rule, matches: [{ method: "get" }] }), expect.stringContaining('"get" is not one of GET')],
  [
    ofRoute({ ...rule, matches: [{ headers: [{ name: "a" }] }] }),
    "spec.rules[0].matches[0].headers[0]: value is missing",
  ],
  [ofRoute({ backendRefs: [{ name: "web" }] }), "spec.rules[0].backendRefs[0]: port is missing, which a Service needs"],
  [filtered({ type: "CORS" }), "spec.rules[0].filters[0]: cors is missing, and type is CORS"],
  [
    filtered({ type: "CORS", cors: { allowMethods: ["GET", "PUT", "GET"] } }),
    'spec.rules[0].filters[0].cors.allowMethods[2]: "GET" is given twice',
  ],
  [
    filtered({ type: "RequestHeaderModifier", requestHeaderModifier: { remove: ["x-a", "x-a"] } }),
    'spec.rules[0].filters[0].requestHeaderModifier.remove[1]: "x-a" is given twice',
  ],
  [
    filtered({ ...redirect, urlRewrite: {} }),
    "spec.rules[0].filters[0].urlRewrite: it must not stand beside type RequestRedirect",
  ],
  [filtered(redirect), "spec.rules[0].backendRefs: it must not stand beside the filter RequestRedirect"],
  [filtered(redirect, rewrite), "spec.rules[0].filters: RequestRedirect and URLRewrite exclude each other"],
  [filtered(rewrite, rewrite), "spec.rules[0].filters[1]: URLRewrite is given twice"],
  [
    ofRoute({ ...rule, filters: [rewrite], matches: [{ path: { type: "Exact", value: "/a" } }] }),
    "spec.rules[0].matches: there must be one, of type PathPrefix, beside replacePrefixMatch",
  ],
  [
    ofRoute({ ...rule, timeouts: { request: "10" } }),
    'spec.rules[0].timeouts.request: "10" is not a duration such as 500ms, 10s or 1h30m',
  ],
  [
    ofRoute({ ...rule, timeouts: { request: "1s", backendRequest: "2s" } }),
    "spec.rules[0].timeouts.backendRequest: it is longer than request",
  ],
  [
    ofRoute({ ...rule, retry: { codes: [200] } }),
    "spec.rules[0].retry.codes[0]: 200 is not a whole number from 400 to 599",
  ],
  [ofRoute({ ...rule, retry: { codes: [500, 500] } }), "spec.rules[0].retry.codes[1]: 500 is given twice"],
  [
    ofRoute({ ...rule, retry: { backoff: "1" } }),
    'spec.rules[0].retry.backoff: "1" is not a duration such as 500ms, 10s or 1h30m',
  ],
  [
    ofRoute({ ...rule, sessionPersistence: { cookieConfig: { lifetimeType: "Permanent" } } }),
    "spec.rules[0].sessionPersistence: absoluteTimeout is missing, and lifetimeType is Permanent",
  ],
  [
    ofRoute({ ...rule, sessionPersistence: { cookie: { lifetimeType: "Permanent" } } }),
    "spec.rules[0].sessionPersistence: absoluteTimeout is missing, and lifetimeType is Permanent",
  ],
  [
    ofRoute({ ...rule, sessionPersistence: { header: { name: "X-A" } } }),
    "spec.rules[0].sessionPersistence.header: it must not stand beside type Cookie",
  ],
  [
    ofRoute({ ...rule, sessionPersistence: { type: "Header", cookieConfig: {} } }),
    "spec.rules[0].sessionPersistence.cookieConfig: it must not stand beside type Header",
  ],
  [
    filtered({
      type: "ExternalAuth",
      externalAuth: { protocol: "HTTP", grpc: {}, backendRef: { name: "login", port: 80 } },
    }),
    "spec.rules[0].filters[0].externalAuth: http is missing, and protocol is HTTP",
  ],
  [
    filtered({ type: "ExternalAuth", externalAuth: { protocol: "HTTP" } }),
    "spec.rules[0].filters[0].externalAuth: backendRef is missing",
  ],
  [
    filtered({ type: "ExternalAuth", externalAuth: { protocol: "GRPC", backendRef: { name: "login", port: 80 } } }),
    "spec.rules[0].filters[0].externalAuth: grpc is missing, and protocol is GRPC",
  ],
  [
    mirrored({ percent: 5, fraction: { numerator: 1 } }),
    "spec.rules[0].filters[0].requestMirror.percent: it must not stand beside fraction",
  ],
  [
    mirrored({ fraction: { numerator: 101 } }),
    "spec.rules[0].filters[0].requestMirror.fraction.numerator: 101 is more than the denominator 100",
  ],
  [ofRoute(...Array.from({ length: 17 }, () => rule)), "spec.rules: the list has 17 items, and 16 are the most"],
  [
    ofRoute(...Array.from({ length: 3 }, () => ({ ...rule, matches: Array.from({ length: 64 }, () => ({})) }))),
    "spec.rules: they have 192 matches together, and 128 are the most",
  ],
  [
    { parentRefs: [{ name: "gw" }, { name: "gw" }] },
    "spec.parentRefs[1]: another one names the same parent, without another sectionName or port",
  ],
  [
    { parentRefs: [{ name: "gw" }, { name: "gw", kind: "Gateway", sectionName: "http" }] },
    "spec.parentRefs[1]: another one names the same parent, and only one of them has sectionName",
  ],
  [
    {
      parentRefs: [
        { name: "gw", sectionName: "http" },
        { name: "gw", port: 80 },
      ],
    },
    "spec.parentRefs[1]: another one names the same parent, and only one of them has sectionName",
  ],
  [
    ofRoute({ filters: [{ type: "RequestRedirect", requestRedirect: { statusCode: 305 } }] }),
    "spec.rules[0].filters[0].requestRedirect.statusCode: 305 is not one of 301, 302, 303, 307, 308",
  ],
  [ofRoute({ ...rule, mathces: [] }), "spec.rules[0].mathces: there is no such field (did you mean matches?)"],
];
test.each(routes)("an HTTPRoute with the spec %j gets the sentence: %s", (spec, sentence) =>
  expect(mistakes("HTTPRoute", spec)).toEqual([sentence]),
);

test("valid objects of the Gateway API get no sentence", () => {
  const parts = [
    { name: "gw", sectionName: "http" },
    { name: "gw", sectionName: "more" },
  ];
  const others = [
    { name: "gw", kind: "ListenerSet" },
    { name: "gw", namespace: "other" },
  ];
  expect(mistakes("HTTPRoute", { parentRefs: [...parts, ...others] })).toEqual([]);
  const addresses = [{}, {}, { value: "192.0.2.1" }, { type: "Hostname", value: "192.0.2.1" }];
  expect(mistakes("Gateway", { ...ofGateway(listener), addresses })).toEqual([]);
  expect(mistakes("GatewayClass", { controllerName: "sluice.dev/gateway-controller" })).toEqual([]);
  expect(mistakes("Gateway", ofGateway(listener))).toEqual([]);
  expect(mistakes("HTTPRoute", ofRoute(rule, { filters: [redirect] }))).toEqual([]);
  const reference = { from: [{ group: "a.example", kind: "A", namespace: "ns" }], to: [{ group: "", kind: "Secret" }] };
  expect(mistakes("ReferenceGrant", reference)).toEqual([]);
});

test("a malformed controllerName and a grant with an empty list get a sentence each", () => {
  expect(mistakes("GatewayClass", { controllerName: "sluice" })).toEqual([
    'spec.controllerName: "sluice" is not a controller\'s name such as sluice.dev/gateway-controller',
  ]);
  expect(mistakes("ReferenceGrant", { from: [], to: [{ group: "", kind: "Secret" }] })).toEqual([
    "spec.from: the list is empty",
  ]);
});

test("fields of custom resources that are null are absent, as the API server removes them", () => {
  const spec = { ...ofGateway({ ...listener, hostname: null, allowedRoutes: { kinds: null } }), addresses: null };
  const object = { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata, spec };
  const { objects, faults } = readManifest(JSON.stringify(object));
  expect(faults).toEqual([]);
  expect(objects.map((one) => one.object)).toEqual([
    { ...object, spec: ofGateway({ ...listener, allowedRoutes: {} }) },
  ]);
});
