/**
 * The API server's rules for a GatewayClass, a Gateway, a ListenerSet and a ReferenceGrant (Gateway
 * API v1.6.3, with the fields of v1.7.0).
 */
import { isIP } from "node:net";
import { shown } from "../../../core/kinds/kind.ts";
import { isMapping } from "../../../core/model/mapping.ts";
import { anything, type Check, mapOf, port, type Rule, record, text, word, wrong } from "../check.ts";
import { metadata } from "../metadata.ts";
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from "../names.ts";
import { fieldOfType, sharedFilters } from "./filters.ts";
import { atMost, both, distinct, few, filled, hostname, named, placed, sectionName } from "./names.ts";
import { externalAuth } from "./rule-fields.ts";

const domainAndPath: Rule = (value) =>
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(value)
    ? undefined
    : `${shown(value)} is not a controller's name such as sluice.dev/gateway-controller`;

const besideSpec = { apiVersion: anything, kind: anything, metadata: metadata(dnsSubdomain), status: anything };

export const gatewayClass = record(
  {
    ...besideSpec,
    spec: record(
      {
        controllerName: text(domainAndPath, atMost(253)),
        parametersRef: record({ ...named, namespace: text(dnsLabel) }, ["group", "kind", "name"]),
        description: text(atMost(64)),
      },
      ["controllerName"],
    ),
  },
  ["metadata", "spec"],
);

const selector = record({
  matchLabels: mapOf(qualifiedName, text(labelValue)),
  matchExpressions: few(
    record(
      { key: text(qualifiedName), operator: word("In", "NotIn", "Exists", "DoesNotExist"), values: few(text(), 1_000) },
      ["key", "operator"],
    ),
    1_000,
  ),
});

const namespaces = (...words: string[]) => record({ from: word(...words), selector });

const protocol: Rule = (value) =>
  /^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$|^[a-z0-9][-a-z0-9.]*\/[A-Za-z0-9]+$/.test(value) && value.length <= 255
    ? undefined
    : `${shown(value)} is not the name of a protocol such as HTTP or HTTPS`;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The definition's rules for one listener. */
const listenerRules: Check = (value) => {
  const { protocol: given, tls, hostname: host, filters } = value as Record<string, unknown>;
  const mode = isMapping(tls) ? (tls.mode ?? "Terminate") : undefined;
  if (["HTTP", "TCP", "UDP"].includes(given as string) && isGiven(tls)) {
    return wrong(["tls"], `it must not stand beside protocol ${given}`);
  }
  if (given === "HTTPS" && mode !== undefined && mode !== "Terminate") {
    return wrong(["tls", "mode"], "it must be Terminate beside protocol HTTPS");
  }
  if (["TCP", "UDP"].includes(given as string) && isGiven(host) && host !== "") {
    return wrong(["hostname"], `it must not stand beside protocol ${given}`);
  }
  if (isGiven(filters) && given !== "HTTP" && given !== "HTTPS") {
    return wrong(["filters"], `it must not stand beside protocol ${given}`);
  }
  return given === "TLS" && !isGiven(tls) ? wrong([], "tls is missing, and protocol TLS needs its mode") : [];
};

const certificates: Check = (value) => {
  const { mode = "Terminate", certificateRefs, options } = value as Record<string, unknown>;
  const has = [certificateRefs, options].some((one) => isGiven(one) && Object.keys(one as object).length > 0);
  return mode === "Terminate" && !has ? wrong([], "it needs certificateRefs or options where mode is Terminate") : [];
};

const listenerFilterFields = { ExternalAuth: "externalAuth", ExtensionRef: "extensionRef" };

/** A filter for all requests of a listener, of version 1.7. */
const listenerFilter = record(
  {
    type: word(...Object.keys(listenerFilterFields)),
    externalAuth,
    extensionRef: sharedFilters.extensionRef,
  },
  ["type"],
  fieldOfType(listenerFilterFields),
);

const listener = record(
  {
    name: sectionName,
    hostname: text(hostname),
    port,
    protocol: text(protocol),
    tls: record(
      {
        mode: word("Terminate", "Passthrough"),
        certificateRefs: few(record(placed, ["name"]), 64),
        options: mapOf(qualifiedName, text(atMost(4_096))),
      },
      [],
      certificates,
    ),
    filters: record({ requests: few(listenerFilter, 16) }),
    allowedRoutes: record({
      namespaces: namespaces("All", "Selector", "Same"),
      kinds: few(record({ group: named.group, kind: named.kind }, ["kind"]), 8),
    }),
  },
  ["name", "port", "protocol"],
  listenerRules,
);

const listeners = both(
  few(listener, 64, 1),
  distinct(
    ({ name }) => String(name),
    (name) => `the name ${name} is given twice`,
  ),
  distinct(
    ({ port: number, protocol: given, hostname: host }) => `${number} ${given} ${host ?? ""}`,
    () => "another listener has this port, protocol and hostname",
  ),
);

/**
 * A ListenerSet has the fields of a Gateway's listeners. `metadata` and `status` are not checked
 * further.
 */
export const listenerSet = record(
  {
    ...besideSpec,
    spec: record({ parentRef: record(placed, ["name"]), listeners }, ["parentRef", "listeners"]),
  },
  ["metadata", "spec"],
);

const validation = record(
  {
    caCertificateRefs: few(record(placed, ["group", "kind", "name"]), 16, 1),
    mode: word("AllowValidOnly", "AllowInsecureFallback"),
  },
  ["caCertificateRefs"],
);
const frontend = record(
  {
    default: record({ validation }),
    perPort: both(
      few(record({ port, tls: record({ validation }) }, ["port", "tls"]), 64),
      distinct(
        ({ port: number }) => String(number),
        (number) => `the port ${number} is given twice`,
      ),
    ),
  },
  ["default"],
);

const addressValue: Check = (value) => {
  const { type = "IPAddress", value: given } = value as Record<string, unknown>;
  if (type !== "IPAddress" || !isGiven(given) || given === "" || isIP(given as string) > 0) return [];
  return wrong(["value"], `${shown(given as string)} is not an IP address`);
};

export const gateway = record(
  {
    ...besideSpec,
    spec: record(
      {
        gatewayClassName: text(filled, atMost(253)),
        listeners,
        addresses: both(
          few(
            record(
              { type: text(filled, atMost(253)), value: text(atMost(253)), routability: text(atMost(253)) },
              [],
              addressValue,
            ),
            16,
          ),
          distinct(
            ({ type = "IPAddress", value }) => (isGiven(value) && value !== "" ? `${type} ${value}` : undefined),
            (one) => `${one} is given twice`,
          ),
        ),
        infrastructure: record({
          labels: mapOf(qualifiedName, text()),
          annotations: mapOf(qualifiedName, text()),
          parametersRef: record(named, ["group", "kind", "name"]),
        }),
        allowedListeners: record({ namespaces: namespaces("All", "Selector", "Same", "None") }),
        tls: record({ frontend, backend: record({ clientCertificateRef: record(placed, ["name"]) }) }),
        defaultScope: word("All", "None"),
      },
      ["gatewayClassName", "listeners"],
    ),
  },
  ["metadata", "spec"],
);

export const referenceGrant = record(
  {
    ...besideSpec,
    spec: record(
      {
        from: few(
          record({ group: named.group, kind: named.kind, namespace: text(dnsLabel) }, ["group", "kind", "namespace"]),
          16,
          1,
        ),
        to: few(record(named, ["group", "kind"]), 16, 1),
      },
      ["from", "to"],
    ),
  },
  ["metadata", "spec"],
);
