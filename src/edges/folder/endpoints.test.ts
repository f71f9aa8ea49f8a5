import { expect, test } from "vitest";
import { writtenName } from "../../core/model/objects.ts";
import { writtenObject } from "./object.ts";

const written = (subsets: readonly unknown[]) =>
  writtenObject({ apiVersion: "v1", kind: "Endpoints", metadata: { name: "web", labels: { a: "b" } }, subsets });
const ports = [{ name: "http", port: 8123 }];

test("Endpoints become the EndpointSlice of the Service with their name", () => {
  const subsets = [
    { addresses: [{ ip: "10.0.0.1", hostname: "a" }], notReadyAddresses: [{ ip: "10.0.0.2" }], ports },
    { addresses: [{ ip: "10.0.0.3" }], ports },
  ];
  const read = written(subsets);
  expect(read).toMatchObject({ is: "ours", kind: "EndpointSlice", name: { kind: "Endpoints", name: "web" } });
  expect(read).toMatchObject({
    key: "default/web#",
    findings: [],
    object: {
      kind: "EndpointSlice",
      metadata: { name: "web#", namespace: "default", labels: { a: "b", "kubernetes.io/service-name": "web" } },
      addressType: "IPv4",
      ports,
      endpoints: [
        { addresses: ["10.0.0.1"], conditions: { ready: true } },
        { addresses: ["10.0.0.2"], conditions: { ready: false } },
        { addresses: ["10.0.0.3"], conditions: { ready: true } },
      ],
    },
  });
});

test.each([
  [[{ addresses: [{ ip: "10.0.0.1" }], ports }, { addresses: [{ ip: "10.0.0.2" }] }], "subsets.1.ports"],
  [[{ addresses: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] }], "subsets"],
])("Endpoints that need more than one EndpointSlice are refused, with what to write instead: %j", (subsets, field) => {
  const read = written(subsets);
  expect(read).toMatchObject({
    object: undefined,
    findings: [{ why: expect.stringMatching(/write an EndpointSlice/) }],
  });
  expect("findings" in read && read.findings[0]?.path.join(".")).toBe(field);
});

test.each([
  ["default/web#", "Endpoints default/web"],
  ["default/web#1", "Endpoints default/web"],
  ["default/web-x7k2p", "EndpointSlice default/web-x7k2p"],
])("the slice %s is called %s, as its author wrote it", (key, name) => {
  expect(writtenName("EndpointSlice", key)).toBe(name);
});
