/**
 * Reads GRPCRoutes. Clients of gRPC translate the status of an HTTP answer: 404 is UNIMPLEMENTED,
 * and 502, 503 and 504 are UNAVAILABLE. So requests without a usable backend get 503 here.
 */
import type { GRPCRoute, GRPCRouteRule } from "../../../model/gateway/routes.ts";
import type { Problem } from "../../../model/problem.ts";
import { routeFilters } from "../../../policies/filters.ts";
import type { Attachment } from "./attach.ts";
import { grpcMatchesOf } from "./grpc-matches.ts";
import type { RouteReader } from "./reader.ts";
import { readRules } from "./rules.ts";
import { settingsIn } from "./settings.ts";
import { type BackendWorld, grpcProtocols } from "./targets.ts";

export const grpcRouteReader: RouteReader<GRPCRoute> = {
  kind: "GRPCRoute",
  table: ({ grpcRoutes }) => grpcRoutes,
  references: ({ spec }) =>
    (spec?.rules ?? []).flatMap(({ backendRefs = [], filters = [] }) => {
      const all = [filters, ...backendRefs.map((one) => one.filters ?? [])].flat();
      return [...backendRefs, ...all.flatMap(({ requestMirror }) => (requestMirror ? [requestMirror.backendRef] : []))];
    }),
  settings: ({ spec, metadata: { namespace = "default" } }) => settingsIn(spec?.rules ?? [], namespace),
  rules(route, world, attachments) {
    const rules = route.spec?.rules ?? [];
    const copies = world.lacks.has("keptBody") ? "none" : "late";
    const own: BackendWorld = { ...world, protocols: grpcProtocols, refusal: "503", copies };
    const read = readRules(rules, grpcMatchesOf, own);
    return {
      ...read,
      paths: read.paths.map((path) => ({ ...path, unusableStatus: 503 })),
      notes: [
        ...read.notes,
        ...notesOf(rules, own),
        ...attachments.flatMap((one) => [...withoutHttp2(one, world), ...withoutTls(one, world)]),
      ],
    };
  },
};

function notesOf(rules: readonly GRPCRouteRule[], { object, copies }: BackendWorld): Problem[] {
  if (rules.length === 0) {
    const done = "no request is sent by the route";
    return [{ object, kind: "value-unusable", field: "spec.rules", why: "is empty", done }];
  }
  if (copies !== "none") return [];
  return rules.flatMap(({ filters = [], backendRefs = [] }, at) => {
    const lists = [filters, ...backendRefs.map((one) => one.filters ?? [])];
    return lists.flatMap((list, nth) => {
      const field = `spec.rules[${at}]${nth === 0 ? "" : `.backendRefs[${nth - 1}]`}.filters`;
      return list.flatMap(({ type }, place) =>
        routeFilters.get(type)?.ofBackends ? [uncopied(object, `${field}[${place}]`)] : [],
      );
    });
  });
}

/**
 * Reports mirrors of calls that nginx cannot copy. A client may wait for an answer before its next
 * message, so a copy cannot wait for the whole body, and only a module of Sluice keeps it until the
 * call is over.
 */
function uncopied(object: BackendWorld["object"], field: string): Problem {
  const why = "is not served for calls of gRPC here, because nginx has no module that keeps their bodies";
  return { object, kind: "value-unsupported", field, why, done: "it gets no copies" };
}

function withoutHttp2({ field }: Attachment, { object, useHttp2 }: BackendWorld): Problem[] {
  if (useHttp2) return [];
  const why = "use-http2 of the ConfigMap is false, and clients of gRPC need HTTP/2";
  return [{ object, kind: "value-unsupported", field, why, done: "no call comes in there" }];
}

function withoutTls({ field, parent, listeners }: Attachment, { object, lacks, useHttp2 }: BackendWorld): Problem[] {
  if (!lacks.has("http2Directive") || !useHttp2) return [];
  return listeners.flatMap(({ tls, listener: { name } }): Problem[] => {
    const why = `listener ${name} of ${parent.called} takes HTTP/2 without TLS only from nginx 1.25.1 on, and nginx here is older`;
    return tls ? [] : [{ object, kind: "value-unsupported", field, why, done: "calls of gRPC need TLS" }];
  });
}
