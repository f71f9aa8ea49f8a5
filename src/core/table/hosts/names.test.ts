import { expect, test } from "vitest";
import { base, fake, ingress, put, service } from "../../../../test/support/sketch.ts";
import { sentence } from "../../model/problem.ts";
import { defaultOptions } from "../options.ts";
import { translate } from "../translator.ts";
import { emptyInputs } from "../turn.ts";
import { HostNames, twinOf } from "./names.ts";

const wants = (...aliases: string[]) => ({ aliases, twin: undefined });

test("a name belongs to the host of that name, then to the host whose twin it is, then to the first host that lists it", () => {
  const names = new HostNames();
  names.set("z.example", wants("a.example"));
  expect(names.ownerOf("a.example")).toBe("z.example");
  names.set("b.example", wants("a.example"));
  expect(names.ownerOf("a.example")).toBe("b.example");
  names.set("www.a.example", { aliases: [], twin: "a.example" });
  expect(names.ownerOf("a.example")).toBe("www.a.example");
  names.set("a.example", wants());
  expect(names.ownerOf("a.example")).toBe("a.example");
  expect(names.ownerOf("nobody.example")).toBeUndefined();
});

test("a change names all hosts that may gain or lose a name", () => {
  const names = new HostNames();
  const concernedBy = (host: string, wanted: ReturnType<typeof wants> | undefined) => {
    names.set(host, wanted);
    return names.concerned();
  };
  expect(concernedBy("a.example", wants("x.example"))).toEqual(new Set(["a.example"]));
  expect(concernedBy("b.example", wants("x.example"))).toEqual(new Set(["a.example", "b.example"]));
  expect(concernedBy("x.example", wants())).toEqual(new Set(["a.example", "b.example", "x.example"]));
  expect(concernedBy("x.example", wants())).toEqual(new Set());
  expect(concernedBy("x.example", undefined)).toEqual(new Set(["a.example", "b.example"]));
  expect(concernedBy("a.example", undefined)).toEqual(new Set(["b.example"]));
  expect(names.ownerOf("x.example")).toBe("b.example");
});

test.each([
  ["a.example", "www.a.example"],
  ["www.a.example", "a.example"],
  ["*.a.example", undefined],
  ["_", undefined],
])("the other name of %s for redirects is %s", (host, twin) => {
  expect(twinOf(host)).toBe(twin);
});

test("a www twin that is a host of its own does not redirect, and its Ingress gets a Problem", () => {
  const annotations = { "from-to-www-redirect": "true" };
  const on = (name: string, host: string) => ingress({ name, host, paths: [["/", "web"]], annotations });
  const both = put(base, service("web"), on("a", "a.example"), on("b", "b.example"));
  const snapshot = put(both, ingress({ name: "c", host: "www.a.example", paths: [["/", "web"]] }));
  const { problems } = translate({ ...emptyInputs, snapshot }, defaultOptions, fake);
  expect([...problems.values()].flat().map(sentence)).toEqual([
    "annotation from-to-www-redirect: www.a.example is a host of its own, so it does not redirect to a.example",
  ]);
});

test("the regular expressions of a namespace have a budget, which its oldest hosts get", () => {
  const names = new HostNames();
  const since = (namespace: string, at: number) => ({ namespace, name: "a", created: `2026-01-${at + 10}` });
  const pattern = (at: number) => `~^n(?:a{900}|b{900}|${at})$`;
  const kept = (hosts: readonly string[]) =>
    hosts.filter((host) => names.wantedBy(host).aliases.every((name) => names.ownerOf(name) === host));
  const mine = Array.from({ length: 40 }, (_, at) => `h${at}.example`);
  for (const [at, host] of mine.entries()) names.set(host, { ...wants(pattern(at)), since: since("mine", 40 - at) });
  names.set("other.example", { ...wants(pattern(99), "~^m[0-9]+$"), since: since("other", 80) });
  const first = kept(mine);
  expect(first).toEqual(mine.slice(-first.length));
  expect(first.length).toBeGreaterThan(20);
  expect(first.length).toBeLessThan(35);
  expect(names.ownerOf(pattern(0))).toBeUndefined();
  expect(kept(["other.example"])).toEqual(["other.example"]);
  // When an old host goes, the next oldest gets its share.
  names.set(mine.at(-1)!, undefined);
  expect(names.concerned()).toContain(mine.at(-first.length - 1));
  expect(kept(mine.slice(0, -1))).toEqual(mine.slice(-first.length - 1, -1));
});
