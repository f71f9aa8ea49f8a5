import { expect, test } from "vitest";
import { changedParts } from "./changed-parts.ts";

const prefix = "nginx.ingress.kubernetes.io";

test("the differing fields are named without their values", () => {
  const was = {
    metadata: { name: "web", resourceVersion: "1", annotations: { [`${prefix}/auth-type`]: "basic", a: "1" } },
    spec: { rules: [{ host: "a" }], tls: [] },
    status: { x: 1 },
  };
  const is = {
    metadata: { name: "web", resourceVersion: "2", annotations: { [`${prefix}/proxy-body-size`]: "hunter2", a: "1" } },
    spec: { rules: [{ host: "b" }], tls: [] },
    status: { x: 2 },
  };
  expect(changedParts(was, is)).toBe(" (annotation auth-type, annotation proxy-body-size, spec.rules)");
  expect(changedParts(was, { ...was, status: {} })).toBe("");
});

test("keys of data and the lengths of lists are named, at most four of them", () => {
  const data = (...keys: string[]) => ({ data: Object.fromEntries(keys.map((key) => [key, "x"])) });
  expect(changedParts(data("tls.crt"), data())).toBe(" (key tls.crt)");
  expect(changedParts(data(), data("a", "b", "c", "d", "e", "f"))).toBe(" (key a, key b, key c, key d and 2 more)");
  const slice = (...addresses: string[]) => ({ endpoints: addresses.map((one) => ({ addresses: [one] })), ports: [] });
  expect(changedParts(slice("a"), slice("a", "b"))).toBe(" (endpoints 1 → 2)");
  expect(changedParts(slice("a"), slice("b"))).toBe(" (endpoints)");
  expect(changedParts({ type: "a" }, {})).toBe(" (type)");
});
