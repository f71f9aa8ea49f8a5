import { describe, expect, test } from "vitest";
import type { Route } from "../../../model/configuration.ts";
import type { Claim, PathMatch } from "../../claim.ts";
import type { OwnedPath } from "../../world.ts";
import { byMatch, type Entry } from "./entries.ts";
import { routesOf } from "./server.ts";
import { hostTable } from "./table.ts";

interface Words {
  readonly namespace?: string;
  /** A larger number is younger. */
  readonly age?: number;
}

const claimOf = (kind: string, { namespace = "one", age = 0 }: Words): Claim => {
  const [name, created] = [`n${age}`, new Date(age * 1000).toISOString()];
  const owner = { kind, namespace, name };
  return { owner, since: { created, namespace, name }, features: { rewrite: { target: "" } } } as unknown as Claim;
};

function entry(type: "exact" | "prefix" | "pattern", path: string, words: Words = {}, method = ""): Entry {
  const rank = ({ exact: 0, prefix: 1, pattern: 2 } as const)[type];
  const conditions = method === "" ? {} : { conditions: { method, headers: [], query: [] } };
  const match = { text: path, type: "prefix", loose: false, ...conditions } as PathMatch;
  const claimed = { field: `${type} ${path}`, match, backends: [] };
  const bare = rank === 1 ? path.replace(/\/$/, "") : path;
  return { claim: claimOf("HTTPRoute", words), claimed, path: bare, rank };
}

function ofIngress(type: "exact" | "prefix", path: string, words: Words = {}, regex = false): OwnedPath {
  const claim = claimOf("Ingress", words);
  const { namespace } = claim.owner;
  return { claim, field: path, path: { path, type, regex, rewriteTarget: "", denied: false, namespace } };
}

/** Returns the routes by the fields of their entries, and `ingress PATH` for the namesake's. */
function orderOf(entries: readonly Entry[], drafts: readonly OwnedPath[] = []) {
  const sorted = [...entries].sort(byMatch);
  const table = hostTable(
    "a.test",
    sorted.map((one, at) => [one, routesOf(one, at)] as const),
    { host: "a.test", paths: drafts },
  );
  const word = ({ location, path }: Route) => (location < 0 ? `ingress ${path}` : sorted[location]!.claimed.field);
  return { words: [...new Set(table.routes.map(word))], table, sorted };
}

describe("a pattern of a route", () => {
  test("comes before prefixes of its namespace and behind exact paths, the longest first", () => {
    const entries = [
      entry("prefix", "/"),
      entry("prefix", "/longer/than/all"),
      entry("exact", "/x"),
      entry("pattern", "/.*"),
      entry("pattern", "/lon.*"),
    ];
    expect(orderOf(entries).words).toEqual(["exact /x", "pattern /lon.*", "pattern /.*", ...prefixes]);
  });
  const prefixes = ["prefix /longer/than/all", "prefix /"];

  test("comes before a prefix of another namespace only if its literal beginning is longer", () => {
    const other = { namespace: "two", age: 9 };
    const { words } = orderOf([
      entry("prefix", "/shop", other),
      entry("prefix", "/", other),
      entry("prefix", "/mine"),
      entry("pattern", "/shop/v.*"),
      entry("pattern", "/shop.*"),
      entry("pattern", "/.*e"),
    ]);
    const at = (word: string) => words.indexOf(word);
    expect(at("pattern /shop/v.*")).toBeLessThan(at("prefix /shop"));
    expect(at("pattern /shop.*")).toBeGreaterThan(at("prefix /shop"));
    expect(at("pattern /.*e")).toBeGreaterThan(at("prefix /"));
    expect(at("prefix /mine"), "a pattern behind another namespace does not take it along").toBeLessThan(
      at("prefix /"),
    );
  });
});

test("a match that takes no request is reported with the earlier one", () => {
  const { table } = orderOf([
    entry("prefix", "/a"),
    entry("pattern", "/.*"),
    entry("prefix", "/b", { namespace: "two" }),
    entry("pattern", "/b/.*"),
    entry("pattern", "/b/longer.*", { namespace: "two" }),
  ]);
  const said = table.problems.map(({ object, ...rest }) => [object.namespace, "field" in rest ? rest.field : ""]);
  expect(said.sort()).toEqual([
    ["one", "pattern /b/.*"],
    ["one", "prefix /a"],
  ]);
});

/** A small generator, the same at every run. */
function* drawn(seed: number): Generator<(below: number) => number> {
  let state = seed;
  const below = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit);
  };
  for (let at = 0; at < 400; at++) yield below;
}

describe("for random routes and Ingresses", () => {
  const paths = ["/", "/a", "/a/b", "/b", "/c"];
  const patterns = ["/.*", "/a/.*", "/a.*", "/(a|b)", "/a/b/c.*"];
  const types = ["exact", "prefix", "prefix", "pattern"] as const;
  const words = (below: (limit: number) => number): Words => ({ namespace: "xyz"[below(3)]!, age: below(9) });
  const entriesOf = (below: (limit: number) => number) =>
    Array.from({ length: 8 }, () => {
      const type = types[below(4)]!;
      const path = (type === "pattern" ? patterns : paths)[below(5)]!;
      return entry(type, path, words(below), ["", "GET"][below(2)]);
    });

  test("routes alone with one path are in the order of the specification", () => {
    for (const below of drawn(1)) {
      const entries = entriesOf(below);
      const { table, sorted } = orderOf(entries);
      for (const [path, same] of Map.groupBy(table.routes, ({ path, match }) => `${match} ${path}`)) {
        const own = same.map(({ location }) => sorted[location]!);
        expect([path, own]).toEqual([path, own.toSorted(byMatch)]);
      }
    }
  });

  test("nothing of a namespace comes before the same path of one whose object there is older", () => {
    for (const below of drawn(2)) {
      const entries = entriesOf(below).filter(({ rank }) => rank < 2);
      const isRegex = below(2) === 0;
      const drafts = paths.slice(0, 3).map((path) => ofIngress("prefix", path, words(below), isRegex));
      const { table, sorted } = orderOf(entries, drafts);
      const parties = table.routes.flatMap(({ location, path }) => {
        if (location >= 0) return [{ path, claim: sorted[location]!.claim, rank: sorted[location]!.rank }];
        const draft = drafts.find((one) => `${one.path.path}/`.startsWith(path) && path.startsWith(one.path.path));
        return draft === undefined ? [] : [{ path, claim: draft.claim!, rank: 1 }];
      });
      for (const same of Map.groupBy(
        parties.filter(({ rank }) => rank === 1),
        ({ path }) => path,
      ).values()) {
        if (!same.some(({ claim }) => claim.owner.kind === "Ingress")) continue;
        const ages = Map.groupBy(same, ({ claim }) => claim.owner.namespace);
        const oldest = (namespace: string) =>
          ages
            .get(namespace)!
            .map(({ claim }) => claim.since.created)
            .toSorted()[0]!;
        const order = same.map(({ claim }) => oldest(claim.owner.namespace));
        expect(order).toEqual(order.toSorted());
      }
    }
  });
});
