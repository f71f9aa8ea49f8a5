import { expect, test } from "vitest";
import { base, ingress, put, type Sketch, service } from "../../../test/support/sketch.ts";
import type { Ingress, KubernetesObject } from "../../core/model/objects.ts";
import { type Problem, sentence } from "../../core/model/problem.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { judge } from "./judge.ts";
import { Neighbours } from "./neighbours.ts";
import { PresentSettings } from "./settings.ts";

const uid = "705ab4f5-6393-11e8-b7cc-42010a800002";
const options = { ...defaultOptions, configMap: "ns/settings" };
const configMap = (data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "ns" },
  data,
});

/** Returns the verdict on an Ingress, in a cluster that has only `others`. */
function ask(submitted: Ingress, others: readonly KubernetesObject[] = [], changed: Partial<typeof options> = {}) {
  const snapshot = put(base, service("web"), ...others);
  const translate = { ...options, ...changed };
  const neighbours = new Neighbours(translate);
  neighbours.catchUp(snapshot);
  const settings = new PresentSettings(translate.configMap).of(snapshot);
  const verdict = judge(submitted, { snapshot, neighbours, settings, options: translate, watches: () => true });
  if (verdict.kind === "passed-over") return verdict.kind;
  const sentences = (problems: readonly Problem[]) => problems.map(sentence);
  return { refusals: sentences(verdict.refusals), warnings: sentences(verdict.warnings) };
}
function fresh(sketch: Partial<Sketch>, metadata: Partial<Ingress["metadata"]> = {}): Ingress {
  const made = ingress({ name: "new", host: "a.example", ...sketch });
  return { ...made, metadata: { ...made.metadata, uid, ...metadata } };
}
const annotated = (annotations: Record<string, string>, sketch: Partial<Sketch> = {}) =>
  fresh({ annotations, ...sketch });
const old = (sketch: Partial<Sketch> = {}) => ingress({ name: "old", host: "a.example", age: 5, ...sketch });
const nothing = { refusals: [], warnings: [] };

test("an ordinary Ingress is allowed without a warning, and so is a new version of it", () => {
  expect(ask(fresh({}))).toEqual(nothing);
  expect(ask(fresh({ name: "old" }), [old()])).toEqual(nothing);
});

test("an Ingress that is being deleted, or is of another class or namespace, is not judged", () => {
  const bad = annotated({ "whitelist-source-range": "x" });
  expect(ask({ ...bad, metadata: { ...bad.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } })).toBe("passed-over");
  expect(ask({ ...bad, spec: { ...bad.spec, ingressClassName: "other" } })).toBe("passed-over");
  const snapshot = put(base);
  const bench = {
    snapshot,
    neighbours: new Neighbours(options),
    settings: new PresentSettings(undefined).of(snapshot),
  };
  expect(judge(bad, { ...bench, options, watches: () => false }).kind).toBe("passed-over");
});

test.each([
  [
    "with the same words as its Event",
    old(),
    "path / of host a.example belongs to the older Ingress ns/old; this one is ignored",
  ],
  [
    "whatever the path type",
    old({ paths: [["/", "web", "Exact"]] }),
    "path / of host a.example is in Ingress ns/old, too; only one of them may have it, whatever the path type",
  ],
])("a host and path that another Ingress has is refused %s", (_how, other, expected) => {
  expect(ask(fresh({}), [other])).toMatchObject({ refusals: [expected] });
});

test("an older Ingress cannot take the path of a younger one", () => {
  const younger = ingress({ name: "younger", host: "a.example" });
  const expected =
    "path / of host a.example is in Ingress ns/younger, too; only one of them may have it, whatever the path type";
  expect(ask(fresh({ name: "older", age: 9 }), [younger])).toMatchObject({ refusals: [expected] });
});

