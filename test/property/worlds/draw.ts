/** Draws a random world and requests to it. */
import type { Question } from "../../support/decided.ts";
import type { Draws } from "../draws.ts";
import {
  apartPorts,
  type IngressSketch,
  type ListenerSketch,
  namespaces,
  type RouteSketch,
  type Sketch,
} from "./sketch.ts";

/** The certificates, with their names. */
export const pairs: Readonly<Record<string, readonly string[]>> = {
  one: ["a.test", "b.test"],
  wild: ["*.a.test", "*.test"],
  below: ["b.a.test", "*.b.a.test"],
};
/** Services of each namespace; `none` has no endpoints, and `missing` is not there. */
export const services: readonly string[] = [...Array.from({ length: 40 }, (_, at) => `s${at}`), "none"];

const hosts = ["a.test", "b.a.test", "c.b.a.test", "b.test", "x.test", "www.a.test", "p1.test", "al.test", "z.al.test"];
const names = ["a.test", "a.test", "b.a.test", "b.test", "*.a.test", "*.b.a.test", "*.test", "www.a.test", ""];
/** Most requests are for hosts that most worlds have. */
const usual = hosts.slice(0, 4);
const hostnames = ["", "", "a.test", "b.a.test", "b.test", "*.a.test", "*.test"];
const aliases = ["al.test", "al.test,x.test", "*.al.test", "~^p\\d\\.test$", "~^[ax]\\.test$", "www.*", ".b.test"];
const paths = ["/", "/", "/a", "/a/", "/a/b", "/a/b/c", "/ab", "/b", "/A"];
const ingressPatterns = ["/a(/|$)(.*)", "/(.*)", "/[ab]/c", "/a.b", "/b|/a", "/a/b$", "/A/.*"];
const routePatterns = ["/a/.*", "/[ab]", "/a(/b)?(/c)?", ".*", "/.*/c", "/a/b"];
const asked = ["/", "/a", "/a/", "/a/b", "/a/b/", "/a/b/c", "/ab", "/b", "/b/c", "/A", "/A/x", "/c", "/a/x", "/a%2Fb"];
const spelled = ["/a//x", "/a/%2Fx%2f", "//a/b%20c", "/a/./x//", "/a/x/..%2fy", "/%61/..;/x", "/b/c%252e%252e"];
const headers = ["one", "Two"];
const values = ["x", "y"];
const methods = ["GET", "GET", "POST"];

class Names {
  #next = 0;

  /** Returns a Service that no other rule has, so that an answer names its rule. */
  service(draw: Draws): string {
    if (draw.below(14) === 0) return draw.of(["none", "missing"]);
    return `s${this.#next++ % (services.length - 1)}`;
  }
}

export function sketchFrom(draw: Draws): Sketch {
  const of = new Names();
  const common = draw.of([true, true, true, false]);
  const listeners = [
    ...(common ? listenersFrom(draw, "gw", false) : []),
    ...(common && draw.below(2) === 0 ? listenersFrom(draw, "gw", true) : []),
    ...(draw.below(2) === 0 ? [...listenersFrom(draw, "apart", false), ...listenersFrom(draw, "apart", true)] : []),
  ];
  // A world with few hosts has more objects for each of them.
  const few = draw.some(names, 3);
  const own = few.length > 0 && draw.below(2) === 0 ? few : names;
  const mains = Array.from({ length: 2 + draw.below(6) }, (_, at) => ingressFrom(draw, at, own, of));
  const ingresses = mains.flatMap((main) => [main, ...(draw.below(4) === 0 ? [canaryFrom(draw, main, of)] : [])]);
  const routes =
    listeners.length === 0 ? [] : Array.from({ length: 2 + draw.below(7) }, (_, at) => routeFrom(draw, at, own, of));
  return { listeners, ingresses, routes };
}

function listenersFrom(draw: Draws, gateway: "gw" | "apart", tls: boolean): readonly ListenerSketch[] {
  const all = draw.below(3) === 0 ? [draw.of(hostnames), ...draw.some(hostnames, 3)] : [""];
  return [...new Set(all)].map((hostname) => ({ gateway, tls, hostname, pairs: tls ? pairsFrom(draw) : [] }));
}

function pairsFrom(draw: Draws): readonly string[] {
  const found = draw.some(Object.keys(pairs), 2);
  return found.length === 0 ? ["one"] : found;
}

function ingressFrom(draw: Draws, at: number, own: readonly string[], of: Names): IngressSketch {
  const annotations = annotationsFrom(draw);
  const isPattern = annotations["use-regex"] === "true" || annotations["rewrite-target"] !== undefined;
  const pathFrom = () => {
    const isOne = isPattern && draw.below(3) > 0;
    const type = isOne ? "ImplementationSpecific" : draw.of(["Prefix", "Prefix", "Exact", "ImplementationSpecific"]);
    return { path: isOne ? draw.of(ingressPatterns) : draw.of(paths), type, to: of.service(draw) };
  };
  return {
    ...{ name: `i${at}`, namespace: draw.of(namespaces), age: draw.below(5) },
    hosts: [...new Set([draw.of(own), ...(draw.below(4) === 0 ? [draw.of(own)] : [])])],
    paths: Array.from({ length: 1 + draw.below(3) }, pathFrom),
    annotations,
    ...(draw.below(4) === 0 ? { tls: draw.of([...Object.keys(pairs), "nothing"]) } : {}),
    ...(draw.below(15) === 0 ? { defaultBackend: of.service(draw) } : {}),
  };
}

