import { expect, test } from "vitest";
import type { ConfigMap } from "../core/model/objects.ts";
import { takeIn } from "./intake.ts";
import { resource } from "./resource.ts";

const configMaps = resource<ConfigMap>({ apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true });

test("an object is stored without managedFields, as its transform returns it, and deeply frozen", () => {
  const metadata = { namespace: "shop", name: "a", managedFields: [{}] };
  const sent: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { tls: "" } };
  const taken = takeIn(configMaps, sent, (it) => ({ ...it, data: { only: "this" } }));
  expect(taken.metadata).toEqual({ namespace: "shop", name: "a" });
  expect(taken.data).toEqual({ only: "this" });
  expect([taken, taken.metadata, taken.data].every(Object.isFrozen)).toBe(true);
});
