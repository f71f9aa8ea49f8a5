/** A decision as text: a line for each step, in the order in which nginx takes them. */

import type { Decision } from "../../decide/decision.ts";
import type { GatewayDecision } from "../../decide/gateway/gateway.ts";
import type { AskedRequest } from "../../decide/request.ts";
import { backendOf } from "../../model/location.ts";
import { named, unplaced } from "../../problem.ts";
import type { ServedRoute } from "../../routes/routes.ts";
import { visibleLines } from "../../visible.ts";
import type { Finding } from "../tools/findings.ts";
import { gatewayLines, passedOnLine } from "./gateway-lines.ts";
import { endOf, guardLine, line } from "./lines.ts";

export interface Explained {
  readonly asked: AskedRequest;
  /** At the ports of Ingresses. */
  readonly decision: Decision;
  /** At ports of Gateways that have a listener for the host. */
  readonly gateways: readonly GatewayDecision[];
  /** Those that leave it to Ingresses. */
  readonly passedOn: readonly GatewayDecision[];
  /** Whether only Gateways have the port, and none takes the host. */
  readonly isApart: boolean;
  /** Whether a request with this URL may come to the ports of Ingresses. */
  readonly comesToIngresses: boolean;
  /** Whose flags count, where a controller was found. */
  readonly from: string | undefined;
  readonly certificate:
    | { readonly secret: string; readonly names: readonly string[]; readonly expires: Date; readonly fits: boolean }
    | undefined;
  /** Why the host has none although TLS is configured for it. */
  readonly withoutCertificate: string | undefined;
  readonly routes: readonly ServedRoute[];
  readonly reasons: readonly string[];
  /** All Problems; those of the Ingress and of its Service and Secret are printed. */
  readonly problems: readonly Finding[];
}

export function whyText(explained: Explained, now: Date): string {
  const { asked, decision, gateways, passedOn, isApart, comesToIngresses, problems } = explained;
  const host = decision.request?.host;
  const parts = [
    ...(isApart ? [line("answer", `404: no listener on port ${asked.port} takes the host ${host}`)] : []),
    ...gateways.map((one) => gatewayLines(one, problems).join("")),
    ...(comesToIngresses ? [passedOn.map(passedOnLine).join("") + ingressLines(explained, now)] : []),
  ];
  const more = line("or", "by the address to which the name leads");
  return visibleLines(`${asked.method} ${asked.scheme}://${asked.host}${asked.target}\n${parts.join(more)}`);
}

function ingressLines(explained: Explained, now: Date): string {
  const { decision, reasons } = explained;
  const lines = [
    ...classLines(explained),
    ...hostLines(decision),
    ...routeLines(decision),
    ...decision.guards.map(guardLine),
    ...backendLines(explained),
    ...certificateLines(explained, now),
    ...problemLines(explained),
  ];
  const changes = reasons.map((reason) => line("to change", reason));
  return `${lines.join("")}${line("answer", endOf(decision.end))}${changes.join("")}`;
}

function classLines({ decision, from, problems: _ }: Explained): string[] {
  const by = from === undefined ? "flags are the defaults and those given here" : `flags of ${from}`;
  const owner = decision.path?.kind === "location" ? decision.path.location.owner : undefined;
  if (owner === undefined) return [line("class", by)];
  return [line("class", `${named(owner)} is of the class that is served (${by})`)];
}

function hostLines({ request, host }: Decision): string[] {
  if (request === undefined || host === undefined) return [];
  const how = {
    name: `${request.host}, by its own name`,
    alias: `${host.server.name}, by its alias ${host.by}`,
    wildcard: `${host.server.name}, which takes one label`,
    twin: `${host.server.name}, to which ${host.by} redirects`,
    "nothing else": `no Ingress has ${request.host}, so the catch-all takes it`,
  } as const;
  return [line("host", how[host.how])];
}

function routeLines({ request, path }: Decision): string[] {
  if (path?.kind !== "location")
    return path === undefined
      ? []
      : [line("route", path.kind === "nothing" ? `no path takes ${request?.uri}` : `the pattern ${path.pattern}`)];
  const { location, route } = path;
  const kind = {
    exact: "Exact",
    prefix: "Prefix",
    regex: "regular expression",
    pattern: "RegularExpression",
    slash: "a slash is added",
  }[route.match];
  const owner = location.owner === undefined ? "of no Ingress" : named(location.owner);
  return [line("route", `${location.path} (${kind}), ${owner}`)];
}

function backendLines({ decision: { path, end }, routes }: Explained): string[] {
  if (path?.kind !== "location") return [];
  const { owner } = path.location;
  const { service, port, key } = backendOf(path.location);
  if (service === "" || owner === undefined) return [];
  const found = routes.find(
    (one) => one.path === path.location.path && one.ingress === `${owner.namespace}/${owner.name}`,
  );
  const ready = found?.endpoints ?? [];
  const shown = ready.slice(0, 5).join(", ");
  const more = ready.length > 5 ? ` and ${ready.length - 5} more` : "";
  const notReady = (found?.notReady ?? 0) > 0 ? `; ${found!.notReady} not ready` : "";
  const canaries = end.kind === "proxied" ? (found?.canaries ?? []) : [];
  return [
    line("Service", key),
    line("port", port),
    line("endpoints", ready.length === 0 ? `none is ready${notReady}` : `${shown}${more}${notReady}`),
    ...canaries.map((one) => line("canary", `${one.service}: ${one.when}`)),
  ];
}

function certificateLines({ asked, certificate, withoutCertificate }: Explained, now: Date): string[] {
  if (certificate === undefined) {
    const why = withoutCertificate ?? "no tls entry of an Ingress fits the host";
    return asked.scheme === "https" ? [line("certificate", `the default one: ${why}`)] : [];
  }
  const { secret, names, expires, fits } = certificate;
  const until = `until ${expires.toISOString().slice(0, 10)}`;
  const past = expires < now ? ", which is past" : "";
  return [
    line(
      "certificate",
      `Secret ${secret}, for ${names.join(", ")}, ${until}${past}${fits ? "" : "; the host is not among them"}`,
    ),
  ];
}

function problemLines({ decision: { path }, problems }: Explained): string[] {
  const location = path?.kind === "location" ? path.location : undefined;
  const own = problems.filter(({ problem: { object } }) => {
    const { owner } = location ?? {};
    if (location === undefined || owner === undefined || object.namespace !== owner.namespace) return false;
    return (
      (object.kind === owner.kind && object.name === owner.name) ||
      (object.kind === "Service" && object.name === backendOf(location).service)
    );
  });
  const files = location === undefined ? problems.filter(({ problem }) => problem.object.kind === "File") : [];
  return [...own, ...files].map(({ severity, at, problem }) => {
    const place = at === undefined ? "" : `${at.file}:${at.line}:${at.column}: `;
    return line("problem", `${place}${severity}: ${named(problem.object)}: ${unplaced(problem)}`);
  });
}
