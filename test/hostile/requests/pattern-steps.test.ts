/**
 * Patterns of tenants together with texts of clients that keep a worker busy. What they cost is
 * counted in steps: a step looks at one character. A request whose owner a pattern would decide is
 * refused when the budget is spent; a canary then does not take it.
 */
import { describe, expect, test } from "vitest";
import { mostSteps } from "../support/budget.ts";
import { ingress } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const a = (length: number) => "a".repeat(length);
const regex = { "use-regex": "true" };
/** A slash and letters, together shorter than the line of a request may be. */
const longPath = `/${a(7_900)}`;

/** Patterns for a path, and a path for each. None of them matches. */
const paths: readonly (readonly [what: string, pattern: string, path: string])[] = [
  ["alternatives, behind a `|` that once ended the anchor", "/x|(a|a){17}[b-c]", longPath],
  ["alternatives", "/(a|a){17}[b-c]", longPath],
  ["nested repetitions", "/(a+)+[b-c]", longPath],
  ["few steps that each read the whole path", `/${"(?:a*+[bc]|)".repeat(40)}z`, longPath],
  ["the same, nested", "/(?:(?:a*+[bc]|){20}z|){20}z", longPath],
  ["comparisons of a group, which are no steps", `/(a{900})${"(?!\\1[bc])".repeat(60)}(a|a){17}[b-c]`, longPath],
  ["repetitions of a fixed number, which are no steps", `/(?:x|y)?${"(?!a{900}b)".repeat(60)}(a|a){17}[b-c]`, longPath],
  ["characters of several bytes", `/${"(?:\\X*+[bc]|)".repeat(40)}z`, longPath],
  ["recursion", "/(a(?1)?z|a)*[b-c]", longPath],
  ["a limit of the author", "/(*LIMIT_MATCH=9999999)(a+)+[b-c]", `/${a(40)}`],
  ["brackets that look closed", "/[\\E](])|(?:(a|a){17}[b-c][\\E])]", longPath],
];

describe("dynamic mode", () => {
  const world = worldOf({ mode: "dynamic" });

  test.each(paths)("a path costs no more than its budget: %s", async (_what, pattern, path) => {
    await world.apply(
      ingress({ name: "slow", paths: [[pattern, "ImplementationSpecific"]], annotations: regex }),
      ingress({
        name: "many",
        paths: Array.from({ length: 40 }, (_, at) => [`${pattern}${at}`, "ImplementationSpecific"] as const),
        annotations: regex,
      }),
    );
    for (const host of ["slow.example", "many.example"]) {
      expect(await world.stepsOf(host, path)).toBeLessThan(mostSteps);
      expect([404, 500]).toContain((await world.ask(host, path)).status);
    }
    expect((await world.ask("neighbour.example")).status).toBe(200);
  });

  test("an alias costs the request of another host no more than its budget, and closes only unknown hosts", async () => {
    const aliases = ["~(a|a){16}[b-c]", "~(a+)+[b-c]", "~(?:a*[b-c]|a*){20}z"];
    await world.apply(
      ...aliases.map((alias, at) => ingress({ name: `slow${at}`, annotations: { "server-alias": alias } })),
    );
    const host = `${a(63)}.${a(63)}.${a(63)}.${a(50)}.example`;
    expect(await world.stepsOf(host, "/")).toBeLessThan(mostSteps);
    expect([404, 500]).toContain((await world.ask(host)).status);
    expect((await world.ask(a(7_900))).status).toBe(400);
    expect((await world.ask("neighbour.example")).status).toBe(200);
  });

  test.each(["(a|a){17}[b-c]", "(a+)+[b-c]", "(?:a*+[bc]|){30}z", "(*NO_JIT)(a+)+[b-c]"])(
    "a canary's header costs no more than its budget, and the main backend takes the request: %s",
    async (pattern) => {
      const rules = { canary: "true", "canary-by-header": "x-next", "canary-by-header-pattern": pattern };
      await world.apply(ingress({ name: "web" }), ingress({ name: "canary", host: "web.example", annotations: rules }));
      for (const length of [100, 1_900, 7_900]) {
        const headers = { "x-next": a(length) };
        expect(await world.stepsOf("web.example", "/", { headers })).toBeLessThan(mostSteps);
        expect((await world.ask("web.example", "/", { headers })).status).toBe(200);
      }
    },
  );

  test("a text that is too long matches nothing, and is not cut", async () => {
    const deny = { ...regex, "denylist-source-range": "0.0.0.0/0" };
    await world.apply(
      ingress({ name: "guarded", host: "a.example", paths: [["/a+x$", "ImplementationSpecific"]], annotations: deny }),
      ingress({ name: "open", host: "a.example", annotations: regex }),
    );
    expect((await world.ask("a.example", `/${a(7_000)}x`)).status).toBe(403);
    expect((await world.ask("a.example", `/${a(8_001)}x`)).status).toBe(500);
    expect((await world.ask("a.example", `/${a(7_000)}`)).status).toBe(200);
  });
});

