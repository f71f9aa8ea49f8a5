/**
 * The text, the records and the shapes grow with the bytes of the objects, whatever numbers of
 * hosts, paths, aliases and characters of annotations the Ingresses of a tenant multiply.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { newRenderer } from "../../../test/bench/support/renderers.ts";
import { base, fake, ingress, put, service } from "../../../test/support/sketch.ts";
import type { KubernetesObject } from "../model/objects.ts";
import { defaultOptions } from "../table/options.ts";
import { translate } from "../table/translator.ts";
import { emptyInputs } from "../table/turn.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const limit = 8 * 2 ** 20;

const tenants = fc.array(
  fc.record({
    hosts: fc.constantFrom(1, 4, 100),
    paths: fc.constantFrom(1, 20),
    aliases: fc.constantFrom(0, 10, 150),
    origins: fc.constantFrom(0, 1, 1_000, 1_500),
    ownServer: fc.boolean(),
  }),
  { minLength: 1, maxLength: 16, size: "max" },
);
type Sizes = typeof tenants extends fc.Arbitrary<readonly (infer T)[]> ? T : never;

const list = (count: number, item: (at: number) => string) => numbers(count).map(item).join(",");

function sized({ hosts, paths, aliases, origins, ownServer }: Sizes, nth: number) {
  const backend = { service: { name: "web", port: { number: 80 } } };
  const all = numbers(paths).map((at) => ({ path: `/p${at}`, pathType: "Prefix" as const, backend }));
  return ingress({
    ...{ name: `i${nth}`, age: nth },
    annotations: {
      ...(aliases === 0 ? {} : { "server-alias": list(aliases, (at) => `a${at}.i${nth}.example`) }),
      ...(origins === 0 ? {} : { "enable-cors": "true", "cors-allow-origin": list(origins, (at) => `https://a${at}`) }),
      ...(ownServer ? { "ssl-ciphers": "HIGH" } : {}),
    },
    spec: { rules: numbers(hosts).map((at) => ({ host: `h${at}.i${nth}.example`, http: { paths: all } })) },
  });
}

const options = { dynamic: defaultOptions, static: { ...defaultOptions, lacks: new Set(["lua"] as const) } };

function costOf(mode: keyof typeof options, objects: readonly KubernetesObject[]) {
  const snapshot = put(base, service("web"), ...objects);
  const { configuration } = translate({ ...emptyInputs, snapshot }, options[mode], fake);
  const { text, records } = newRenderer(mode).render(configuration);
  const ofRecords = [...records].reduce((sum, [key, { value = "" }]) => sum + key.length + value.length, 0);
  return { bytes: text.conf.length + ofRecords, records: records.size, shapes: text.shapes.size };
}

test.each(["dynamic", "static"] as const)(
  "in %s mode they grow in proportion to the bytes of a tenant's objects",
  (mode) => {
    const none = costOf(mode, []);
    let most = 0;
    fc.assert(
      fc.property(tenants, (some) => {
        const objects = some.map(sized);
        const given = JSON.stringify(objects).length;
        const { bytes, records, shapes } = costOf(mode, objects);
        expect(bytes - none.bytes).toBeLessThan(limit + 12 * given);
        expect(records - none.records).toBeLessThan(10 + given / 50);
        expect(shapes - none.shapes).toBeLessThan(10 + given / 300);
        most = Math.max(most, bytes - none.bytes);
      }),
      { numRuns: 8, seed: 48 },
    );
    expect(most, "some samples come near the limit").toBeGreaterThan(limit / 2);
  },
);
