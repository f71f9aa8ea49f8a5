/**
 * The API server's rules for a TLSRoute, a TCPRoute and a UDPRoute (Gateway API v1.6.3). In
 * v1alpha2 a route may have several rules, and a TLSRoute no hostnames.
 */
import { record, text } from "../check.ts";
import { backendFields, few, hasPort, hostname, sectionName } from "./names.ts";
import { fieldsOfRoutes, routeWith } from "./route.ts";

const rule = record({ name: sectionName, backendRefs: few(record(backendFields, ["name"], hasPort), 16, 1) }, [
  "backendRefs",
]);

const fields = { ...fieldsOfRoutes, rules: few(rule, 1, 1) };

const earlyFields = { ...fields, rules: few(rule, 16, 1) };

export const tlsRoute = routeWith(
  record({ ...fields, hostnames: few(text(hostname), 1_024, 1) }, ["hostnames", "rules"]),
);

/** TCPRoutes and UDPRoutes have the same fields. */
export const portRoute = routeWith(record(fields, ["rules"]));

export const earlyTlsRoute = routeWith(record({ ...earlyFields, hostnames: few(text(hostname), 1_024) }, ["rules"]));

export const earlyPortRoute = routeWith(record(earlyFields, ["rules"]));
