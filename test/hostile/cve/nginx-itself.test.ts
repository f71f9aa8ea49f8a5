/**
 * Holes of nginx itself that need a certain form of configuration, which Sluice never renders. The
 * operator alone is responsible for snippets.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Directive } from "../../support/nginx-tree.ts";
import { ingress } from "../support/objects.ts";
import { startWorld, type World } from "../support/world.ts";

/** A group by its number, as `$1` or `${1}`. */
const group = /\$(?:\d|\{\d)/;
/** A counted group: neither named nor `(?:`, and not an escaped bracket. */
const counted = /(?<!\\)(?:\\\\)*\((?!\?)/;

const everythingBeside = {
  "use-regex": "true",
  "force-ssl-redirect": "true",
  "auth-url": "http://192.0.2.1:9/",
  "auth-signin": "https://b.example/?to=$escaped_request_uri",
  "x-forwarded-prefix": "/$1",
  "enable-cors": "true",
  "limit-rps": "5",
  "custom-http-errors": "404",
  affinity: "cookie",
};
const rewritten = (name: string, path: string, target: string) =>
  ingress({
    name,
    paths: [[path, "ImplementationSpecific"]],
    annotations: { ...everythingBeside, "rewrite-target": target },
  });

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ mode });
    await world.apply(
      rewritten("asking", "/x/(.*)", "/y?of=$1"),
      rewritten("nested", "/((a)(.*))", "/$1/$2/$3"),
      rewritten("elsewhere", "/x/(.*)", "https://b.example/$1"),
    );
  });
  afterAll(() => world.stop());

  const blocks = () => blocksIn({ name: "", args: [], block: world.tree() });
  const rewrites = () => blocks().flatMap(({ block = [] }) => block.filter(({ name }) => name === "rewrite"));

  test("CVE-2026-42945: no target of a rewrite has a `?`, after which nginx would misread a group", () => {
    expect(world.problemsOf("asking").join("\n")).toContain('annotation rewrite-target: "/y?of=$1" holds "?"');
    expect(rewrites().filter(({ args }) => args[1]!.includes("?"))).toEqual([]);
  });

  test("CVE-2026-42533: patterns of a map are not read by group numbers", () => {
    const patterns = blocks()
      .filter(({ name }) => name === "map")
      .flatMap(({ block = [] }) => block.map(({ name }) => name).filter((key) => key.startsWith("~")));
    expect(patterns.length).toBeGreaterThan(1);
    expect(patterns.filter((pattern) => counted.test(pattern))).toEqual([]);
  });

  test("CVE-2026-9256: in dynamic mode no rewrite of nginx has groups", () => {
    const grouped = rewrites().filter(({ args }) => group.test(args[1]!));
    if (mode === "dynamic") expect(grouped).toEqual([]);
    else expect(grouped.length).toBeGreaterThan(0);
  });
});

function blocksIn(directive: Directive): readonly Directive[] {
  return directive.block === undefined ? [] : [directive, ...directive.block.flatMap(blocksIn)];
}
