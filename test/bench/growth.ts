/**
 * Measures how the cost of a cluster grows. Each kind of crowd is read, translated, rendered in
 * both modes and judged by the webhook: once with n objects and once with eight times as many,
 * alternately. Linear work gives a ratio of about 8, quadratic work one of 64. Only the ratio
 * counts, so other work of the machine matters little.
 */

import type { Ingress, KubernetesObject } from "../../src/core/model/objects.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";
import { defaultSettings } from "../../src/core/settings/registry.ts";
import { defaultOptions } from "../../src/core/table/options.ts";
import { Translator, translate } from "../../src/core/table/translator.ts";
import { emptyInputs } from "../../src/core/table/turn.ts";
import { judge } from "../../src/edges/admission/judge.ts";
import { Neighbours } from "../../src/edges/admission/neighbours.ts";
import { answerOf } from "../../src/edges/admission/webhook.ts";
import { gateway, gatewayClass, listener, listenerSet, route } from "../support/gateways.ts";
import { backedService, base, fake, ingress, put, service } from "../support/sketch.ts";
import { type Figure, medianOf } from "./measured.ts";
import { cpuOf } from "./support/pipeline.ts";
import { newRenderer } from "./support/renderers.ts";

/** Objects of a crowd of n, the one under review first. */
type Crowd = (n: number) => readonly KubernetesObject[];

const upTo = (n: number) => Array.from({ length: n }, (_, at) => at);
const prefixes = (n: number, target: (at: number) => string) => upTo(n).map((at) => [`/p${at}`, target(at)] as const);
const web = service("web");

