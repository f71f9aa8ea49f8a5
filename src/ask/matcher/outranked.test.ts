/** Why a route that also takes a path comes after the one that gets the request. */
import { expect, test } from "vitest";
import { askingFor } from "../../../test/support/asking.ts";
import { base, fake, ingress, put } from "../../../test/support/sketch.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { translate } from "../../core/table/translator.ts";
import { emptyInputs } from "../../core/table/turn.ts";
import { outranked } from "./outranked.ts";
import { pathOf } from "./paths.ts";

test("a prefix is longer, also for the path without the slash, and an exact path comes first", () => {
  const prefixes = ingress({
    name: "shop",
    host: "a.example",
    paths: [
      ["/shop", "web"],
      ["/shop/cart", "web", "Exact"],
      ["/api/", "web"],
      ["/", "web"],
    ],
  });
  const { configuration } = translate({ ...emptyInputs, snapshot: put(base, prefixes) }, defaultOptions, fake);
  const server = configuration.servers.get("a.example")!;
  const reasons = (uri: string) => {
    const one = pathOf(server, askingFor(uri));
    return one.kind === "location" ? outranked(server, one.route, uri).map(({ why }) => why) : [one.kind];
  };
  expect([reasons("/shop"), reasons("/shop/x")]).toEqual([["/shop is longer"], ["/shop is longer"]]);
  // nginx redirects /api to /api/.
  expect([reasons("/api"), reasons("/api/x")]).toEqual([["/api is longer"], ["/api is longer"]]);
  expect(reasons("/shop/cart")).toEqual(["an exact path comes first", "an exact path comes first"]);
});
