/**
 * `sluice why URL`: what becomes of a request, step by step: class, host, route, guards, Service, port, endpoints, certificate, Problems, and
 * what would have to change. No request is sent: files, a dump or a live cluster are read, and src/decide/ works it out.
 */

import { type DecideOptions, decide } from "../decide/decide.ts";
import type { Decision } from "../decide/decision.ts";
import { decideGateways, type GatewayDecision, isApart, isForIngresses } from "../decide/gateway/gateway.ts";
import type { RouteTaken } from "../decide/gateway/match.ts";
import type { Served } from "../decide/host.ts";
import type { AskedRequest } from "../decide/request.ts";
import { backendOf } from "../model/location.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { named } from "../problem.ts";
import { routesOf } from "../routes/routes.ts";
import { type Translation, translate } from "../translate/translator.ts";
import { emptyInputs } from "../translate/turn.ts";
import { translateOptions } from "./options.ts";
import type { Out } from "./reference.ts";
import { type ToolOption, toolCall } from "./tools/call.ts";
import { findingsIn } from "./tools/findings.ts";
import { newLibrary, unmadeCertificate } from "./tools/folder.ts";
import { readObjects } from "./tools/read.ts";
import { withController } from "./tools/with-controller.ts";
import { type Explained, whyText } from "./why/print.ts";
import { reasonsIn } from "./why/reasons.ts";

export const whyOptions: readonly ToolOption[] = [
  { name: "header", short: "H", value: "NAME:VALUE", list: true, doc: "A header of the request, as curl takes it." },
  { name: "request", short: "X", value: "METHOD", doc: "The method; GET where none is named." },
];

const usage = `Usage: sluice why URL PATH [-H NAME:VALUE] [-X METHOD] [flags] [-o json]
       sluice why URL [PATH] --kubeconfig FILE [--context NAME] [...]

Says what becomes of a request, in the order in which nginx decides: whose the host is, which path takes it, what guards it, which Service, port
and endpoints it goes to, which certificate is served, which Problems the Ingress has, and what would have to change where it gets no answer.
PATH is a folder, a file such as a dump, or - for standard input; with --kubeconfig or --context a live cluster is read. Nothing is asked.

  sluice why https://shop.example.com/cart FOLDER
  sluice why http://shop.example.com/ FOLDER -X OPTIONS -H "Origin: https://app.example.com"

Exit code 0 when the request reaches an endpoint or is redirected, 1 when it is refused or finds nothing, 2 when it cannot do its work.
`;

export async function why(argv: readonly string[], out: Out, now: Date): Promise<number> {
  const call = toolCall(argv, { folders: ["a URL", "a folder or a file"], optional: true, options: whyOptions });
  if (call.kind === "help") {
    out.write(usage);
    return 0;
  }
  if (call.kind === "failure") return failed(out, call.why);
  const [url = "", folder] = call.folders;
  const asked = requestOf(url, call.options);
  if (typeof asked === "string") return failed(out, asked);
  if (folder === undefined && !call.live)
    return failed(out, "it takes a folder or a file after the URL, or --kubeconfig, and here is none");
  const read = await readObjects(call, folder, "workloads");
  if (!read.ok) return failed(out, read.why);
  for (const note of read.notes) out.fail(`sluice why: ${note}`);
  const { flags, as, from } = withController(call, read.files);
  const library = newLibrary(flags);
  library.change(read.files);
  const { snapshot } = library;
  const options = translateOptions(flags, as, undefined);
  const translation = translate({ ...emptyInputs, snapshot }, options, unmadeCertificate);
  const served = translation.configuration;
  const ownPaths = [flags.healthCheckPath, "/nginx_status"];
  const ports = { http: flags.httpPort, https: flags.httpsPort };
  const decideOptions: DecideOptions = { ownPaths, builtInPort: flags.defaultServerPort, ports };
  const decision = decide(served, asked, decideOptions);
  const gateways = gatewaysFor(served, asked, decision, decideOptions);
  const explained: Explained = {
    asked,
    decision,
    ...gateways,
    from,
    certificate: certificateOf(decision.host?.certificate, served.certificates, decision.request?.host),
    withoutCertificate: withoutCertificate(decision, translation, snapshot),
    routes: decision.host === undefined ? [] : routesOf(served, snapshot, decision.request?.host),
    reasons: reasonsIn(decision, snapshot, translation, options),
    problems: findingsIn(read.files, flags, as, read.written),
  };
  const ends = [...gateways.gateways.map(({ end }) => end), ...(gateways.comesToIngresses ? [decision.end] : [])];
  out.write(call.json ? `${JSON.stringify(jsonOf(explained), null, 2)}\n` : whyText(explained, now));
  return gateways.isApart || ends.some((end) => end.kind === "unclear" || (end.kind === "answer" && end.status >= 400))
    ? 1
    : 0;
}

/** A Gateway with an address of its own is asked beside Ingresses that have the host: the name's address decides then. */
function gatewaysFor(
  served: Served,
  asked: AskedRequest,
  { host, request }: Decision,
  options: DecideOptions,
): Pick<Explained, "gateways" | "passedOn" | "isApart" | "comesToIngresses"> {
  if (request === undefined) return { gateways: [], passedOn: [], isApart: false, comesToIngresses: true };
  const all = decideGateways(served, asked, request, options);
  const passedOn = all.filter((one) => isForIngresses(served, one, request.host, options));
  const gateways = all.filter((one) => !passedOn.includes(one));
  const apart = all.length === 0 && isApart(served, asked, options);
  const mayBeIngress = all.every(({ port }) => port.address !== undefined) && host?.how !== "nothing else";
  return { gateways, passedOn, isApart: apart, comesToIngresses: !apart && (gateways.length === 0 || mayBeIngress) };
}

