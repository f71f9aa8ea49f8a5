import fc from "fast-check";
import { expect, test } from "vitest";
import type { StreamBackend } from "../../model/streams.ts";
import { weightedServers } from "./weights.ts";

const backend = (weight: number, ...addresses: string[]): StreamBackend => {
  return { weight, service: "", endpoints: addresses.map((address) => ({ address, port: 80 })) };
};

test.each([
  [[backend(1, "a", "b")], [1, 1]],
  [
    [backend(70, "a"), backend(30, "b")],
    [7, 3],
  ],
  [
    [backend(1, "a", "b", "c"), backend(1, "d")],
    [1, 1, 1, 3],
  ],
  [
    [backend(1_000_000, "a"), backend(1, "b")],
    [1_000_000, 1],
  ],
] as const)("the endpoints of %j have the weights %j", (backends, weights) => {
  expect(weightedServers(backends).map(({ weight }) => weight)).toEqual(weights);
});

test("each backend has its share, and the weights are integers whose sum nginx can hold", () => {
  const some = fc.array(fc.tuple(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 300 })), {
    minLength: 1,
    maxLength: 16,
  });
  fc.assert(
    fc.property(some, (all) => {
      const backends = all.map(([weight, count], at) =>
        backend(weight, ...Array.from({ length: count }, (_, one) => `${at}-${one}`)),
      );
      const servers = weightedServers(backends);
      const sum = servers.reduce((total, { weight }) => total + weight, 0);
      const whole = all.reduce((total, [weight]) => total + weight, 0);
      for (const { weight } of servers)
        expect(Number.isInteger(weight) && weight >= 1 && weight <= 1_000_000).toBe(true);
      for (const [at, [weight]] of all.entries()) {
        const own = servers.filter(({ endpoint }) => endpoint.address.startsWith(`${at}-`));
        const share = own.reduce((total, one) => total + one.weight, 0) / sum;
        expect(Math.abs(share - weight / whole)).toBeLessThan(0.01);
      }
    }),
  );
});
