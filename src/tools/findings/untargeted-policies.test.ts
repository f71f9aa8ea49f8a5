import { expect, test } from "vitest";
import { backendTLSPolicy, serviceIn } from "../../../test/support/gateways.ts";
import { put } from "../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import { sentence } from "../../core/model/problem.ts";
import { emptySnapshot } from "../../core/model/snapshot.ts";
import { untargetedPolicies } from "./untargeted-policies.ts";

const sentences = (...objects: KubernetesObject[]) => untargetedPolicies(put(emptySnapshot, ...objects)).map(sentence);
const targeting = (...targetRefs: object[]) => {
  const { spec, ...rest } = backendTLSPolicy({});
  return { ...rest, spec: { ...spec, targetRefs } } as KubernetesObject;
};

test("a policy names targets that do not exist", () => {
  const web = serviceIn("ns", "web");
  const missing = targeting({ group: "", kind: "Service", name: "gone" });
  expect(sentences(web, missing)).toEqual([
    "spec.targetRefs[0]: Service ns/gone not found; the policy is not followed there",
  ]);
  expect(sentences(missing), "the Services may be elsewhere").toEqual([]);
  expect(sentences(web, targeting({ group: "", kind: "Service", name: "web" }))).toEqual([]);
  expect(sentences(web, targeting({ group: "", kind: "Services", name: "web" }))).toEqual([
    "spec.targetRefs[0]: names a Services, not a Service; the policy is not followed there",
  ]);
  const ofOthers = { group: "multicluster.x-k8s.io", kind: "ServiceImport", name: "web" };
  expect(sentences(web, targeting(ofOthers)), "other controllers may follow it").toEqual([]);
});
