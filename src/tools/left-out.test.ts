/** Notes about objects that a tool's answer leaves out. */
import { expect, test } from "vitest";
import { gateway, gatewayClass, listenerSet, route } from "../../test/support/gateways.ts";
import { put } from "../../test/support/sketch.ts";
import type { KubernetesObject } from "../core/model/objects.ts";
import { emptySnapshot } from "../core/model/snapshot.ts";
import { parentlessNote } from "./left-out.ts";

const note = (...objects: KubernetesObject[]) => parentlessNote(put(emptySnapshot, ...objects), () => true);

test("routes are noted if the files have no Gateway at all, as those of a product's chart", () => {
  const at = (...parentRefs: object[]) => {
    const { spec, ...rest } = route({});
    return { ...rest, spec: { ...spec, parentRefs } } as KubernetesObject;
  };
  expect(note(at({ name: "gone" }))).toBe(
    "the files have no Gateway, so 1 route is left out: HTTPRoute ns/route; add the file that has it",
  );
  expect(note(at({ name: "gone" }, { name: "set", kind: "ListenerSet" }))).toBe(
    "the files have no Gateway and no ListenerSet, so 1 route is left out: HTTPRoute ns/route; add the file that has them",
  );
  expect(note(gatewayClass(), gateway({}), at({ name: "gone" })), "check reports it").toBeUndefined();
  expect(note(listenerSet({}), at({ name: "set", kind: "ListenerSet" }))).toBeUndefined();
  expect(note(at({ name: "web", kind: "Service", group: "" })), "a mesh").toBeUndefined();
  expect(note(at()), "check reports it").toBeUndefined();
});