describe("static mode", () => {
  const world = worldOf({ mode: "static" });

  const boundless = /(?:group|number|bytes|author|closed|nested)$|, which are no steps$/;
  const bounded = paths.filter(([what]) => !boundless.test(what));

  test.each(bounded)("a path ends at its steps: %s", async (_what, pattern, path) => {
    await world.apply(ingress({ name: "slow", paths: [[pattern, "ImplementationSpecific"]], annotations: regex }));
    expect([404, 500]).toContain((await world.ask("slow.example", path)).status);
    expect(world.problemsOf("slow")).toEqual([]);
    expect((await world.ask("neighbour.example")).status).toBe(200);
  });

  test.each(paths.filter((one) => !bounded.includes(one)))(
    "a path whose steps have no bound is refused: %s",
    async (_what, pattern, path) => {
      await world.apply(ingress({ name: "slow", paths: [[pattern, "ImplementationSpecific"]], annotations: regex }));
      expect((await world.ask("slow.example", path)).status).toBe(404);
      expect(world.problemsOf("slow").join()).toMatch(
        /(?:which static mode needs|has nothing to repeat); the path is ignored/,
      );
    },
  );

  test("a canary's header ends at its steps, and a long one matches nothing", async () => {
    const rules = { canary: "true", "canary-by-header": "x-next", "canary-by-header-pattern": "(a|a){17}[b-c]" };
    await world.apply(ingress({ name: "web" }), ingress({ name: "canary", host: "web.example", annotations: rules }));
    expect((await world.ask("web.example", "/", { headers: { "x-next": a(7_900) } })).status).toBe(200);
    expect([200, 500]).toContain((await world.ask("web.example", "/", { headers: { "x-next": a(900) } })).status);
  });

  test("patterns that may be compared with one path have a number", async () => {
    const begin = (text: string) =>
      Array.from({ length: 40 }, (_, at) => [`${text}[a-z]+${at}`, "ImplementationSpecific"] as const);
    await world.apply(ingress({ name: "slow", paths: begin("/"), annotations: regex }));
    expect(world.problemsOf("slow")).toHaveLength(8);
    const apart = Array.from({ length: 200 }, (_, at) => [`/p${at}/[a-z]+`, "ImplementationSpecific"] as const);
    await world.apply(ingress({ name: "slow", paths: apart, annotations: regex }));
    expect(world.problemsOf("slow")).toEqual([]);
    expect((await world.ask("slow.example", "/p199/x")).status).toBe(200);
  });
});

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode });

  test("a pattern with alternatives takes paths that begin with one of them, and no others", async () => {
    const rewriting = { ...regex, "rewrite-target": "/$1" };
    await world.apply(
      ingress({
        name: "either",
        host: "a.example",
        paths: [["/x(.*)|/y", "ImplementationSpecific"]],
        annotations: rewriting,
      }),
      ingress({ name: "rest", host: "b.example", paths: [["/x|/y", "ImplementationSpecific"]], annotations: regex }),
    );
    const statuses = async (host: string, ...all: string[]) =>
      Promise.all(all.map(async (path) => (await world.ask(host, path)).status));
    expect(await statuses("b.example", "/x", "/y1", "/z/y", "/zx")).toEqual([200, 200, 404, 404]);
    world.backend.forget();
    expect(await statuses("a.example", "/x/1")).toEqual([200]);
    expect(world.backend.asked.map(({ url }) => url)).toEqual(["//1"]);
  });
});
