/**
 * Patterns that run away. The controller never runs one of a user's; nginx does, in each worker, so what one takes is bounded,
 * and a path whose pattern could not be finished is nobody's: the next one may guard less.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ingress } from "../support/objects.ts";
import { startWorld, type World } from "../support/world.ts";

const evil = `/${"a".repeat(2_000)}!`;

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ mode });
    const regex = { "use-regex": "true" };
    await world.apply(
      ingress({ name: "runaway", paths: [["/(a+)+$", "ImplementationSpecific"]], annotations: regex }),
      ingress({ name: "open", host: "guarded.example", annotations: regex }),
      ingress({
        ...{ name: "guarded", paths: [["/(([a-z!])+)+(/secret|!)+$", "ImplementationSpecific"]] as const },
        annotations: { ...regex, "denylist-source-range": "0.0.0.0/0" },
      }),
    );
  });
  afterAll(() => world.stop());

  test("others are answered while as many requests as there are workers and more meet a pattern that runs away", async () => {
    const begun = performance.now();
    const all = Array.from({ length: 20 }, () => world.ask("runaway.example", evil));
    expect(await world.ask("neighbour.example")).toMatchObject({ status: 200 });
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.every((status) => status === 404 || status === 500)).toBe(true);
    expect(performance.now() - begun, "milliseconds").toBeLessThan(30_000);
  });

  test("a guard whose pattern cannot be finished is not passed by", async () => {
    for (const path of [evil, `${evil}x`, `/${"a".repeat(6_000)}/x`]) {
      expect([403, 500, 414]).toContain((await world.ask("guarded.example", path)).status);
    }
  });
});
