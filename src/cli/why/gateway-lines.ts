/** What becomes of a request at the port of a Gateway, as lines: listener, route, what was tried before, guards, backends, answer. */
import type { GatewayDecision } from "../../decide/gateway/gateway.ts";
import type { RouteTaken } from "../../decide/gateway/match.ts";
import { conditionWords } from "../../model/condition-words.ts";
import { catchAll } from "../../model/configuration.ts";
import type { Filters, HeaderChanges, Retries } from "../../model/filters.ts";
import { named, sentence, unplaced } from "../../problem.ts";
import type { Finding } from "../tools/findings.ts";
import { endOf, guardLine, line } from "./lines.ts";

/** More routes that lost are counted, not told. */
const mostLost = 5;

export function gatewayLines(decision: GatewayDecision, problems: readonly Finding[]): readonly string[] {
  const { port, listener, lost, taken, guards, backends, end } = decision;
  const hostname = listener.hostname === "" ? "all hosts" : listener.hostname;
  const at = `${port.address ?? "all addresses"}, port ${port.listenPort}`;
  return [
    line("gateway", `Gateway ${listener.gateway}, on ${at}`),
    line("listener", `${listener.name}, for ${hostname}`),
    ...certificateLines(decision),
    ...lost.slice(0, mostLost).map((one) => line("not", `${routeWords(one)}: ${one.why}`)),
    ...(lost.length > mostLost ? [line("not", `${lost.length - mostLost} more routes`)] : []),
    ...(taken === undefined ? [] : [line("route", routeWords(taken)), ...filterLines(taken.location.filters ?? {})]),
    ...(taken === undefined ? [] : timeoutLines(taken)),
    ...guards.map(guardLine),
    ...backends.flatMap(({ backend, share, upstream }) => [
      line(
        "backend",
        `${backendWords(backend)}${backends.length === 1 ? "" : `, ${percent(share)} of the requests`}: ${
          backend.unusable === undefined
            ? endpointWords(upstream?.endpoints ?? [])
            : `500, ${sentence(backend.unusable)}`
        }`,
      ),
      ...filterLines(backend.filters ?? {}),
    ]),
    ...problemLines(taken, problems),
    line(
      "answer",
      `${endOf(end)}${decision.rewritten === undefined ? "" : `, where the path is ${decision.rewritten}`}`,
    ),
  ];
}

/** Of a Gateway that leaves the request to Ingresses on its port. */
export function passedOnLine({ listener, lost, taken, end }: GatewayDecision): string {
  const why =
    taken === undefined && end.kind === "answer" ? end.why : "an Ingress names the host more exactly than its routes";
  const gateway = line(
    "gateway",
    `Gateway ${listener.gateway}, listener ${listener.name}: ${why}, so Ingresses are asked`,
  );
  return [gateway, ...lost.slice(0, mostLost).map((one) => line("not", `${routeWords(one)}: ${one.why}`))].join("");
}

function certificateLines({ port, listener }: GatewayDecision): string[] {
  if (!port.tls) return [];
  const { certificates } = listener;
  const which =
    certificates.length === 0 ? "none can be used, so the handshake ends" : `Secret ${certificates.join(", ")}`;
  return [line("certificate", which)];
}

const types = { exact: "Exact", prefix: "PathPrefix", pattern: "RegularExpression", regex: "regex", slash: "slash" };

/** `HTTPRoute shop/web, rule cart: /cart (PathPrefix) with POST, of host *.example.com`. */
function routeWords(taken: RouteTaken): string {
  const { server, location, route } = taken;
  const owner = location.owner === undefined ? "" : named(location.owner);
  const rule = location.rule === undefined ? "" : `, rule ${location.rule}`;
  const conditions = conditionWords(route.conditions);
  const host = server.name === catchAll ? "all hosts" : `host ${server.name}`;
  // The prefix /foo is the path itself, too, which stands among exact ones.
  const type = isPrefix(taken) ? "prefix" : route.match;
  return `${owner}${rule}: ${location.path} (${types[type]})${conditions === "" ? "" : ` with ${conditions}`}, for ${host}`;
}

function isPrefix({ server, route }: RouteTaken): boolean {
  return server.routes.some(({ location, match }) => location === route.location && match === "prefix");
}

function retryWords({ attempts, codes, backoff }: Retries): string {
  const after = codes.length === 0 ? "" : `, and after ${codes.join(", ")}`;
  const pause = backoff === 0 ? "" : `, each after ${backoff} ms`;
  return `up to ${attempts} where a connection fails${after}${pause}`;
}

function filterLines(filters: Filters): string[] {
  const { requestHeaders, responseHeaders, redirect, rewrite, cors, session, mirrors = [] } = filters;
  return [
    ...headerWords("requests", requestHeaders),
    ...headerWords("answers", responseHeaders),
    ...(redirect === undefined ? [] : [`redirects with ${redirect.status}`]),
    ...(rewrite?.hostname === undefined ? [] : [`backends see the host ${rewrite.hostname}`]),
    ...(rewrite?.path === undefined
      ? []
      : [`${rewrite.path.type === "full" ? "the path" : rewrite.path.prefix || "/"} becomes ${rewrite.path.path}`]),
    ...(cors === undefined ? [] : [`CORS for ${cors.allowOrigins.join(", ")}`]),
    ...(session === undefined ? [] : [`clients stay with an endpoint, by the ${session.type} ${session.name}`]),
    ...mirrors.map(({ upstream, share }) => `${percent(share)} of the requests are copied to ${upstream}`),
  ].map((text) => line("filter", text));
}

function headerWords(of: string, changes: HeaderChanges | undefined): string[] {
  if (changes === undefined) return [];
  const all = [
    ...changes.set.map(({ name, value }) => `set ${name}: ${value}`),
    ...changes.add.map(({ name, value }) => `add ${name}: ${value}`),
    ...changes.remove.map((name) => `remove ${name}`),
  ];
  return all.length === 0 ? [] : [`headers of ${of}: ${all.join(", ")}`];
}

function timeoutLines({ location: { timeouts, retries } }: RouteTaken): string[] {
  const { request, backendRequest } = timeouts ?? {};
  return [
    ...(request === undefined ? [] : [line("timeout", `${request} ms for the whole request`)]),
    ...(backendRequest === undefined ? [] : [line("timeout", `${backendRequest} ms for each attempt`)]),
    ...(retries === undefined ? [] : [line("retries", retryWords(retries))]),
  ];
}

function backendWords({ key, port }: GatewayDecision["backends"][number]["backend"]): string {
  return key === "" ? "no Service" : `Service ${key}, port ${port}`;
}

function endpointWords(endpoints: readonly { readonly address: string; readonly port: number }[]): string {
  if (endpoints.length === 0) return "503, no endpoint is ready";
  const shown = endpoints.slice(0, 5).map(({ address, port }) => `${address}:${port}`);
  return `${shown.join(", ")}${endpoints.length > 5 ? ` and ${endpoints.length - 5} more` : ""}`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

function problemLines(taken: RouteTaken | undefined, problems: readonly Finding[]): string[] {
  const owner = taken?.location.owner;
  if (owner === undefined) return [];
  const { kind, namespace, name } = owner;
  const own = problems.filter(
    ({ problem: { object } }) => object.kind === kind && object.namespace === namespace && object.name === name,
  );
  return own.map(({ severity, at, problem }) => {
    const place = at === undefined ? "" : `${at.file}:${at.line}:${at.column}: `;
    return line("problem", `${place}${severity}: ${named(problem.object)}: ${unplaced(problem)}`);
  });
}