/** A sentence where it is no URL. */
function requestOf(url: string, { header, request }: Readonly<Record<string, string>>): AskedRequest | string {
  const [, scheme, host, target] =
    /^(?:(https?):\/\/)?(\[[^\]/?#\s]*\](?::\d+)?|[^/?#\s:]+(?::\d+)?)([/?][^\s]*)?$/i.exec(url) ?? [];
  if (host === undefined) return `${JSON.stringify(url)} is not a URL such as https://shop.example.com/cart`;
  const headers = new Map<string, string>();
  for (const line of header === undefined ? [] : header.split(/,(?=[\w-]+:)/)) {
    const [, name, value] = /^\s*([\w-]+)\s*:\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) return `-H takes NAME:VALUE, and here is ${JSON.stringify(line)}`;
    headers.set(name.toLowerCase(), value!);
  }
  const port = /:(\d+)$/.exec(host)?.[1];
  return {
    scheme: (scheme?.toLowerCase() ?? "http") as AskedRequest["scheme"],
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(headers.has("host") ? { sni: host.replace(/:\d+$/, "").toLowerCase() } : {}),
    host: headers.get("host") ?? host,
    target: target === undefined ? "/" : target.startsWith("?") ? `/${target}` : target,
    method: request?.toUpperCase() ?? "GET",
    headers,
  };
}

function certificateOf(
  id: string | undefined,
  certificates: {
    get(id: string): { readonly id: string; readonly names: readonly string[]; readonly notAfter: Date } | undefined;
  },
  host: string | undefined,
): Explained["certificate"] {
  const found = id === undefined ? undefined : certificates.get(id);
  if (found === undefined) return undefined;
  const { names, notAfter } = found;
  const above = host?.replace(/^[^.]+/, "*") ?? "";
  return { secret: found.id, names, expires: notAfter, fits: names.some((name) => name === host || name === above) };
}

/** Why a host for which TLS is configured has no certificate of its own; undefined where that is not known. */
function withoutCertificate(
  { host, request }: Decision,
  { problems }: Translation,
  { ingresses }: Snapshot,
): string | undefined {
  if (host === undefined || host.certificate !== undefined || !host.tls) return undefined;
  const names = [host.server.name, request?.host];
  for (const problem of [...problems.values()].flat()) {
    if (problem.kind === "certificate-misfit" && names.includes(problem.host)) {
      return `Secret ${problem.secret}, which ${named(problem.object)} names, is for ${problem.names}`;
    }
    if (problem.kind !== "secret-unusable" || !problem.field.startsWith("spec.tls")) continue;
    const { namespace = "default", name } = problem.object;
    const rules = ingresses.get(`${namespace}/${name}`)?.spec?.rules ?? [];
    if (rules.some((rule) => rule.host?.toLowerCase() === host.server.name)) {
      return `Secret ${problem.secret}, which ${named(problem.object)} names: ${problem.why}`;
    }
  }
  return "its tls entry names no Secret";
}

function jsonOf({ asked, decision, gateways, comesToIngresses, reasons, certificate, problems }: Explained) {
  const { host, path, ...rest } = decision;
  const found = path?.kind === "location" ? path : undefined;
  return {
    request: { ...asked, headers: Object.fromEntries(asked.headers) },
    host: host && { name: host.server.name, by: host.by, how: host.how, tls: host.tls },
    route: found && {
      owner: found.location.owner,
      path: found.location.path,
      match: found.route.match,
      service: backendOf(found.location).service,
      port: backendOf(found.location).port,
    },
    guards: rest.guards,
    end: rest.end,
    errorPages: rest.errorPages,
    certificate,
    reasons,
    ...(gateways.length === 0 ? {} : { gateways: gateways.map(gatewayJson), comesToIngresses }),
    problems: problems.map(({ severity, at, problem }) => ({ severity, ...at, ...problem })),
  };
}

function gatewayJson({ port, listener, lost, taken, guards, backends, end, rewritten }: GatewayDecision) {
  const routeJson = ({ server, location, route }: RouteTaken) => {
    const { owner, rule, path, filters, timeouts } = location;
    return {
      owner,
      rule,
      host: server.name,
      path,
      match: route.match,
      conditions: route.conditions,
      filters,
      timeouts,
    };
  };
  return {
    gateway: listener.gateway,
    listener: { name: listener.name, hostname: listener.hostname, address: port.address, port: port.listenPort },
    lost: lost.map((one) => ({ ...routeJson(one), why: one.why })),
    route: taken && routeJson(taken),
    guards,
    backends: backends.map(({ backend, share, upstream }) => {
      const { key: service, port: number, filters, unusable } = backend;
      const endpoints = (upstream?.endpoints ?? []).map((one) => `${one.address}:${one.port}`);
      return { service, port: number, share, filters, unusable, endpoints };
    }),
    end,
    rewritten,
  };
}

function failed(out: Out, sentence: string): number {
  out.fail(`sluice why: ${sentence}`);
  return 2;
}
