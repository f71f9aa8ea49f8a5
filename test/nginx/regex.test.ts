/**
 * The budget of patterns in nginx/lua/sluice/regex.lua: what PCRE finds with it is what it finds
 * without it, what it costs is bounded for random patterns and texts, and both languages weigh a
 * pattern alike.
 */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { regexMistake } from "../../src/core/kinds/patterns.ts";
import { unboundable, weightOf } from "../../src/core/tokens/pattern-bounds.ts";
import { Draws } from "../property/draws.ts";
import { testNginx } from "./support/nginx.ts";
import { request } from "./support/request.ts";

const lua = fileURLToPath(new URL("../../nginx/lua", import.meta.url));
const to = "127.99.0.4:8080";

interface Tried {
  /** What the budget's match and the plain one found; undecided if the budget did not suffice. */
  readonly found: "yes" | "no" | "undecided";
  readonly plain: "yes" | "no" | "undecided";
  /** What is left of the budget after all matches, in steps. */
  readonly rest: number;
  /** The compiled forms of the pattern. */
  readonly forms: number;
  readonly weight: number;
}

let stop: (() => Promise<unknown>) | undefined;
beforeAll(async () => {
  const nginx = await testNginx();
  stop = () => nginx.stop();
  nginx.expectError(/takes too many steps|takes nothing|is too long|pcre2?_exec/);
  await nginx.serve({
    workers: 1,
    http: `
    lua_package_path "${lua}/?.lua;;";
    lua_regex_match_limit 500000;
    server {
      listen ${to};
      client_body_buffer_size 1m;
      location / {
        content_by_lua_block {
          local json, regex = require("cjson.safe"), require("sluice.regex")
          ngx.req.read_body()
          local way, all = ngx.var.arg_way, json.decode(ngx.req.get_body_data())
          local plain = { beginning = "ijoa", whole = "joa", anywhere = "jo", anywhere_in_any_case = "ijo" }
          local function word(found)
            return found and "yes" or found == nil and "undecided" or "no"
          end
          regex.begin()
          local tried = {}
          for _, one in ipairs(all) do
            local pattern, text = one[1], one[2]
            local found = regex.takes(regex[way], text, pattern)
            local from, _, why
            if ngx.var.arg_compare then
              from, _, why = ngx.re.find(text, pattern, plain[way])
            end
            local forms = 0
            for _ in pairs(regex[way].known[pattern].forms) do
              forms = forms + 1
            end
            tried[#tried + 1] = {
              found = word(found), plain = why and not why:find("compile") and "undecided" or from and "yes" or "no",
              rest = regex.rest(), forms = forms, weight = regex.weight_of(pattern),
            }
          end
          ngx.print(json.encode(tried))
        }
      }
    }`,
  });
});
afterAll(() => stop?.());

async function tried(
  way: string,
  all: readonly (readonly [pattern: string, text: string])[],
  compare = false,
): Promise<readonly Tried[]> {
  const { body } = await request({
    to,
    method: "POST",
    path: `/?way=${way}${compare ? "&compare=1" : ""}`,
    body: JSON.stringify(all),
  });
  return JSON.parse(body) as readonly Tried[];
}

const atoms = ["a", "b", "[ab]", "[^b]", ".", "\\w", "\\.", "(a|b)", "(?:a|ab)", "(a+)", "/", "^a", "b$", "(?=a)", "x"];
const repeats = ["", "", "", "", "*", "+", "?", "*?", "{2}", "{1,3}", "*+"];

