/** The API server's rules for a GRPCRoute (Gateway API v1.6.3). */
import { shown } from "../../../core/kinds/kind.ts";
import { type Check, record, text, word, wrong } from "../check.ts";
import { distinctTypes, fieldOfType, sharedFilterFields, sharedFilters } from "./filters.ts";
import { atMost, backendFields, both, few, hasPort, hostname, sectionName } from "./names.ts";
import { distinctNames, distinctRules, fewMatches, fieldsOfRoutes, routeWith, valueMatch } from "./route.ts";
import { sessionPersistence } from "./rule-fields.ts";

const serviceName = /^\.?[a-z_][a-z_0-9]*(\.[a-z_][a-z_0-9]*)*$/i;
const methodName = /^[A-Za-z_][A-Za-z_0-9]*$/;

const methodRules: Check = (value) => {
  const { type = "Exact", service, method } = value as Readonly<Record<string, string | undefined>>;
  if (service === undefined && method === undefined) return wrong([], "service and method are both missing");
  if (type !== "Exact") return [];
  if (service !== undefined && !serviceName.test(service)) {
    return wrong(["service"], `${shown(service)} is not the name of a service such as shop.v1.Items`);
  }
  return method === undefined || methodName.test(method)
    ? []
    : wrong(["method"], `${shown(method)} is not the name of a method`);
};

const match = record({
  method: record(
    { type: word("Exact", "RegularExpression"), service: text(atMost(1_024)), method: text(atMost(1_024)) },
    [],
    methodRules,
  ),
  headers: both(few(valueMatch(4_096), 16), distinctNames("header")),
});

const filterFields: Readonly<Record<string, string>> = {
  ...sharedFilterFields,
  ExtensionRef: "extensionRef",
};

const filter = record(
  {
    type: word(...Object.keys(filterFields)),
    ...sharedFilters,
  },
  ["type"],
  fieldOfType(filterFields),
);

const filters = both(few(filter, 16), distinctTypes);

const rule = record({
  name: sectionName,
  matches: few(match, 64),
  filters,
  backendRefs: few(record({ ...backendFields, filters }, ["name"], hasPort), 16),
  sessionPersistence,
});

const rules = both(few(rule, 16), fewMatches(0), distinctRules);

export const grpcRoute = routeWith(record({ ...fieldsOfRoutes, hostnames: few(text(hostname), 16), rules }));
