/**
 * Patterns that run for too long. The controller never runs a user's pattern, but nginx does, in
 * each worker, so the time of a pattern is limited. A path whose pattern could not be finished is
 * refused, because the next one may have fewer guards.
 */
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cpuMicroseconds } from "../../bench/support/cpu.ts";
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

  test("other requests are answered while more requests than there are workers run into a pattern that takes too long", async () => {
    const begun = performance.now();
    const all = Array.from({ length: 20 }, () => world.ask("runaway.example", evil));
    expect(await world.ask("neighbour.example")).toMatchObject({ status: 200 });
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.every((status) => status === 404 || status === 500)).toBe(true);
    expect(performance.now() - begun, "milliseconds").toBeLessThan(30_000);
  });

  test("a request whose guard has a pattern that runs too long does not pass", async () => {
    for (const path of [evil, `${evil}x`, `/${"a".repeat(6_000)}/x`]) {
      expect([403, 500, 414]).toContain((await world.ask("guarded.example", path)).status);
    }
  });

  /** Each pattern takes at least 20,000 steps of PCRE for the path below, and none matches it. */
  const many = Array.from({ length: 1_500 }, (_, at) => [`/(a+)+(?:${at})?$`, "ImplementationSpecific"] as const);

  test("fifteen hundred patterns share the budget of one request", async () => {
    await world.apply(ingress({ name: "many", paths: many, annotations: { "use-regex": "true" } }));
    const surplus = {
      dynamic: "the host has more than 1000 regular expressions",
      static: "static mode compares no path with more than 32 patterns that begin alike",
    };
    expect(world.problemsOf("many").at(-1)).toContain(surplus[mode]);
    const before = workerSeconds(world.pid!);
    const requests = 5;
    for (let at = 0; at < requests; at++) {
      expect([404, 500]).toContain((await world.ask("many.example", `/${"a".repeat(16)}!`)).status);
    }
    // Without a limit for each pattern, it would be more than half a second for each request.
    expect((workerSeconds(world.pid!) - before) / requests, "seconds of processor time").toBeLessThan(0.2);
    expect(await world.ask("neighbour.example")).toMatchObject({ status: 200 });
  });

  test("ordinary patterns match long paths beside a thousand others", async () => {
    const honest = Array.from(
      { length: 1_000 },
      (_, at) => [`/h${at}/([^/]+)/(.*)/x$`, "ImplementationSpecific"] as const,
    );
    await world.apply(ingress({ name: "honest", paths: honest, annotations: { "use-regex": "true" } }));
    for (const at of [0, 500, 998]) {
      const path = `/h${at}/abc/${"de/".repeat(600)}x`;
      expect(await world.ask("honest.example", path)).toMatchObject({ status: 200 });
    }
    expect((await world.ask("honest.example", `/h1/abc/${"x/".repeat(900)}`)).status).toBe(404);
  });
});

/**
 * Returns the processor time of the present workers, which does not depend on other programs. A
 * worker of the previous text may be gone.
 */
function workerSeconds(master: number): number {
  const children = readFileSync(`/proc/${master}/task/${master}/children`, "utf8").trim().split(" ").map(Number);
  const present = children.filter((pid) => existsSync(`/proc/${pid}/schedstat`));
  return cpuMicroseconds(present) / 1_000_000;
}
