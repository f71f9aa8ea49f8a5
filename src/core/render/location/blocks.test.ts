import { expect, test } from "vitest";
import { valuesOf } from "../../../../test/support/reading.ts";
import type { Location, Route } from "../../model/configuration.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { blocksOf } from "./blocks.ts";

const location = (annotations: Record<string, string> = {}) =>
  ({ features: valuesOf(annotations) }) as Location<FeatureValues>;
const server = (routes: Route[], locations = [location(), location()]) => ({
  routes,
  locations,
  features: valuesOf({}),
});
const matches = (...routes: Route[]) => blocksOf(server(routes)).map((block) => [String(block.match), block.location]);

test("a Prefix path, which has two routes, is one location", () => {
  expect(
    matches({ match: "exact", path: "/a.b", location: 0 }, { match: "prefix", path: "/a.b/", location: 0 }),
  ).toEqual([['~ "^/a\\\\.b(?:/|\\\\z)"', 0]]);
});

test("where another Location has the exact path, the Prefix is a location for the paths below it", () => {
  expect(matches({ match: "exact", path: "/a", location: 1 }, { match: "prefix", path: "/a/", location: 0 })).toEqual([
    ['= "/a"', 1],
    ['~ "^/a/"', 0],
  ]);
});

test("beside an exact path with a slash the Prefix's own path is a location too, because nginx would redirect it", () => {
  const prefix: Route[] = [
    { match: "exact", path: "/a", location: 0 },
    { match: "prefix", path: "/a/", location: 0 },
  ];
  expect(matches({ match: "exact", path: "/a/", location: 1 }, ...prefix)).toEqual([
    ['= "/a/"', 1],
    ['= "/a"', 0],
    ['~ "^/a/"', 0],
  ]);
});

test("a redirect to a path with a slash has no location, and the path / is the last one", () => {
  expect(matches({ match: "slash", path: "/a", location: 0 }, { match: "prefix", path: "/", location: 0 })).toEqual([
    ['"/"', 0],
  ]);
});

test("a pattern is rewritten by its groups", () => {
  const route: Route = { match: "regex", path: "/a/(.*)", location: 0, rewrite: "/$1" };
  const rewriteOf = (annotations: Record<string, string>) =>
    blocksOf(server([route], [location(annotations)]))[0]?.rewrite;
  expect(String((rewriteOf({}) as { target: unknown }).target)).toBe('"/$1"');
});

test("beside a snippet with locations each route is a location of its own, so that nginx finds the longest", () => {
  const settings = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
  const features = valuesOf({ "configuration-snippet": "location /a.b/c { return 403; }" }, { settings });
  const locations = [{ features, closed: undefined }] as Location<FeatureValues>[];
  const routes: Route[] = [
    { match: "exact", path: "/a.b", location: 0 },
    { match: "prefix", path: "/a.b/", location: 0 },
  ];
  expect(blocksOf(server(routes, locations)).map(({ match }) => String(match))).toEqual(['= "/a.b"', '"/a.b/"']);
});