test("a canary may share a path with its main Ingress and with another canary, even while it is turned off", () => {
  const second = ingress({ name: "second", host: "a.example", annotations: { canary: "true" } });
  expect(ask(annotated({ canary: "true" }, { paths: [["/", "other"]] }), [old(), second, service("other")])).toEqual(
    nothing,
  );
  expect(ask(annotated({ canary: "false" }), [old()])).toEqual({
    refusals: [],
    warnings: ["path / of host a.example belongs to the older Ingress ns/old; this one is ignored"],
  });
});

test("an Ingress that is not applied, or of another controller, holds no path", () => {
  const rejected = old({ annotations: { "load-balance": "no-such" } });
  expect(ask(fresh({}), [rejected])).toEqual(nothing);
  expect(ask(fresh({}), [old({ spec: { ingressClassName: "other" } })])).toEqual(nothing);
});

test("values that would keep an Ingress or its paths from being served are refused, and those with a default cause warnings", () => {
  expect(ask(annotated({ "load-balance": "no-such" }))).toMatchObject({
    refusals: [expect.stringMatching(/not applied$/)],
  });
  expect(ask(annotated({ "whitelist-source-range": "x" }))).toMatchObject({
    refusals: [expect.stringMatching(/503$/)],
  });
  const soft = ask(annotated({ "proxy-read-timeout": "60s", "proxy-raed-timeout": "5" }));
  expect(soft).toMatchObject({
    refusals: [],
    warnings: [/did you mean proxy-read-timeout/, /default is used/].map(matching),
  });
});
const matching = (pattern: RegExp) => expect.stringMatching(pattern);

test("a missing Secret or Service causes neither a refusal nor a warning", () => {
  expect(ask(annotated({ "auth-type": "basic", "auth-secret": "gone" }, { paths: [["/", "gone"]] }))).toEqual(nothing);
});

test.each([
  ["/b(.*)", "Prefix"],
  ["/ü", "Exact"],
  ["/a;b", "Prefix"],
])("path %s of type %s is refused, or causes a warning only where the operator chose that", (path, type) => {
  const submitted = fresh({ paths: [[path, "web", type]] });
  expect(ask(submitted)).toMatchObject({ refusals: [expect.stringContaining(`has pathType ${type}`)] });
  const off = configMap({ "strict-validate-path-type": "false" });
  expect(ask(submitted, [off])).toMatchObject({
    refusals: [],
    warnings: expect.arrayContaining([expect.stringContaining("used as it is")]),
  });
  expect(ask(fresh({ paths: [[path, "web", "ImplementationSpecific"]] }))).toMatchObject({ refusals: [] });
});

test("the refusal of a path with a final star says which path takes all below it", () => {
  const hint = "/a with pathType Prefix takes all below it";
  expect(ask(fresh({ paths: [["/a/*", "web", "Exact"]] }))).toMatchObject({
    refusals: [expect.stringContaining(hint)],
  });
});

test("the refusal of a path with a variable says that a tool should have filled it in", () => {
  const hint = "a tool should have filled in ${APP} before, such as envsubst";
  expect(ask(fresh({ paths: [["/${APP}", "web", "Prefix"]] }))).toMatchObject({
    refusals: [expect.stringContaining(`begins with /; ${hint}`)],
  });
});

test("a path that is not a regular expression is refused where it would be read as one", () => {
  const paths = [["/b(", "web", "ImplementationSpecific"]] as const;
  expect(ask(annotated({ "use-regex": "true" }, { paths }))).toMatchObject({
    refusals: [expect.stringContaining('a "(" is not closed')],
  });
  expect(ask(annotated({}, { paths }))).toEqual({
    ...nothing,
    warnings: [expect.stringContaining("/b( looks like a regular expression, and use-regex is not true")],
  });
});

test("each annotation whose name ends in -snippet is refused while snippets are off", () => {
  expect(ask(annotated({ "some-snippet": "x;" }))).toMatchObject({
    refusals: ["annotation some-snippet: allow-snippet-annotations is off; the webhook refuses the Ingress"],
  });
});

