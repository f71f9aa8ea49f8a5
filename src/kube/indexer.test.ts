import { expect, test } from "vitest";
import type { ConfigMap } from "../core/model/objects.ts";
import { Indexer } from "./indexer.ts";
import { takeIn } from "./intake.ts";
import { resource } from "./resource.ts";

const object = (name: string, uses: readonly string[]): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "shop", name },
  data: Object.fromEntries(uses.map((used) => [used, ""])),
});
const bySecret = () => new Indexer<ConfigMap>({ secret: ({ data }) => Object.keys(data ?? {}) });
const found = (indexer: Indexer<ConfigMap>, secret: string) =>
  indexer.byIndex("secret", secret).map(({ metadata }) => metadata.name);

test("objects are found under every value of an index", () => {
  const indexer = bySecret();
  indexer.put(object("a", ["tls", "auth"]));
  indexer.put(object("b", ["tls"]));
  expect(found(indexer, "tls")).toEqual(["a", "b"]);
  expect(found(indexer, "auth")).toEqual(["a"]);
  expect(found(indexer, "other")).toEqual([]);
});

test("an object that changes leaves the values that it no longer has", () => {
  const indexer = bySecret();
  indexer.put(object("a", ["tls"]));
  const before = indexer.put(object("a", ["auth"]));
  expect(before?.data).toEqual({ tls: "" });
  expect(found(indexer, "tls")).toEqual([]);
  expect(found(indexer, "auth")).toEqual(["a"]);
  expect(indexer.size).toBe(1);
});

test("an object that is removed is no longer found", () => {
  const indexer = bySecret();
  indexer.put(object("a", ["tls"]));
  indexer.delete("shop/a");
  expect(found(indexer, "tls")).toEqual([]);
  expect(indexer.list()).toEqual([]);
});

test("a lookup in an index that does not exist is a bug", () => {
  expect(() => bySecret().byIndex("host", "x")).toThrow("there is no index host");
});

const configMaps = resource<ConfigMap>({ apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true });

test("an object is stored without managedFields, as its transform returns it, and deeply frozen", () => {
  const sent = { ...object("a", ["tls"]), metadata: { namespace: "shop", name: "a", managedFields: [{}] } };
  const taken = takeIn(configMaps, sent, (it) => ({ ...it, data: { only: "this" } }));
  expect(taken.metadata).toEqual({ namespace: "shop", name: "a" });
  expect(taken.data).toEqual({ only: "this" });
  expect([taken, taken.metadata, taken.data].every(Object.isFrozen)).toBe(true);
});
