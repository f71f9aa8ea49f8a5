/**
 * The types of all fields that Sluice reads of objects of the Gateway API
 * (`src/core/model/gateway/`), and the lengths of the lists whose product is the cost of an object:
 * each host of a route has each of its matches on each listener of its parents. The lengths are
 * those of the definitions. BackendTLSPolicies and RouteSettings are not among the kinds: they are
 * read with their mistakes, because one that is left out would no longer guard anything.
 */
import { longestLists, mostMatches, mostNamesOfTls } from "../../../model/gateway/limits.ts";
import type { KubernetesObject } from "../../../model/objects.ts";
import { own } from "../../../model/own.ts";
import type { WatchedKind } from "../../../model/snapshot.ts";
import { type UnknownField, unknownFields, withMetadata } from "../../../table/unknown-fields.ts";
import { anything, boolean, both, listOf, record, type Shape, some, text, texts, whole } from "./shape.ts";

const reference = { group: text, kind: text, name: text, namespace: text };
const objectReference = record(reference, ["name"]);
const parametersReference = record(reference, ["group", "kind", "name"]);

const condition = record(
  { type: text, status: text, reason: text, message: text, observedGeneration: whole, lastTransitionTime: text },
  ["type", "status"],
);
const conditions = listOf(condition);
const addresses = listOf(record({ type: text, value: text, routability: text }));

const namespaces = record({
  from: text,
  selector: record({
    matchLabels: texts,
    matchExpressions: listOf(record({ key: text, operator: text, values: listOf(text) }, ["key", "operator"])),
  }),
});
const listeners = listOf(
  record(
    {
      ...{ name: text, hostname: text, port: whole, protocol: text },
      tls: record({ mode: text, certificateRefs: listOf(objectReference), options: texts }),
      allowedRoutes: record({ namespaces, kinds: listOf(record({ group: text, kind: text }, ["kind"])) }),
      // None of them is served yet, so a listener that has some is refused whatever they say.
      filters: record({ requests: listOf(anything) }),
    },
    ["name", "port", "protocol"],
  ),
  longestLists.listeners,
);
const listenersStatus = listOf(record({ name: text, conditions }, ["name"]));

const clientTls = record({
  validation: record({ caCertificateRefs: listOf(objectReference), mode: text }),
});
const gateway = record({
  gatewayClassName: text,
  listeners,
  addresses,
  infrastructure: record({ labels: texts, annotations: texts, parametersRef: parametersReference }),
  allowedListeners: record({ namespaces }),
  tls: record({
    frontend: record({ default: clientTls, perPort: listOf(record({ port: whole, tls: clientTls }, ["port"])) }),
    backend: record({ clientCertificateRef: objectReference }),
  }),
  defaultScope: text,
});

const parentReference = record({ ...reference, sectionName: text, port: whole }, ["name"]);
const backendFields = { ...reference, port: whole, weight: whole };
const backendReference = record(backendFields, ["name"]);

const namedValues = listOf(record({ name: text, value: text }, ["name", "value"]));
const headerModifier = record({ set: namedValues, add: namedValues, remove: listOf(text) });
const pathModifier = record({ type: text, replaceFullPath: text, replacePrefixMatch: text }, ["type"]);
const filters = listOf(
  record(
    {
      type: text,
      requestHeaderModifier: headerModifier,
      responseHeaderModifier: headerModifier,
      requestMirror: record(
        {
          backendRef: backendReference,
          percent: whole,
          fraction: record({ numerator: whole, denominator: whole }, ["numerator"]),
        },
        ["backendRef"],
      ),
      requestRedirect: record({ scheme: text, hostname: text, path: pathModifier, port: whole, statusCode: whole }),
      urlRewrite: record({ hostname: text, path: pathModifier }),
      cors: record({
        ...{ allowOrigins: listOf(text), allowCredentials: boolean, allowMethods: listOf(text) },
        ...{ allowHeaders: listOf(text), exposeHeaders: listOf(text), maxAge: whole },
      }),
      externalAuth: record(
        {
          protocol: text,
          backendRef: backendReference,
          http: record({ path: text, allowedHeaders: listOf(text), allowedResponseHeaders: listOf(text) }),
          grpc: record({ allowedHeaders: listOf(text) }),
          forwardBody: record({ maxSize: whole }),
        },
        ["backendRef"],
      ),
      extensionRef: record({ group: text, kind: text, name: text }, ["group", "kind", "name"]),
    },
    ["type"],
  ),
  longestLists.filters,
);
const values = (most: number) => listOf(record({ type: text, name: text, value: text }, ["name", "value"]), most);
const headers = values(longestLists.headers);
const sessionPersistence = record({
  ...{ sessionName: text, type: text, absoluteTimeout: text, idleTimeout: text },
  cookieConfig: record({ lifetimeType: text }),
  cookie: record({ name: text, path: text, lifetimeType: text }),
  header: record({ name: text }),
});
const requestRule = {
  name: text,
  filters,
  backendRefs: listOf(record({ ...backendFields, filters }, ["name"]), longestLists.backendRefs),
  sessionPersistence,
};
const httpRule = record({
  ...requestRule,
  matches: listOf(
    record({
      path: record({ type: text, value: text }),
      headers,
      queryParams: values(longestLists.queryParams),
      method: text,
    }),
    longestLists.matches,
  ),
  timeouts: record({ request: text, backendRequest: text }),
  retry: record({ codes: listOf(whole), attempts: whole, backoff: text }),
});
const grpcRule = record({
  ...requestRule,
  matches: listOf(
    record({ method: record({ type: text, service: text, method: text }), headers }),
    longestLists.matches,
  ),
});
const streamRule = record({ name: text, backendRefs: listOf(backendReference, longestLists.backendRefs) });

