/** What routes make of a request. */
import { decideGateways } from "../../decide/gateway/gateway.ts";
import { type AskedRequest, readRequest } from "../../decide/request.ts";
import type { Filters } from "../../model/filters.ts";
import {
  backendFields,
  certificateField,
  comparableLocation,
  type Effect,
  featureFields,
  guardFields,
  type World,
} from "./effect.ts";

/** Undefined where only nginx can say. */
export function effectOfRoutes({ served, options }: World, asked: AskedRequest): Effect | undefined {
  const request = readRequest(asked);
  const [decision] = request === undefined ? [] : decideGateways(served, asked, request, options);
  // A port shows the default certificate to names that no listener takes.
  if (decision === undefined)
    return new Map([["answer", "404"], ...certificateField(asked, served.defaultCertificate.id)]);
  const { end, listener, taken, guards, backends, rewritten } = decision;
  if (end.kind === "unclear") return undefined;
  const certificate = certificateField(asked, listener.certificates[0] ?? "");
  if (end.kind === "answer" || taken === undefined) {
    const location = end.kind !== "answer" || end.location === undefined ? "" : ` ${comparableLocation(end.location)}`;
    return new Map([["answer", `${end.kind === "answer" ? end.status : 404}${location}`], ...certificate]);
  }
  const { location } = taken;
  const shares = backends.map(({ backend, share, upstream }) => {
    const standsIn = end.standsIn && (upstream?.endpoints.length ?? 0) === 0;
    return { name: backend.key, share, upstream: standsIn ? end.upstream : upstream };
  });
  return new Map([
    ["answer", "of the backend"],
    ["path", rewritten ?? "as it came"],
    ["Strict-Transport-Security", hasTransportSecurity(location.filters) ? "sent" : ""],
    ...certificate,
    ...backendFields(shares),
    ...guardFields(guards),
    ...featureFields(location),
  ]);
}

function hasTransportSecurity(filters: Filters | undefined): boolean {
  return filters?.responseHeaders?.set.some(({ name }) => name.toLowerCase() === "strict-transport-security") === true;
}