function pattern(draw: Draws): string {
  const parts = Array.from({ length: draw.below(6) + 1 }, () => draw.of(atoms) + draw.of(repeats));
  const text = parts.join("").replace(/(\^a|b\$|\(\?=a\))[*+?{][^()]*?(?=[a-z([./\\]|$)/g, "$1");
  return draw.of([text, `(?:${text})${draw.of(["", "+", "{2}"])}`, `${text}|${draw.of(atoms)}`]);
}

const textOf = (draw: Draws) =>
  Array.from({ length: draw.below(24) }, () => draw.of(["a", "b", "/", ".", "A", "x"])).join("");

test.each(["beginning", "whole", "anywhere", "anywhere_in_any_case"])(
  "random patterns find %s what they find without a budget",
  async (way) => {
    const draw = new Draws(7);
    for (let round = 0; round < 20; round++) {
      const all = Array.from({ length: 50 }, () => [pattern(draw), textOf(draw)] as const);
      const results = await tried(way, all, true);
      results.forEach(({ found, plain, weight }, at) => {
        expect([all[at], found]).toEqual([all[at], plain]);
        expect([all[at], weight]).toEqual([all[at], weightOf(all[at]![0])]);
      });
    }
  },
);

/** The budget, and what compiling the last form may cost beyond it. */
const [most, over] = [2 ** 25, 2 ** 24];

test("both languages weigh a pattern alike if static mode takes it", async () => {
  const draw = new Draws(13);
  const signs = [
    ..."ab|()[]{}^$.?*+\\-,:<=!1290&# ",
    "[:alpha:]",
    "[^]",
    "(?:",
    "(?<n>",
    "(?i)",
    "\\d",
    "\\)",
    "{2}",
    "{3,}",
    "{,4}",
    "{90,120}",
  ];
  const drawn = Array.from({ length: 5_000 }, () =>
    Array.from({ length: draw.below(20) + 1 }, () => draw.of(signs)).join(""),
  ).filter((one) => unboundable(one) === undefined && regexMistake(one) === undefined);
  expect(drawn.length).toBeGreaterThan(300);
  const results = await tried(
    "beginning",
    drawn.map((one) => [one, ""] as const),
  );
  expect(results.map(({ weight }, at) => [drawn[at], weight])).toEqual(drawn.map((one) => [one, weightOf(one)]));
});

test.each(["beginning", "whole", "anywhere", "anywhere_in_any_case"])(
  "whatever many slow patterns and long texts meet %s, they cost one budget",
  async (way) => {
    const draw = new Draws(11);
    const slow = [
      "(a|a){17}[b-c]",
      "(a+)+[b-c]",
      "(?:a*+[bc]|){30}z",
      "(a{900})(?!\\1b)(?!\\1b)(a|a){9}b",
      "(?:\\X*+[bc]|){30}z",
    ];
    const all = Array.from(
      { length: 200 },
      () => [`${draw.of(slow)}${draw.below(9)}`, "a".repeat(draw.of([10, 100, 1_000, 3_900, 7_900]))] as const,
    );
    const results = await tried(way, all);
    const rests = results.map(({ rest }) => rest);
    expect(Math.max(...rests)).toBeLessThan(most);
    expect(Math.min(...rests)).toBeGreaterThan(-over);
    expect(Math.max(...results.map(({ forms }) => forms))).toBeLessThanOrEqual(8);
    expect(results.some(({ found }) => found === "undecided")).toBe(true);
  },
);

test("an ordinary pattern on an ordinary text costs little", async () => {
  const warm = await tried("beginning", [["^/app(/|$)(.*)", "/app/x"]]);
  expect(warm[0]).toMatchObject({ found: "yes", forms: 1 });
  const path = `/shop/${"category/".repeat(8)}item-4711.html`;
  const patterns = Array.from({ length: 1_000 }, (_, at) => [`^/p${at}/([^/]+)/(.*)$`, path] as const);
  const [last] = (await tried("beginning", patterns)).slice(-1);
  expect(most - last!.rest).toBe(1_000 * 100);
});

test("the author of a pattern sets no verbs", async () => {
  const limits = ["(*LIMIT_MATCH=9999999)(a+)+$", "(*UTF)a", "(*NO_START_OPT)a", "(*NO_AUTO_POSSESS)a"];
  const results = await tried(
    "anywhere",
    limits.map((one) => [one, `${"a".repeat(40)}!`] as const),
  );
  expect(results.map(({ found }) => found)).toEqual(limits.map(() => "no"));
});

test("a text that is too long is undecided, and none is cut", async () => {
  const results = await tried("beginning", [
    ["a+b", `${"a".repeat(7_999)}b`],
    ["a+b", "a".repeat(7_999)],
    ["a+", `${"a".repeat(8_001)}`],
  ]);
  expect(results.map(({ found }) => found)).toEqual(["yes", "no", "undecided"]);
});
