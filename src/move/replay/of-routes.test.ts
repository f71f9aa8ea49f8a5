import { expect, test } from "vitest";
import { goldenWorld, translationsOf } from "../../../test/support/golden-worlds.ts";
import { fake } from "../../../test/support/sketch.ts";
import { worldDecideOptions } from "../../../test/support/world-options.ts";
import { effectsOfRoutes } from "./of-routes.ts";

const port = 18_840;

test("an Ingress with the wildcard of a route gets what the route leaves, before an alias", () => {
  const [translation] = translationsOf(goldenWorld("wildcard-of-both-before-an-alias"), port, fake);
  const world = { served: translation!.configuration, options: worldDecideOptions(port), passed: new Map() };
  const backends = (host: string, target: string) => {
    const asked = { method: "GET", scheme: "http", host, target, headers: new Map() } as const;
    return effectsOfRoutes(world, asked)?.[0].get("backends");
  };
  expect(backends("a.p.test", "/only")).toMatch(/^ns\/named\b/);
  expect(backends("a.p.test", "/x")).toMatch(/^ns\/web\b/);
  expect(backends("q.test", "/x")).toMatch(/^ns\/other\b/);
});
