/**
 * Annotations times hosts and paths, and aliases times hosts: the Ingresses of one namespace cause
 * a limited amount of text and records, the oldest first, and the others are closed.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { base, configMap, fake, ingress, put, service } from "../../../../test/support/sketch.ts";
import { keyOf } from "../../model/objects.ts";
import { sentence } from "../../model/problem.ts";
import { type WatchedKind, withObjects } from "../../model/snapshot.ts";
import { defaultOptions } from "../../table/options.ts";
import { Translator, translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

const list = (length: number, item: string) => Array.from({ length }, (_, at) => `${item}${at}`).join(",");
const many = Array.from({ length: 1_000 }, (_, at) => [`/p${at}`, "web"] as const);
const hosts = many.map(([path], at) => ({
  host: `h${at}.example`,
  http: { paths: [{ path, pathType: "Prefix" as const, backend: { service: { name: "web", port: { number: 80 } } } }] },
}));
const long = { "enable-cors": "true", "cors-allow-origin": list(900, "https://app.example.com:80") };

const withoutLua = { ...defaultOptions, lacks: new Set(["lua"] as const) };

function outcome(options: typeof defaultOptions, ...objects: Parameters<typeof put>[1][]) {
  const inputs = { ...emptyInputs, snapshot: put(base, service("web"), ...objects) };
  const { problems, configuration } = translate(inputs, options, fake);
  const { servers } = configuration;
  return { problems: [...problems.values()].flat().map(sentence), servers, closed: closedIn(servers) };
}

type Servers = ReturnType<typeof translate>["configuration"]["servers"];

/** Returns the hosts and paths that answer 503. */
const closedIn = (servers: Servers) =>
  [...servers].flatMap(([host, { locations }]) =>
    locations.flatMap(({ path, closed }) => (closed === undefined ? [] : [`${host}${path}`])),
  );

const both = [
  ["text in static mode", withoutLua],
  ["records in dynamic mode", defaultOptions],
] as const;

test.each(both)("an Ingress with gigabytes of %s is closed", (_, options) => {
  const big = ingress({ name: "big", host: "big.example", paths: many, annotations: long });
  const { problems, closed, servers } = outcome(options, big);
  expect(closed, "with the path / that each host has").toHaveLength(1_001);
  expect(JSON.stringify([...servers])).not.toContain("app.example.com");
  expect(problems).toEqual([
    expect.stringMatching(
      /^annotation cors-allow-origin: there are \d+ characters for each of 1000 paths; with the older Ingresses of namespace ns that is more than ingress-records-per-namespace permits \(8m\); its paths answer 503$/,
    ),
  ]);
  const some = ingress({ name: "big", host: "big.example", paths: many.slice(0, 250), annotations: long });
  expect(outcome(options, some)).toMatchObject({ problems: [], closed: [] });
});

test("paths that are regular expressions keep their requests when they are closed", () => {
  const patterns = many.map(([path]) => [`${path}(/.*)?$`, "web", "ImplementationSpecific"] as const);
  const annotations = { ...long, "use-regex": "true" };
  const big = ingress({ name: "big", host: "big.example", paths: patterns, annotations });
  const { servers } = outcome(defaultOptions, big);
  const matches = servers.get("big.example")?.routes.map(({ match }) => match);
  expect(matches?.filter((match) => match !== "regex")).toEqual([]);
});

test("a closed Ingress with client certificates lets no request to its hosts pass", () => {
  const annotations = { ...long, "auth-tls-secret": "ns/ca" };
  const big = ingress({ name: "big", host: "big.example", paths: many, annotations });
  const { servers } = outcome(defaultOptions, big);
  expect(servers.get("big.example")?.features.clientCertificate).toEqual({ kind: "refuse" });
});

test("a canary that is too large is dropped, and its main Ingress gets all requests", () => {
  const words = { host: "big.example", paths: many };
  const main = ingress({ ...words, name: "main", age: 9 });
  const canary = ingress({ ...words, name: "canary", annotations: { ...long, canary: "true", "canary-weight": "50" } });
  const { problems, closed, servers } = outcome(defaultOptions, main, canary);
  expect(problems).toEqual([expect.stringMatching(/permits \(8m\); the Ingress is not applied$/)]);
  expect(closed).toEqual([]);
  expect(servers.get("big.example")?.locations.every(({ backends }) => backends.length === 1)).toBe(true);
});

test("a snippet counts for each path in static mode alone, because no record has it", () => {
  const annotations = { "configuration-snippet": `# ${"a".repeat(20_000)}` };
  const big = ingress({ name: "big", host: "big.example", paths: many, annotations });
  expect(outcome(withoutLua, big).problems.join()).toContain("for each of 1000 paths");
  expect(outcome(defaultOptions, big).problems.join()).not.toContain("for each of");
});

