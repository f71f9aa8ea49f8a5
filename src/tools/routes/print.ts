/** Prints routes as a table for people, with canaries and reasons in the lines below a route. */
import type { AnyRoute } from "../../ask/routes/streams.ts";
import { visible } from "../../base/visible.ts";
import { columns, counted, painter, red, yellow } from "../words.ts";

/** A certificate with less time left than this is printed in colour. */
const soonMs = 14 * 86_400_000;

const head = ["HOST AND PATH", "TYPE", "INGRESS", "SERVICE", "ENDPOINTS", "CERTIFICATE"];

export function routesText(all: readonly AnyRoute[], now: Date, colours: boolean): string {
  const paint = painter(colours);
  const rows = all.map(cellsOf);
  const line = columns([head, ...rows]);
  const lines = rows.map((row, at) => {
    const route = all[at]!;
    const colour = colourOf(route, now);
    const text = colour === undefined ? line(row) : paint(line(row), colour);
    const kept = (route.lastGood ?? []).map((one) => `  ${paint(`not in force: ${visible(one)}`, yellow)}`);
    const failing = (route.failing ?? []).map((one) => `  ${paint(`failing: ${visible(one)}`, red)}`);
    return `${[text, ...notesOf(route), ...kept, ...failing].join("\n")}\n`;
  });
  return `${line(head)}\n${lines.join("")}${counted(all.length, "route")}\n`;
}

/** Returns the cells of the row, in the order of the head. */
function cellsOf(entry: AnyRoute): readonly string[] {
  const { host, path, type, ingress, service, route } = entry;
  const when = route === undefined || route.when === "" ? "" : ` (${route.when})`;
  return [
    `${host}${path}${when}`,
    type,
    route === undefined ? ingress : ownerOf(ingress, route),
    service || (isStream(entry) ? "none, refused" : "the default backend"),
    endpointsOf(entry),
    certificateOf(entry),
  ].map(visible);
}

function ownerOf(name: string, { kind, listener, weight }: NonNullable<AnyRoute["route"]>): string {
  const place = listener === "" ? "" : ` at ${listener}`;
  return `${kind} ${name}${place}${weight === undefined ? "" : `, ${weight} %`}`;
}

/** Returns red for a route that does not work, and yellow for one that soon will not. */
function colourOf(route: AnyRoute, now: Date): number | undefined {
  const lacksEndpoints = leadsToService(route) && route.endpoints.length === 0;
  if (route.denied || lacksEndpoints || isPast(route, now, 0)) return red;
  return isPast(route, now, soonMs) ? yellow : undefined;
}

function notesOf(route: AnyRoute): readonly string[] {
  const canaries = route.canaries.map(
    (one) => `  canary ${one.service} (${counted(one.endpoints, "endpoint")}): ${one.when}`,
  );
  const why = route.why === undefined ? [] : [`  answers ${refusalOf(route)}: ${route.why}`];
  return [...why, ...canaries].map(visible);
}

/** Returns the status if nothing usable can answer: 500 for the route of a Gateway, else 503. */
function refusalOf({ route }: AnyRoute): number {
  return route === undefined ? 503 : 500;
}

function endpointsOf(route: AnyRoute): string {
  const { endpoints, notReady, denied } = route;
  if (denied) return `answers ${refusalOf(route)}`;
  if (!leadsToService(route)) return "";
  return `${endpoints.length} ready${notReady === 0 ? "" : `, ${notReady} not`}`;
}

/** Whether endpoints answer. A redirect stands in the place of the Service. */
function leadsToService({ service }: AnyRoute): boolean {
  return service !== "" && !service.startsWith("redirect ");
}

function isStream({ type }: AnyRoute): boolean {
  return type === "TCP" || type === "UDP" || type === "TLS passed on" || type === "TLS ended";
}

/** Describes the certificate. Streams and routes of Gateways never have the default one. */
function certificateOf(entry: AnyRoute): string {
  const { certificate, route } = entry;
  if (route?.lacksCertificate) return "none, refused";
  if (certificate === undefined) return isStream(entry) || route !== undefined ? "" : "default";
  return `${certificate.secret} until ${certificate.expires.slice(0, 10)}`;
}

function isPast({ certificate }: AnyRoute, now: Date, aheadMs: number): boolean {
  return certificate !== undefined && Date.parse(certificate.expires) < now.getTime() + aheadMs;
}