test("annotations with the usual prefix are refused where the controller has a prefix of its own", () => {
  expect(ask(annotated({ "proxy-read-timeout": "5" }), [], { annotationsPrefix: "mine.example" })).toMatchObject({
    refusals: [expect.stringContaining("annotations of this controller begin with mine.example/")],
  });
});

test("a default backend is refused with --disable-catch-all", () => {
  const submitted = fresh({ spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } });
  expect(ask(submitted)).toEqual(nothing);
  expect(ask(submitted, [], { disableCatchAll: true })).toMatchObject({
    refusals: ["spec.defaultBackend: --disable-catch-all is on; the webhook refuses the Ingress"],
  });
});

test("a change that takes the last host away causes a warning, and an Ingress that never had one does not", () => {
  expect(ask(fresh({ name: "old", host: "" }), [old()])).toEqual({
    refusals: [],
    warnings: ["spec.rules: no rule has a host any more, and the first one was a.example; it is served for all hosts"],
  });
  expect(ask(fresh({ name: "old", host: "b.example" }), [old()])).toEqual(nothing);
  expect(ask(fresh({ host: "" }))).toEqual(nothing);
  expect(ask(fresh({ name: "old", host: "" }), [old({ host: "" })])).toEqual(nothing);
});

test("a malformed UID is refused, and so is nginx text in a path of any class", () => {
  expect(ask(fresh({}, { uid: "../../x" }))).toMatchObject({
    refusals: ["metadata.uid: it is no UUID; the webhook refuses the Ingress"],
  });
  const foreign = fresh({ paths: [["/x/etc/passwd", "web"]], spec: { ingressClassName: "other" } });
  expect(ask(foreign)).toMatchObject({ refusals: [expect.stringContaining("--deep-inspect is on")] });
});

test("a canary without a main Ingress and a backend that is no Service cause warnings", () => {
  expect(ask(annotated({ canary: "true" }), [old({ host: "b.example" })])).toMatchObject({
    refusals: [],
    warnings: [expect.stringContaining("no ordinary Ingress has this host, path and path type")],
  });
});

test("an Ingress of many paths that shares them all with another is read once, not once for each path", () => {
  const paths = Array.from({ length: 300 }, (_, at) => [`/path/${at}`, "web"] as const);
  let reads = 0;
  const shared = ingress({ name: "shared", host: "a.example", paths, annotations: { canary: "false" } });
  const annotations = { ...shared.metadata.annotations };
  const watched = { ...shared, metadata: { ...shared.metadata } };
  Object.defineProperty(watched.metadata, "annotations", {
    enumerable: true,
    get: () => {
      reads += 1;
      return annotations;
    },
  });
  ask(fresh({ paths }), [watched]);
  expect(reads).toBeLessThan(900);
});

test("an Ingress for which its namespace has no room is refused, and one with too many authorities gets a warning", () => {
  const origins = Array.from({ length: 900 }, (_, at) => `https://app${at}.example`).join();
  const paths = Array.from({ length: 300 }, (_, at) => [`/p${at}`, "web"] as const);
  const wide = { paths, annotations: { "enable-cors": "true", "cors-allow-origin": origins } };
  const others = [old(wide), { ...old(wide), metadata: { ...old(wide).metadata, name: "second" } }];
  const { refusals } = ask(fresh({ ...wide, host: "b.example" }), others) as typeof nothing;
  expect(refusals).toEqual([expect.stringContaining("more than ingress-records-per-namespace permits (8m)")]);
  expect(ask(fresh({ ...wide, host: "b.example" }))).toEqual(nothing);
  const data = { "ca.crt": Buffer.alloc(300_000).toString("base64") };
  const store = { apiVersion: "v1", kind: "Secret", metadata: { name: "store", namespace: "ns" }, data };
  const guarded = { "backend-protocol": "HTTPS", "proxy-ssl-secret": "ns/store" };
  const limit = configMap({ "authorities-per-namespace": "256k" });
  const { warnings } = ask(annotated(guarded), [store, limit]) as typeof nothing;
  expect(warnings.join()).toContain("more authorities and key pairs than authorities-per-namespace permits (256k)");
});
