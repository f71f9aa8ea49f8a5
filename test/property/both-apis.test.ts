/**
 * Serves random Ingresses and HTTPRoutes of the shared Gateway on a real nginx. Each request must
 * go where a naive reading of docs/gateway-api.md, "Beside Ingresses", says, and `sluice why` must
 * say the same. `SLUICE_REQUESTS=20000` sends more requests, and SLUICE_SEED chooses other samples.
 * Paths of Ingresses are not regular expressions here.
 */
import { expect, test } from "vitest";
import { startBothApis } from "../nginx/support/both-apis.ts";
import { route } from "../support/gateways.ts";
import { ingress } from "../support/ingress.ts";
import { Draws } from "./draws.ts";

const requests = Number(process.env.SLUICE_REQUESTS ?? 1_200);
const seed = Number(process.env.SLUICE_SEED ?? 1);
const perWorld = 200;
const hosts = ["a.test", "b.a.test", "c.b.a.test", "b.test", "x.test"];
const names = ["a.test", "b.a.test", "b.test", "*.a.test", "*.test", ""];
const paths = ["/", "/a", "/a/b", "/a/b/c", "/ab", "/b"];
const asked = [...paths, "/a/", "/a/x", "/a/b/x", "/c"];
const namespaces = ["ns", "other"];

interface Match {
  readonly kind: "Ingress" | "HTTPRoute";
  readonly namespace: string;
  /** A larger age is older; no two objects have the same age. */
  readonly age: number;
  readonly host: string;
  readonly path: string;
  readonly exact: boolean;
  /** Whether the request needs the header `new`. */
  readonly conditional: boolean;
  readonly service: string;
}

/** Draws the matches, one object for each. A host has each path of Ingresses once. */
function matchesOf(draw: Draws): readonly Match[] {
  const all = Array.from({ length: 4 + draw.below(14) }, (_, age): Match => {
    const kind = draw.of(["Ingress", "HTTPRoute"] as const);
    return {
      ...{ kind, age, namespace: draw.of(namespaces), host: draw.of(names), path: draw.of(paths) },
      exact: draw.below(4) === 0,
      conditional: kind === "HTTPRoute" && draw.below(3) === 0,
      service: `s${1 + draw.below(4)}`,
    };
  });
  const place = ({ kind, host, path }: Match) => (kind === "Ingress" ? `${host} ${path}` : undefined);
  return all.filter((one, at) => place(one) === undefined || all.findIndex((o) => place(o) === place(one)) === at);
}

const born = (age: number) => new Date(Date.UTC(2026, 0, 1) - age * 1000).toISOString();

function objectOf({ kind, namespace, age, host, path, exact, conditional, service }: Match) {
  const name = `m${age}`;
  if (kind === "Ingress") {
    const words = { name, namespace, host: host === "" ? undefined : host, metadata: { creationTimestamp: born(age) } };
    return ingress({ ...words, paths: [[path, service, exact ? "Exact" : "Prefix"]] });
  }
  const match = {
    path: { type: exact ? "Exact" : "PathPrefix", value: path },
    ...(conditional ? { headers: [{ name: "new", value: "yes" }] } : {}),
  };
  const rules = [{ matches: [match], backendRefs: [{ name: service, port: 80 }] }];
  return route({ name, namespace, age, hostnames: host === "" ? [] : [host], rules });
}

/** Returns the names that may match a host, the most specific first. */
function levelsOf(host: string): readonly string[] {
  const labels = host.split(".");
  return [host, ...labels.slice(1).map((_, at) => `*.${labels.slice(at + 1).join(".")}`), ""];
}

/** A wildcard of an Ingress takes one label. */
function hasHost({ kind, host: name }: Match, level: string, host: string): boolean {
  if (name !== level) return false;
  return kind === "HTTPRoute" || !name.startsWith("*.") || host.slice(host.indexOf(".")) === name.slice(1);
}

function takes({ path, exact, conditional }: Match, uri: string, isNew: boolean): boolean {
  if (conditional && !isNew) return false;
  if (exact) return uri === path;
  const prefix = path === "/" ? "" : path;
  return uri === prefix || uri.startsWith(`${prefix}/`);
}

/**
 * Returns whether the first comes before the second: an exact path first, then a longer one, then
 * one with conditions, then by namespace and age.
 */
function comesFirst(one: Match, other: Match): boolean {
  if (one.exact !== other.exact) return one.exact;
  if (one.path.length !== other.path.length) return one.path.length > other.path.length;
  if (one.conditional !== other.conditional) return one.conditional;
  if (one.kind !== other.kind && one.namespace === other.namespace) return one.kind === "HTTPRoute";
  return one.age > other.age;
}

function expectedOf(matches: readonly Match[], host: string, uri: string, isNew: boolean): string {
  for (const level of levelsOf(host)) {
    const there = matches.filter((one) => hasHost(one, level, host));
    const fitting = there.filter((one) => takes(one, uri, isNew));
    const first = fitting.find((one) => fitting.every((other) => one === other || comesFirst(one, other)));
    if (first !== undefined) return first.service;
    if (fitting.length > 0) return "no order";
    if (there.some(({ kind }) => kind === "Ingress")) return "404";
  }
  return "404";
}

test(`${requests} random requests to hosts of both APIs get to the paths that the rule names`, {
  timeout: 3_600_000,
}, async () => {
  const it = await startBothApis(18_984);
  for (let world = 0; world * perWorld < requests; world++) {
    const draw = new Draws(seed * 1_000_003 + world);
    const matches = matchesOf(draw);
    await it.serve(...matches.map(objectOf));
    for (let at = 0; at < perWorld; at++) {
      const [host, uri, isNew] = [draw.of(hosts), draw.of(asked), draw.below(2) === 0];
      const wanted = expectedOf(matches, host, uri, isNew);
      if (wanted === "no order") continue;
      const found = await it.ask(host, uri, isNew ? { new: "yes" } : {});
      expect(found, `${host}${uri} ${isNew ? "new" : ""} of ${JSON.stringify(matches)}`).toBe(wanted);
    }
  }
});