function annotationsFrom(draw: Draws): Record<string, string> {
  const rarely = (odds: number, key: string, all: readonly string[]) =>
    draw.below(odds) === 0 ? { [key]: draw.of(all) } : {};
  return {
    ...rarely(6, "use-regex", ["true"]),
    ...rarely(12, "rewrite-target", ["/r/$1", "/fixed", "/$2"]),
    ...rarely(5, "server-alias", aliases),
    ...rarely(10, "app-root", ["/app"]),
    ...rarely(8, "from-to-www-redirect", ["true"]),
    ...rarely(12, "ssl-redirect", ["false"]),
    ...rarely(20, "force-ssl-redirect", ["true"]),
    ...rarely(16, "permanent-redirect", ["https://there.test/x"]),
  };
}

/** Draws a canary of all paths of an Ingress. */
function canaryFrom(draw: Draws, main: IngressSketch, of: Names): IngressSketch {
  const { name, namespace, age, hosts } = main;
  const annotations: Record<string, string> = {
    canary: "true",
    ...(draw.below(2) === 0 ? { "canary-by-header": "canary" } : {}),
    ...(draw.below(4) === 0 ? { "canary-by-cookie": "canary" } : {}),
    "canary-weight": draw.of(["0", "30", "100"]),
  };
  const paths = main.paths.map((path) => ({ ...path, to: of.service(draw) }));
  return { ...{ name: `${name}-c`, namespace, age, hosts, annotations }, paths };
}

function routeFrom(draw: Draws, at: number, own: readonly string[], of: Names): RouteSketch {
  const matchFrom = () => ({
    ...(draw.below(8) === 0 ? {} : { path: pathFrom(draw) }),
    ...(draw.below(7) === 0 ? { method: draw.of(methods) } : {}),
    ...(draw.below(4) === 0 ? { headers: conditionsFrom(draw) } : {}),
    ...(draw.below(6) === 0 ? { queryParams: conditionsFrom(draw) } : {}),
  });
  const ruleFrom = () => ({
    matches: Array.from({ length: 1 + draw.below(2) }, matchFrom),
    backends: [
      { name: of.service(draw), weight: 1 },
      ...(draw.below(6) === 0 ? [{ name: of.service(draw), weight: draw.of([0, 1, 3]) }] : []),
    ],
    ...(draw.below(4) === 0 ? { answersPreflights: true } : {}),
    ...(draw.below(5) === 0 ? { rewrite: draw.of(["/", "/n", "/n/", ""]) } : {}),
  });
  const parents = draw.of([["gw"], ["gw"], ["gw", "apart"], ["apart"]]).map((name) => {
    return { name, ...(draw.below(6) === 0 ? { sectionName: `l${draw.below(3)}` } : {}) };
  });
  return {
    ...{ name: `r${at}`, namespace: draw.of(namespaces), age: draw.below(5), parents },
    hostnames: [...new Set([draw.of(own), ...(draw.below(4) === 0 ? [draw.of(own)] : [])])].filter((one) => one !== ""),
    rules: Array.from({ length: 1 + draw.below(3) }, ruleFrom),
    ...(draw.below(6) === 0 ? { weight: draw.of(["0", "40", "100"]) } : {}),
  };
}

function pathFrom(draw: Draws): object {
  const type = draw.of(["Exact", "PathPrefix", "PathPrefix", "PathPrefix", "RegularExpression"]);
  return { type, value: draw.of(type === "RegularExpression" ? routePatterns : paths) };
}

function conditionsFrom(draw: Draws): readonly object[] {
  const some = draw.some(headers, 2);
  return (some.length === 0 ? ["one"] : some).map((name) => {
    const isPattern = draw.below(4) === 0;
    const value = draw.of(isPattern ? ["[xy]", "x|z"] : values);
    return { type: isPattern ? "RegularExpression" : "Exact", name, value };
  });
}

export function questionFrom(draw: Draws, { listeners }: Sketch): Question {
  const scheme = draw.of(["http", "http", "https"] as const);
  const host = draw.of(draw.below(3) === 0 ? hosts : usual);
  const isApart = listeners.some(({ gateway }) => gateway === "apart") && draw.below(3) === 0;
  const pairsOf = (odds: number) =>
    draw.below(odds) === 0 ? draw.some(headers, 2).map((name) => [name, draw.of(values)] as const) : [];
  const sent = [
    ...pairsOf(2).map(([name, value]) => [name.toLowerCase(), value] as const),
    ...(draw.below(6) === 0 ? [["canary", draw.of(["always", "never"])] as const] : []),
    ...(draw.below(10) === 0 ? [["cookie", `canary=${draw.of(["always", "never"])}`] as const] : []),
  ];
  const isPreflight = draw.below(8) === 0;
  const announced: readonly (readonly [string, string])[] = isPreflight
    ? [
        ["origin", "https://page.test"],
        ["access-control-request-method", draw.of(methods)],
        ...(draw.below(2) === 0 ? [["access-control-request-headers", draw.some(headers, 2).join(", ")] as const] : []),
      ]
    : [];
  const query = pairsOf(4)
    .map((pair) => pair.join("="))
    .join("&");
  return {
    ...(isApart ? { gateway: "ns/apart", port: apartPorts[scheme] } : {}),
    ...{ scheme, host, method: isPreflight ? "OPTIONS" : draw.of(methods) },
    ...(scheme === "https" && draw.below(8) === 0 ? { sni: draw.of(["", ...hosts]) } : {}),
    target: `${draw.of(draw.below(4) === 0 ? spelled : asked)}${query === "" ? "" : `?${query}`}`,
    headers: Object.fromEntries([...sent, ...announced]),
  };
}