const crowds: Readonly<Record<string, Crowd>> = {
  "paths of one Service": (n) => [ingress({ name: "a", host: "a.example", paths: prefixes(n, () => "web") }), web],
  "paths whose Services are missing": (n) => [
    ingress({ name: "a", host: "a.example", paths: prefixes(n, (at) => `s${at}`) }),
  ],
  "paths with Services of their own": (n) => [
    ingress({ name: "a", host: "a.example", paths: prefixes(n, (at) => `s${at}`) }),
    ...upTo(n).flatMap((at) => backedService({ name: `s${at}`, addresses: ["192.0.2.1"] })),
  ],
  "Ingresses of one host": (n) => [
    ...upTo(n).map((at) => ingress({ name: `i${at}`, host: "a.example", paths: [[`/p${at}`, "web"]], age: at })),
    web,
  ],
  "Ingresses that claim one path": (n) => [
    ...upTo(n).map((at) => ingress({ name: `i${at}`, host: "a.example", age: at })),
    web,
  ],
  "Ingresses of one host with other annotations": (n) => [
    ...upTo(n).map((at) =>
      ingress({
        name: `i${at}`,
        host: "a.example",
        paths: [[`/p${at}`, "web"]],
        annotations: {
          "client-body-buffer-size": `${at + 1}k`,
          "app-root": `/r${at}`,
          "server-alias": `b${at}.example`,
        },
      }),
    ),
    web,
  ],
  "rules of one Ingress": (n) => [
    ingress({
      name: "a",
      spec: { rules: upTo(n).map((at) => ({ host: `h${at}.example`, http: { paths: [rulePath("/", "web")] } })) },
    }),
    web,
  ],
  "rules of one host": (n) => [
    ingress({
      name: "a",
      spec: { rules: upTo(n).map((at) => ({ host: "a.example", http: { paths: [rulePath(`/p${at}`, "web")] } })) },
    }),
    web,
  ],
  "tls entries of one Ingress": (n) => [
    ingress({
      name: "a",
      host: "a.example",
      spec: { tls: upTo(n).map((at) => ({ hosts: ["a.example", `h${at}.example`], secretName: `t${at}` })) },
    }),
    web,
  ],
  "hosts of one tls entry": (n) => [
    ingress({
      name: "a",
      spec: {
        rules: upTo(n).map((at) => ({ host: `h${at}.example`, http: { paths: [rulePath("/", "web")] } })),
        tls: [{ hosts: upTo(n).map((at) => `h${at}.example`), secretName: "t" }],
      },
    }),
    web,
  ],
  "aliases of one Ingress": (n) => [
    ingress({
      name: "a",
      host: "a.example",
      annotations: {
        "server-alias": upTo(n)
          .map((at) => `h${at}.example`)
          .join(","),
      },
    }),
    web,
  ],
  "rules and aliases of one Ingress": (n) => [
    ingress({
      name: "a",
      annotations: {
        "server-alias": upTo(Math.min(n, 1_000))
          .map((at) => `b${at}.example`)
          .join(","),
      },
      spec: { rules: upTo(n).map((at) => ({ host: `h${at}.example`, http: { paths: [rulePath("/", "web")] } })) },
    }),
    web,
  ],
  "aliases that several Ingresses claim": (n) => [
    ...upTo(n).map((at) =>
      ingress({
        name: `i${at}`,
        host: `h${at}.example`,
        age: at,
        annotations: { "server-alias": `same.example,h${at + 1}.example` },
      }),
    ),
    web,
  ],
  "canaries of one path": (n) => [
    ingress({ name: "main", host: "a.example", age: n + 1 }),
    ...upTo(n).map((at) =>
      ingress({
        name: `c${at}`,
        host: "a.example",
        paths: [["/", `s${at}`]],
        annotations: { canary: "true", "canary-weight": "1" },
      }),
    ),
    web,
  ],
  "canaries of many paths": (n) => [
    ingress({ name: "main", host: "a.example", paths: prefixes(n, (at) => `s${at}`), age: 9 }),
    ingress({
      name: "canary",
      host: "a.example",
      paths: prefixes(n, (at) => `c${at}`),
      annotations: { canary: "true", "canary-by-header": "x" },
    }),
  ],
  "Exact and Prefix paths beside each other": (n) => [
    ingress({
      name: "a",
      host: "a.example",
      paths: upTo(n).flatMap((at) => [[`/p${at}`, "web", "Exact"] as const, [`/p${at}`, "web"] as const]),
    }),
    web,
  ],
  "paths below each other": (n) => [
    ingress({ name: "a", host: "a.example", paths: upTo(n).map((at) => [`/${"a/".repeat(at % 200)}${at}`, "web"]) }),
    web,
  ],
  "regular expressions of one host": (n) => [
    ingress({
      name: "a",
      host: "a.example",
      paths: upTo(n).map((at) => [`/p${at}/(.*)`, "web", "ImplementationSpecific"]),
      annotations: { "use-regex": "true", "rewrite-target": "/$1" },
    }),
    web,
  ],
  "wildcard hosts with hosts below": (n) => [
    ...upTo(n).flatMap((at) => [
      ingress({ name: `w${at}`, host: `*.w${at}.example` }),
      ingress({ name: `h${at}`, host: `h.w${at}.example` }),
    ]),
    web,
  ],
  "Services whose names redirect to www": (n) => [
    ...upTo(n).map((at) =>
      ingress({ name: `i${at}`, host: `h${at}.example`, annotations: { "from-to-www-redirect": "true" } }),
    ),
    web,
  ],
  "hosts that share one Service": (n) => [
    ...upTo(n).map((at) =>
      ingress({ name: `i${at}`, host: `h${at}.example`, annotations: { "upstream-hash-by": "$uri" } }),
    ),
    ...backedService({ name: "web", addresses: ["192.0.2.1"] }),
  ],
  "endpoints of one Service": (n) => [
    ingress({ name: "a", host: "a.example" }),
    ...backedService({ name: "web", addresses: upTo(n).map((at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`) }),
  ],
  "ports of one Service": (n) => [
    ingress({ name: "a", host: "a.example" }),
    { ...web, spec: { ports: upTo(n).map((at) => ({ port: at + 1, name: `p${at}` })) } },
  ],
  "guarded hosts": (n) => [
    ...upTo(n).map((at) =>
      ingress({
        name: `i${at}`,
        host: `h${at}.example`,
        annotations: { "auth-url": `http://auth${at}.example/`, "mirror-target": `http://m${at}.example/` },
      }),
    ),
    web,
  ],
  "addresses of an access list": (n) => [
    ingress({
      name: "a",
      host: "a.example",
      annotations: {
        "allowlist-source-range": upTo(n)
          .map((at) => `10.${at >> 8}.${at & 255}.0/24`)
          .join(","),
      },
    }),
    web,
  ],
  "unknown annotations": (n) => [
    ingress({ name: "a", host: "a.example", annotations: Object.fromEntries(upTo(n).map((at) => [`x-${at}`, "1"])) }),
    web,
  ],
};

const rulePath = (path: string, name: string) => ({
  path,
  pathType: "Prefix" as const,
  backend: { service: { name, port: { number: 80 } } },
});

const small = 250;
const times = 8;
const rounds = 3;
/** Between linear and quadratic, far from both. */
const bound = 24;

/** Returns a row for each crowd, with the part of the controller whose cost grows most. */
export async function growth(): Promise<Figure[]> {
  return [...growthOfCrowds(), besideRoutes(61), besideRoutes(969), ...Object.keys(tenants).map(besideIngresses)];
}

const origins = (count: number) =>
  upTo(count)
    .map((at) => `https://app-${at}.example`)
    .join(",");
const hostRules = (count: number, of: string) =>
  upTo(count).map((at) => ({ host: `h${at}.${of}.example`, http: { paths: [rulePath("/", "web")] } }));

/** Ingresses of a tenant, each of which multiplies something; the first ones fit its limit. */
const tenants: Readonly<Record<string, (at: number) => Ingress>> = {
  "long annotations of many paths": (at) =>
    ingress({
      ...{ name: `i${at}`, host: `i${at}.example`, paths: prefixes(100, () => "web") },
      annotations: { "enable-cors": "true", "cors-allow-origin": origins(600) },
    }),
  "long annotations of many server blocks": (at) =>
    ingress({
      name: `i${at}`,
      annotations: { "enable-cors": "true", "cors-allow-origin": origins(600), "ssl-ciphers": "HIGH" },
      spec: { rules: hostRules(100, `i${at}`) },
    }),
  "aliases of many hosts": (at) =>
    ingress({
      name: `i${at}`,
      annotations: {
        "server-alias": upTo(100)
          .map((nth) => `a${nth}.i${at}.example`)
          .join(","),
      },
      spec: { rules: hostRules(100, `i${at}`) },
    }),
};

/** Returns how long the change of an endpoint takes while a tenant applies 30 such Ingresses. */
function besideIngresses(what: string): Figure {
  const victim = (address: string) => backedService({ name: "web", addresses: [address] });
  const start = put(base, ingress({ name: "victim", host: "victim.example" }), ...victim("192.0.2.1"));
  const attack = upTo(30).map((at) => tenants[what]!(at));
  const values = upTo(rounds).map(() => {
    const translator = new Translator(defaultOptions, fake);
    const renderer = newRenderer("dynamic");
    const turn = (snapshot: Snapshot) => renderer.render(translator.turn({ ...emptyInputs, snapshot }).configuration);
    turn(start);
    return cpuOf(() => turn(put(start, ...attack, ...victim("192.0.2.2"))));
  });
  return { what: `an endpoint changes while a tenant applies ${what}`, unit: "ms", values, bound: 500 };
}

/**
 * Returns how long the change of an endpoint takes together with changes of a tenant: a route of
 * this many KB with 16 hostnames on 16 listeners, and smaller ones that use all records that the
 * tenant may have.
 */
function besideRoutes(kilobytes: number): Figure {
  const listeners = upTo(16).map((at) => listener({ name: `l${at}`, port: 9_000 + at }));
  const allowedListeners = { namespaces: { from: "All" as const } };
  const options = { ...defaultOptions, gateway: { ...defaultOptions.gateway, addresses: ["192.0.2.10"] } };
  const victim = (address: string) => backedService({ name: "web", addresses: [address] });
  const start = put(
    base,
    ...[gatewayClass(), gateway({ spec: { allowedListeners } }), listenerSet({ listeners })],
    ...[ingress({ name: "victim", host: "victim.example" }), ...victim("192.0.2.1")],
  );
  const attack = [
    longRoute({ name: "large", hosts: 16, matches: 128, filter: kilobytes * 512 }),
    ...upTo(8).map((at) => longRoute({ name: `small${at}`, hosts: 2, matches: 64, filter: 0 })),
  ];
  const values = upTo(rounds).map(() => {
    const translator = new Translator(options, fake);
    const renderer = newRenderer("dynamic");
    const turn = (snapshot: Snapshot) => renderer.render(translator.turn({ ...emptyInputs, snapshot }).configuration);
    turn(start);
    return cpuOf(() => turn(put(start, ...attack, ...victim("192.0.2.2"))));
  });
  const what = `an endpoint changes while a tenant changes a route of ${kilobytes} KB on 16 listeners and fills its budget`;
  return { what, unit: "ms", values, bound: 500 };
}

function longRoute(sizes: { name: string; hosts: number; matches: number; filter: number }): KubernetesObject {
  const { name, hosts, matches, filter } = sizes;
  const set = [{ name: "x-long", value: "v".repeat(filter) }];
  return route({
    ...{ name, parent: { kind: "ListenerSet", name: "set" } },
    hostnames: upTo(hosts).map((at) => `${name}-${at}.example`),
    rules: upTo(2).map((rule) => ({
      matches: upTo(matches / 2).map((at) => ({ path: { type: "PathPrefix", value: `/${rule}/${at}` } })),
      filters: [{ type: "RequestHeaderModifier", requestHeaderModifier: { set } }],
      backendRefs: [{ name: "web", port: 80 }],
    })),
  });
}

function growthOfCrowds(): Figure[] {
  return Object.entries(crowds).map(([what, crowd]) => {
    const few = worksOn(crowd(small));
    const many = worksOn(crowd(small * times));
    const ratios = (part: string) =>
      upTo(rounds).map(() => {
        const little = Math.max(cpuOf(() => repeated(few[part]!, times)) / times, leastMs);
        return cpuOf(many[part]!) / little;
      });
    const parts = Object.keys(few).map((part) => ({ part, values: ratios(part) }));
    const [worst] = parts.toSorted((one, other) => medianOf(other.values) - medianOf(one.values));
    return { what: `${times} times as many ${what}: ${worst!.part}`, unit: "times", values: worst!.values, bound };
  });
}

/** Below this time the ratio means nothing. */
const leastMs = 0.5;

function repeated(work: () => void, count: number): void {
  for (let at = 0; at < count; at += 1) work();
}

type Works = Readonly<Record<string, () => void>>;

/** Returns the work of each part of the controller on this cluster. */
function worksOn(objects: readonly KubernetesObject[]): Works {
  const snapshot: Snapshot = put(base, ...objects);
  const inputs = { ...emptyInputs, snapshot };
  const { configuration } = translate(inputs, defaultOptions, fake);
  const render = (mode: "dynamic" | "static") => () => {
    newRenderer(mode).render(configuration);
  };
  const reviewed = objects[0] as Ingress;
  const neighbours = new Neighbours(defaultOptions);
  return {
    translate: () => {
      translate(inputs, defaultOptions, fake);
    },
    "render for dynamic mode": render("dynamic"),
    "render for static mode": render("static"),
    review: () => {
      neighbours.catchUp(snapshot);
      const bench = { snapshot, neighbours, settings: defaultSettings, options: defaultOptions, watches: () => true };
      answerOf(judge(reviewed, bench));
    },
  };
}
