/**
 * Ingresses whose annotations make nginx load authorities and key pairs: those of one namespace
 * load a limited amount, the oldest first, and the others let no request pass.
 */
import { describe, expect, test } from "vitest";
import { base, fake, ingress, put, type Sketch, service } from "../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../certificates/fake.ts";
import type { KubernetesObject, Secret } from "../../model/objects.ts";
import { sentence } from "../../model/problem.ts";
import { withObjects } from "../../model/snapshot.ts";
import { defaultOptions } from "../../table/options.ts";
import { Translator, translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

const { chain } = await fakeCertificate(new Date("2026-01-01"));
/** Authorities of about 250 kB. */
const bundle = chain.repeat(Math.floor(250_000 / chain.length));
const store = (authorities: string): Secret => ({
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "store", namespace: "ns" } },
  data: { "ca.crt": Buffer.from(authorities).toString("base64") },
});
const world = put(base, store(bundle), service("web"));
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

const towardsBackends = { "backend-protocol": "HTTPS", "proxy-ssl-secret": "ns/store" };
const ofClients = { "auth-tls-secret": "ns/store" };

/** The Ingress number `at`; the higher the number, the younger it is. */
const numbered = (at: number, annotations: Record<string, string>, more: Partial<Sketch> = {}) =>
  ingress({ name: `i${at}`, age: 100 - at, host: `h${at}.example`, annotations, ...more });

/** Returns what nginx loads for all server blocks and paths, and the Ingresses that are open. */
function outcome(objects: readonly KubernetesObject[], options = defaultOptions) {
  const { configuration, problems } = translate({ ...emptyInputs, snapshot: put(world, ...objects) }, options, fake);
  return { ...loadedIn(configuration.servers), problems: [...problems.values()].flat().map(sentence) };
}

type Servers = ReturnType<typeof translate>["configuration"]["servers"];

function loadedIn(servers: Servers) {
  const all = [...servers.values()];
  const ofHosts = all.flatMap(({ features: { clientCertificate: one } }) =>
    one.kind === "verify" ? one.authorities : [],
  );
  const ofPaths = all
    .flatMap(({ locations }) => locations)
    .flatMap(({ features: { proxySsl: one } }) => (one.kind === "identity" ? one.authorities : []));
  return { loads: ofHosts.length + ofPaths.length, bytes: [...ofHosts, ...ofPaths].join("").length };
}

describe.each([
  ["proxy-ssl-secret", towardsBackends, "every request to its paths gets 503"],
  ["auth-tls-secret", ofClients, "every request to its hosts gets 403"],
])("Ingresses with %s", (key, annotations, done) => {
  test("load 4 MB together, and the youngest are closed", () => {
    const found = outcome(numbers(60).map((at) => numbered(at, annotations)));
    expect(found.loads).toBe(16);
    expect(found.bytes).toBeLessThanOrEqual(4 * 2 ** 20);
    expect(found.problems).toHaveLength(44);
    expect(found.problems).toContain(
      `annotation ${key}: with the older objects of kind Ingress in namespace ns nginx would load more authorities and key pairs than authorities-per-namespace permits (4m); ${done}`,
    );
  });

  test("count once for each host", () => {
    const rules = numbers(20).map((at) => ({ host: `h${at}.example`, http: numbered(at, {}).spec!.rules![0]!.http! }));
    const found = outcome([numbered(0, annotations, { spec: { rules } }), numbered(99, annotations)]);
    expect(found.loads, "the small one fits").toBe(1);
  });
});

test("other Ingresses of the namespace stay open", () => {
  const { problems } = outcome([...numbers(60).map((at) => numbered(at, towardsBackends)), numbered(70, {})]);
  expect(problems).toHaveLength(44);
});

test("each path counts in static mode, where each has them", () => {
  const paths = numbers(9).map((at) => [`/${at}`] as const);
  const all = [numbered(0, towardsBackends, { paths }), numbered(1, towardsBackends, { paths })];
  expect(outcome(all).loads, "with the path / of each host").toBe(20);
  expect(outcome(all, { ...defaultOptions, lacks: new Set(["lua"] as const) }).loads).toBe(10);
});

test("an Ingress fits again when an older one is gone or names none, in any history", () => {
  const translator = new Translator(defaultOptions, fake);
  const loads = (snapshot: typeof world) =>
    loadedIn(translator.turn({ ...emptyInputs, snapshot }).configuration.servers).loads;
  const full = put(world, ...numbers(17).map((at) => numbered(at, ofClients)));
  expect(loads(full)).toBe(16);
  const fewer = withObjects(full, [{ kind: "Ingress", key: "ns/i3", object: undefined }]);
  expect(loads(fewer)).toBe(16);
  expect(loads(put(full, numbered(3, {})))).toBe(16);
  expect(loads(put(full, store(chain)))).toBe(17);
});

test("a last good form counts as well, though the present one names no authorities", () => {
  const translator = new Translator(defaultOptions, fake);
  const some = numbers(16).map((at) => numbered(at, towardsBackends));
  let inputs = { ...emptyInputs, snapshot: put(world, ...some) };
  let turned = translator.turn(inputs);
  const broken = numbers(16).map((at) => numbered(at, { ...towardsBackends, "proxy-ssl-secret": "a b; }" }));
  const more = numbers(16).map((at) => numbered(20 + at, towardsBackends));
  inputs = { ...inputs, lastGood: turned.lastGood, snapshot: put(inputs.snapshot, ...broken, ...more) };
  turned = translator.turn(inputs);
  expect(turned.lastGood.objects.size).toBe(16);
  expect(loadedIn(turned.configuration.servers).loads).toBe(16);
});
