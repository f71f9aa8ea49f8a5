import { expect, test } from "vitest";
import { askingFor } from "../../../test/support/asking.ts";
import { base, fake, ingress, put } from "../../../test/support/sketch.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { translate } from "../../core/table/translator.ts";
import { emptyInputs } from "../../core/table/turn.ts";
import { pathOf } from "./paths.ts";

test("a slash is added for a path of one namespace beside patterns of another one", () => {
  const patterns = ingress({
    name: "patterns",
    age: 9,
    host: "a.example",
    paths: [["/p|/q", "web", "ImplementationSpecific"]],
    annotations: { "use-regex": "true" },
  });
  const plain = ingress({
    name: "plain",
    host: "a.example",
    paths: [
      ["/a/", "web"],
      ["/", "web"],
    ],
  });
  const elsewhere = { ...plain, metadata: { ...plain.metadata, namespace: "other" } };
  const snapshot = put(base, patterns, elsewhere);
  const { configuration } = translate({ ...emptyInputs, snapshot }, defaultOptions, fake);
  const server = configuration.servers.get("a.example")!;
  const found = (uri: string) => {
    const one = pathOf(server, askingFor(uri));
    return one.kind === "location" ? `${one.route.match} ${one.route.path}` : one.kind;
  };
  expect(found("/a")).toBe("slash /a");
  expect(found("/a/")).toMatch(/^regex /);
  expect(found("/p")).toMatch(/^regex /);
});
