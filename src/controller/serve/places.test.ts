import { expect, test } from "vitest";
import type { Ingress } from "../../core/model/objects.ts";
import { pathOf } from "../../core/schema/findings.ts";
import { pathIn } from "./places.ts";

const prefix = "nginx.ingress.kubernetes.io";
const ingress = (annotations: Readonly<Record<string, string>>): Ingress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: {
    namespace: "shop",
    name: "web",
    annotations: Object.fromEntries(Object.entries(annotations).map(([key, text]) => [`${prefix}/${key}`, text])),
  },
  spec: {
    rules: [
      { host: "a.example", http: { paths: [{ path: "/", pathType: "Prefix", backend: {} }] } },
      { host: "a.example", http: { paths: [{ path: "/(?<name", pathType: "ImplementationSpecific", backend: {} }] } },
    ],
  },
});
const named = (why: string, annotations: Readonly<Record<string, string>>) => {
  const object = { kind: "Ingress", namespace: "shop", name: "web" };
  return pathIn(ingress(annotations), { object, kind: "nginx-refused", why }, prefix);
};
const annotation = (key: string) => ["metadata", "annotations", `${prefix}/${key}`];

test("an error of nginx is found in the snippet, the other annotation or the path that has its words", () => {
  const two = {
    "server-snippet": "nonsense on;",
    "configuration-snippet": "proxy_cache foo;",
    "app-root": "/nonsense",
  };
  expect(named('unknown directive "nonsense"', two)).toEqual(annotation("server-snippet"));
  expect(named('zero size shared memory zone "foo"', two)).toEqual(annotation("configuration-snippet"));
  expect(named('invalid value "/nonsense"', two)).toEqual(annotation("app-root"));
  expect(named('pcre2_compile() failed: missing ) in "/(?<name" at 4', two)).toEqual(
    pathOf("spec.rules[1].http.paths[0].path"),
  );
});

test("an error whose words are nowhere belongs to the only snippet, or else to the whole object", () => {
  const why = 'unexpected end of file, expecting ";" or "}"';
  expect(named(why, { "server-snippet": "a", "app-root": "/;" })).toEqual(annotation("server-snippet"));
  expect(named(why, { "server-snippet": "a", "configuration-snippet": "b" })).toEqual([]);
  expect(named(why, { "app-root": "/;" })).toEqual([]);
});

test("a path that is taken is found in the object: the last one if the object itself took it", () => {
  const path = { path: "/", pathType: "Prefix" as const, backend: {} };
  const rules = [
    { host: "a.example", http: { paths: [path] } },
    { host: "A.example", http: { paths: [path] } },
  ];
  const object = { kind: "Ingress", namespace: "shop", name: "web" };
  const twice: Ingress = { ...ingress({}), spec: { rules } };
  const placeOf = (by: typeof object) =>
    pathIn(twice, { object, kind: "path-taken", host: "a.example", path: "/", by }, prefix);
  expect(placeOf({ ...object, name: "older" })).toEqual(pathOf("spec.rules[0].http.paths[0].path"));
  expect(placeOf(object)).toEqual(pathOf("spec.rules[1].http.paths[0].path"));
});
