/**
 * Patterns of tenants together with texts of clients that keep a worker busy. What they cost is
 * counted in steps: a step looks at one character. A request whose owner a pattern would decide is
 * refused when the budget is spent; a canary then does not take it.
 */
import { Agent } from "node:https";
import { describe, expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import { mostSteps } from "../support/budget.ts";
import { ingress, secret, service } from "../support/objects.ts";
import { ports, worldOf } from "../support/world.ts";
import { clientAuthority, longSubject } from "../tenants/authority.ts";

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

  test.each(bounded)("a path ends at its steps: %s", async (what, pattern, path) => {
    await world.apply(ingress({ name: "slow", paths: [[pattern, "ImplementationSpecific"]], annotations: regex }));
    // Without a bound of the steps nginx tries all 131,072 ways, and answers 404.
    const ends = what === "alternatives" ? [500] : [404, 500];
    expect(ends).toContain((await world.ask("slow.example", path)).status);
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

  test("the canaries of a path have a budget for their patterns", async () => {
    const canary = (at: number) => {
      const rules = { canary: "true", "canary-by-header": "x-next", "canary-by-header-pattern": `(a|b{900}){2}${at}$` };
      return ingress({
        ...{ name: `canary${at}`, host: "web.example", day: at + 2, annotations: rules },
        paths: [["/", "Prefix", `canary${at}`]],
      });
    };
    const canaries = Array.from({ length: 10 }, (_, at) => canary(at));
    const services = canaries.flatMap((_, at) => service(`canary${at}`, world.auth.address, world.auth.port));
    await world.apply(ingress({ name: "web" }), ...services, ...canaries);
    const body = async (at: number) => (await world.ask("web.example", "/", { headers: { "x-next": `aa${at}` } })).body;
    const found = await Promise.all(canaries.map((_, at) => body(at)));
    const taken = found.filter((one) => one === "let in").length;
    expect(found).toEqual([...Array(taken).fill("let in"), ...Array(10 - taken).fill("secret")]);
    expect([taken > 3, taken < 9]).toEqual([true, true]);
    expect(world.problemsOf("canary0")).toEqual([]);
    expect(world.problemsOf("canary9").join()).toContain("compares no request with so many patterns of canaries");
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

  test("the subject of a certificate ends at its steps, and a long one does not match", async () => {
    const rules = { "auth-tls-secret": "ns/ca", "auth-tls-match-cn": "CN=zz|(a|a){15}[b-c]" };
    await world.apply(
      secret("ca", { "ca.crt": clientAuthority }),
      ingress({ name: "slow", annotations: rules }),
      // PCRE has a bound of its own, which this one does not reach.
      ingress({ name: "less", annotations: { ...rules, "auth-tls-match-cn": "CN=zz|(a|a){11}[b-c]" } }),
      ingress({ name: "fits", annotations: { ...rules, "auth-tls-match-cn": "CN=.*a$" } }),
    );
    const status = async (host: string, length: number) => {
      const agent = new Agent(await longSubject(length));
      return (await request({ to: `192.0.2.1:${ports.https}`, sni: host, host, agent })).status;
    };
    // Without a bound of the steps nginx answers 403, and without one of the length 500 and 200.
    expect([await status("slow.example", 900), await status("slow.example", 1_100)]).toEqual([500, 403]);
    expect(await status("less.example", 900)).toBe(500);
    expect([await status("fits.example", 1_000), await status("fits.example", 1_001)]).toEqual([200, 403]);
    expect((await world.ask("neighbour.example")).status).toBe(200);
  });

  test("the aliases of a namespace have a budget, and the youngest of them beyond it are left out", async () => {
    const heavy = (name: string, at: number, namespace: string) => {
      const alias = (word: string) => `~^${word}(?:x{900}|y{700}|${at}$)`;
      const annotations = { "server-alias": `${alias(name)},${alias(`also-${name}`)}` };
      return ingress({ name: `${name}${at}`, namespace, day: at + 1, annotations });
    };
    const mine = Array.from({ length: 24 }, (_, at) => heavy("mine", at, "ns"));
    await world.apply(...mine, heavy("other", 27, "elsewhere"));
    const status = async (host: string) => (await world.ask(host)).status;
    const found = await Promise.all(mine.map((_, at) => status(`mine${at}`)));
    const served = found.filter((one) => one === 200).length;
    expect(found).toEqual([...Array(served).fill(200), ...Array(24 - served).fill(404)]);
    expect([served > 12, served < 20]).toEqual([true, true]);
    expect(world.problemsOf("mine1")).toEqual([]);
    expect(world.problemsOf("mine23").join()).toContain("cost each request too much; the rest of it is used");
    // The host of the Ingress itself and the alias of another namespace are served.
    expect([await status("mine23.example"), await status("other27")]).toEqual([200, 503]);
  });

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