test("hosts add to the size in dynamic mode, because each may be a server block of its own", () => {
  const annotations = { ...long, "ssl-ciphers": "HIGH" };
  const { problems } = outcome(defaultOptions, ingress({ name: "big", annotations, spec: { rules: hosts } }));
  expect(problems.join()).toContain("for each of 1000 hosts");
});

test.each(["ns/headers", "headers"])("a ConfigMap that an annotation names as %s adds to the size", (name) => {
  const headers = configMap("ns/headers", { "X-Long": "a".repeat(20_000) });
  const guarded = { "auth-url": "https://auth.example.com/", "auth-proxy-set-headers": name };
  const big = ingress({ name: "big", host: "big.example", paths: many, annotations: guarded });
  expect(outcome(withoutLua, big, headers).problems.join()).toContain("for each of 1000 paths");
});

/** Ingress number `at`, the older the higher, with as many aliases for each of as many hosts. */
const aliased = (at: number, count: number) =>
  ingress({
    ...{ name: `i${at}`, age: at, annotations: { "server-alias": list(count, `a.i${at}.`) } },
    spec: { rules: hosts.slice(0, count).map((rule) => ({ ...rule, host: `i${at}.${rule.host}` })) },
  });

describe("Ingresses of one namespace", () => {
  const small = { ...defaultOptions, configMap: "ns/settings" };
  const limit = configMap("ns/settings", { "ingress-records-per-namespace": "192k" });
  const some = Array.from({ length: 6 }, (_, at) => aliased(at, 20));

  test("have 8 MB for aliases of many hosts together, the oldest first", () => {
    const many = Array.from({ length: 6 }, (_, at) => aliased(at, 100));
    const other = { ...aliased(9, 100), metadata: { ...aliased(9, 100).metadata, namespace: "other" } };
    const { problems, closed } = outcome(defaultOptions, ...many, ingress({ name: "small" }), other);
    const names = (text: string) => [...new Set(closed.map((one) => one.split(".")[0]))].includes(text);
    expect(["i0", "i1", "i2", "i3", "i4", "i5", "i9"].map(names)).toEqual([true, true, true, ...Array(4).fill(false)]);
    expect(problems.filter((one) => one.includes("100 names for each of 100 hosts"))).toHaveLength(3);
  });

  const steps = fc.array(
    fc.tuple(
      fc.constantFrom(
        ...some.map((one, at) => ({ one, without: ingress({ name: `i${at}`, age: at, host: `i${at}.example` }) })),
      ),
      fc.constantFrom("with", "without", "gone"),
    ),
    { minLength: 1, maxLength: 8 },
  );

  test("are closed after any history as in a translation without one", () => {
    fc.assert(
      fc.property(steps, (history) => {
        const translator = new Translator(small, fake);
        let snapshot = put(base, service("web"), limit, ...some);
        translator.turn({ ...emptyInputs, snapshot });
        for (const [{ one, without }, how] of history) {
          const object = { with: one, without, gone: undefined }[how];
          snapshot = withObjects(snapshot, [{ kind: "Ingress" as WatchedKind, key: keyOf(one), object }]);
          const inputs = { ...emptyInputs, snapshot };
          const [kept, fresh] = [translator.turn(inputs), translate(inputs, small, fake)];
          expect(closedIn(kept.configuration.servers).sort()).toEqual(closedIn(fresh.configuration.servers).sort());
        }
      }),
      { numRuns: 20, seed: 48 },
    );
  });

  test("with a last good form count as that form, until it is replaced", () => {
    const translator = new Translator(small, fake);
    let inputs = { ...emptyInputs, snapshot: put(base, service("web"), limit, ...some) };
    const closed = () => {
      const turned = translator.turn(inputs);
      inputs = { ...inputs, lastGood: turned.lastGood };
      return [...new Set(closedIn(turned.configuration.servers).map((one) => one.split(".")[0]))].sort();
    };
    expect(closed()).toEqual(["i0", "i1", "i2"]);
    const broken = ingress({ name: "i5", age: 5, host: "i5.example", annotations: { "server-alias": "a b" } });
    inputs = { ...inputs, snapshot: put(inputs.snapshot, broken) };
    expect(closed(), "the last good form still has its names").toEqual(["i0", "i1", "i2"]);
    inputs = { ...inputs, snapshot: put(inputs.snapshot, ingress({ name: "i5", age: 5, host: "i5.example" })) };
    expect(closed()).toEqual(["i0", "i1"]);
  });
});
