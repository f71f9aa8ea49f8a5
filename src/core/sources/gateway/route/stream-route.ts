/**
 * Reads TCPRoutes, UDPRoutes and TLSRoutes: each has one rule, which names the target of its
 * connections or datagrams.
 */
import type { BackendReference } from "../../../model/gateway/objects.ts";
import type { TCPRoute, TLSRoute, UDPRoute } from "../../../model/gateway/routes.ts";
import { named, type Problem } from "../../../model/problem.ts";
import type { ClaimedBackend } from "../../../table/claim.ts";
import { closingProblem } from "../../../table/unknown-fields.ts";
import type { Fault } from "../conditions.ts";
import { closingRule } from "../types/in-routes.ts";
import { unusable } from "./backends.ts";
import type { RouteReader } from "./reader.ts";
import type { RulesRead } from "./rules.ts";
import { type BackendWorld, serviceTargetOf } from "./targets.ts";

type StreamRoute = TCPRoute | UDPRoute | TLSRoute;

const references = ({ spec }: StreamRoute): readonly BackendReference[] =>
  (spec?.rules ?? []).flatMap(({ backendRefs = [] }) => backendRefs);

export const tcpRouteReader: RouteReader<TCPRoute> = {
  kind: "TCPRoute",
  table: ({ tcpRoutes }) => tcpRoutes,
  references,
  rules: (route, world) => streamRulesOf(route, world, "TCP"),
};

export const udpRouteReader: RouteReader<UDPRoute> = {
  kind: "UDPRoute",
  table: ({ udpRoutes }) => udpRoutes,
  references,
  rules: (route, world) => streamRulesOf(route, world, "UDP"),
};

export const tlsRouteReader: RouteReader<TLSRoute> = {
  kind: "TLSRoute",
  table: ({ tlsRoutes }) => tlsRoutes,
  references,
  rules: (route, world) => streamRulesOf(route, world, "TCP"),
};

/** Reads the rules. Every rule takes all connections, so only the first one counts. */
function streamRulesOf({ spec }: StreamRoute, world: BackendWorld, transport: "TCP" | "UDP"): RulesRead {
  const { object } = world;
  const [rule = {}, ...more] = spec?.rules ?? [];
  const field = "spec.rules[0]";
  const unresolved: Fault[] = [];
  const done = `its share of the ${transport === "UDP" ? "datagrams is dropped" : "connections is refused"}`;
  const notes: Problem[] = [];
  const note = (where: string, why: string, what: string) =>
    notes.push({ object, kind: "value-unusable", field: where, why, done: what });
  const given = rule.backendRefs ?? [];
  const match = { text: "/", type: "prefix", loose: false } as const;
  const closing = closingRule(world.unknown, field);
  if (closing !== undefined) {
    const all = transport === "UDP" ? "all datagrams are dropped" : "all connections are refused";
    const problem = closingProblem(object, closing, all);
    const invalid = [{ reason: "UnsupportedValue", problem }];
    const paths = [{ field, match, backends: [unusable("backendRefs", problem)] }];
    return { paths, unresolved, invalid, isVoid: true, notes };
  }
  const backends = given.map((reference, at): ClaimedBackend => {
    const part = `backendRefs[${at}]`;
    const { weight = 1, name } = reference;
    const found = serviceTargetOf(reference, world, transport);
    if ("mistake" in found) {
      const where = `${field}.${part}${found.part}`;
      const problem: Problem = { object, field: where, ...found.mistake, done };
      unresolved.push({ reason: found.reason, problem });
      return { ...unusable(part, problem), weight };
    }
    const { key, declared } = found;
    const policy = world.policy(key, declared.name);
    const backend = { part, upstream: "", key, service: name, port: String(declared.port), weight };
    if (policy === undefined) return backend;
    const where = `${field}.${part}`;
    const governed = `names a Service with ${named(policy.object)}`;
    if (object.kind === "UDPRoute") {
      note(where, `${governed}, which is not followed for datagrams`, "they are sent on as they come");
      return backend;
    }
    const { tls } = policy;
    if (tls !== undefined && tls.names.length === 0) return { ...backend, tls };
    const lacks =
      tls === undefined ? "cannot be followed" : "has subjectAltNames, which nginx does not check for streams";
    const refused =
      "where the listener ends TLS its connections are refused, and elsewhere bytes are sent on as they come";
    note(where, `${governed}, which ${lacks}`, refused);
    return { ...backend, wantsTls: true };
  });
  if (given.length === 0) note(`${field}.backendRefs`, "names no backend", "nothing is sent on");
  else if (given.every(({ weight = 1 }) => weight <= 0)) {
    const all = transport === "UDP" ? "all datagrams are dropped" : "all connections are refused";
    note(`${field}.backendRefs`, "gives every backend the weight 0", all);
  }
  if (more.length > 0) note("spec.rules[1]", "comes after a rule that takes everything", "nothing is sent by it");
  return { paths: [{ field, match, backends }], unresolved, invalid: [], isVoid: false, notes };
}
