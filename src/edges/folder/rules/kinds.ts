/** The checks of all kinds: their definitions, and the API server's further rules. */
import { kindCheck } from "../../../core/schema/definitions.ts";
import type { Check } from "../../../core/schema/findings.ts";
import * as data from "./data.ts";
import * as endpoints from "./endpoints.ts";
import * as gateway from "./gateway.ts";
import * as ingress from "./ingress.ts";
import * as metadata from "./metadata.ts";
import * as routes from "./routes.ts";
import * as service from "./service.ts";

const parts = [metadata, ingress, service, endpoints, data, gateway, routes];
const rules = {
  before: Object.assign({}, ...parts.map(({ before }) => before)),
  after: Object.assign({}, ...parts.map(({ after }) => after)),
  hints: ingress.hints,
};

const checks = new Map<string, Check>();

/** Returns the check of a kind, which is made when the first object of the kind is read. */
export function checkOfKind(kind: string, version = "v1"): Check {
  const name = `${kind} ${version}`;
  const before = checks.get(name);
  if (before !== undefined) return before;
  const check = kindCheck(kind, { ...rules, version, unchecked: ["status"] });
  checks.set(name, check);
  return check;
}