/** Limits the matches of all rules together. */
const fewMatches: Shape = (value, field) => {
  const rules = value as readonly { readonly matches?: readonly unknown[] }[];
  const count = rules.reduce((sum, { matches }) => sum + (matches?.length ?? 0), 0);
  return count > mostMatches ? { field, why: `has ${count} matches, and ${mostMatches} are the most` } : undefined;
};

interface ObjectShape {
  readonly spec: Shape;
  /** A status with a mistake is left out, and the object is read without it. */
  readonly status: Shape;
}

const noStatus = record({});

function routeOf(rule: Shape, mostHostnames: number = longestLists.hostnames): ObjectShape {
  const spec = {
    parentRefs: listOf(parentReference, longestLists.parentRefs),
    hostnames: listOf(text, mostHostnames),
    useDefaultGateways: text,
    rules: both(listOf(rule, longestLists.rules), fewMatches),
  };
  const entry = record({ parentRef: parentReference, controllerName: text, conditions }, [
    "parentRef",
    "controllerName",
  ]);
  return { spec: record(spec), status: record({ parents: listOf(entry) }) };
}

export const shapes: Readonly<Partial<Record<WatchedKind, ObjectShape>>> = {
  GatewayClass: {
    spec: record({ controllerName: text, description: text, parametersRef: parametersReference }),
    status: record({ conditions }),
  },
  Gateway: { spec: gateway, status: record({ addresses, conditions, listeners: listenersStatus }) },
  ListenerSet: {
    spec: record({ parentRef: objectReference, listeners }),
    status: record({ conditions, listeners: listenersStatus }),
  },
  HTTPRoute: routeOf(httpRule),
  GRPCRoute: routeOf(grpcRule),
  TLSRoute: routeOf(streamRule, mostNamesOfTls),
  TCPRoute: routeOf(streamRule),
  UDPRoute: routeOf(streamRule),
  ReferenceGrant: {
    spec: record({
      from: listOf(record({ group: text, kind: text, namespace: text }, ["group", "kind", "namespace"])),
      to: listOf(record({ group: text, kind: text, name: text }, ["group", "kind"])),
    }),
    status: noStatus,
  },
};

const target = { group: anything, kind: anything, name: anything, sectionName: anything };
const policyReference = listOf(record({ group: anything, kind: anything, name: anything }));

/** The fields of policies that Sluice reads. Their types are checked where they are read. */
const policies: Readonly<Partial<Record<WatchedKind, Shape>>> = {
  BackendTLSPolicy: record({
    targetRefs: listOf(record(target)),
    validation: record({
      ...{ caCertificateRefs: policyReference, wellKnownCACertificates: anything, hostname: anything },
      subjectAltNames: listOf(record({ type: anything, hostname: anything, uri: anything })),
    }),
    options: anything,
  }),
  // All other keys are names of annotations.
  RouteSettings: some({ targetRefs: listOf(record(target)) }),
};

/** The whole objects of each kind, by which fields are recognised that Sluice does not know. */
const wholeShapes: Readonly<Record<string, Shape>> = Object.fromEntries([
  ...Object.entries(shapes).map(([kind, { spec }]) => [kind, withMetadata(spec)] as const),
  ...Object.entries(policies).map(([kind, spec]) => [kind, withMetadata(spec)] as const),
]);

/** Returns the fields of the object that Sluice does not know. */
export function unknownIn(object: KubernetesObject): readonly UnknownField[] {
  const shape = own(wholeShapes, object.kind);
  return shape === undefined ? [] : unknownFields(shape, object);
}
