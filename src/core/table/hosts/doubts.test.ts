import { expect, test } from "vitest";
import { base, fake, ingress, put, service, slice } from "../../../../test/support/sketch.ts";
import { fullSentence, sentence } from "../../model/problem.ts";
import { severityOf } from "../../model/problem-kinds.ts";
import { defaultOptions } from "../options.ts";
import { translate } from "../translator.ts";
import { emptyInputs } from "../turn.ts";

test.each([
  ["a.example", "/", []],
  ["a.example", "/x", ["host a.example has no path /, whose Service would get the connections"]],
  ["*.a.example", "/", ["TLS passes through for whole names alone, and *.a.example is a wildcard"]],
  [undefined, "/", ["a rule without a host has no name that a client could ask TLS for"]],
])("TLS of host %s with path %s passes through, unless there is a reason: %j", (host, path, why) => {
  const annotations = { "ssl-passthrough": "true" };
  const one = ingress({ name: "a", ...(host === undefined ? {} : { host }), paths: [[path, "web"]], annotations });
  const snapshot = put(base, service("web"), slice("web", "192.0.2.7"), one);
  const options = { ...defaultOptions, enableSslPassthrough: true };
  const { configuration, problems } = translate({ ...emptyInputs, snapshot }, options, fake);
  const sentences = [...problems.values()].flat().map(sentence);
  expect(sentences).toEqual(why.map((text) => `annotation ssl-passthrough has no effect: ${text}`));
  expect(configuration.streams.length).toBe(why.length === 0 ? 1 : 0);
});

test.each([
  ["/a/$APP_NAME", '"/a/$APP_NAME" is not finished: a tool should have filled in $APP_NAME before, such as envsubst'],
  ["/ENV_PLACEHOLDER/a", '"/ENV_PLACEHOLDER/a" is not finished: a tool should have filled in ENV_PLACEHOLDER before'],
  ["/<app>", '"/<app>" is not finished: replace the angle brackets and their content with a value of your own'],
  [
    "/a/*",
    "/a/* looks like a regular expression, and use-regex is not true (/a with pathType Prefix takes all below it)",
  ],
  ["/*", "/* looks like a regular expression, and use-regex is not true (/ with pathType Prefix takes all below it)"],
  ["/a*", "/a* looks like a regular expression, and use-regex is not true"],
  ["/API_V1/__a#%20", undefined],
])("the path %s on a host without regular expressions: %s", (path, why) => {
  const found = (type: string) => {
    const one = ingress({ name: "a", host: "a.example", paths: [[path, "web", type]] });
    const { problems } = translate({ ...emptyInputs, snapshot: put(base, service("web"), one) }, defaultOptions, fake);
    return [...problems.values()].flat().map(sentence);
  };
  const all = why === undefined ? [] : [`spec.rules[0].http.paths[0].path: ${why}; it is taken letter by letter`];
  expect(found("ImplementationSpecific")).toEqual(all);
  expect(found("Prefix")).toEqual(all);
  expect(found("Exact")).toEqual([]);
});

test("an Ingress whose rule has no path is told that another one has the /, if it sets anything for paths", () => {
  const redirect = { "permanent-redirect": "https://a.example" };
  const told = (annotations: Readonly<Record<string, string>>, ...others: Parameters<typeof ingress>[0][]) => {
    const pathless = ingress({ name: "redirect", host: "www.example", paths: [], annotations });
    const snapshot = put(base, service("web"), pathless, ...others.map(ingress));
    const { problems } = translate({ ...emptyInputs, snapshot }, defaultOptions, fake);
    return [...problems.values()].flat().map(sentence);
  };
  const app = { name: "app", host: "www.example" };
  expect(told(redirect, app)).toEqual([
    "spec.rules: its rule for www.example has no path, and Ingress ns/app has /, so what counts for a path, such as redirects, has no effect there",
  ]);
  expect(told({}, app)).toEqual([]);
  expect(told({ "server-alias": "w.example" }, app)).toEqual([]);
  expect(told(redirect)).toEqual([]);
  expect(told(redirect, { ...app, host: "b.example" })).toEqual([]);
});

test("a value for the whole host that an older Ingress overrules is reported, unless both are equal", () => {
  const host = "a.example";
  const reported = (older: Readonly<Record<string, string>>, younger: Readonly<Record<string, string>>) => {
    const first = ingress({ name: "a", host, age: 20, annotations: older });
    const second = ingress({
      name: "b",
      host,
      age: 10,
      paths: [["/b", "web"]],
      annotations: younger,
    });
    const snapshot = put(base, service("web"), slice("web", "192.0.2.7"), first, second);
    const { problems } = translate({ ...emptyInputs, snapshot }, defaultOptions, fake);
    return [...problems.values()].flat().map(fullSentence);
  };
  const why = "Ingress ns/a, the oldest that sets it, decides for the whole host a.example";
  expect(reported({ "server-alias": "b.example" }, { "server-alias": "c.example" })).toEqual([
    `Ingress ns/b: annotation server-alias has no effect: ${why}`,
  ]);
  expect(reported({ "ssl-ciphers": "HIGH" }, { "ssl-ciphers": "AES128-SHA" })).toEqual([
    `Ingress ns/b: annotation ssl-ciphers has no effect: ${why}`,
  ]);
  expect(reported({ "server-alias": "b.example" }, { "server-alias": "b.example" })).toEqual([]);
  expect(reported({}, { "server-alias": "c.example" })).toEqual([]);
});

test("an alias of an Ingress with two hosts names the one that has it, and is not called useless", () => {
  const one = ingress({ name: "a", host: "a.example", annotations: { "server-alias": "c.example" } });
  const rules = [...one.spec!.rules!, { ...one.spec!.rules![0]!, host: "b.example" }];
  const both = { ...one, spec: { ...one.spec, rules } };
  const snapshot = put(base, service("web"), slice("web", "192.0.2.7"), both);
  const { problems } = translate({ ...emptyInputs, snapshot }, defaultOptions, fake);
  expect([...problems.values()].flat().map(sentence)).toEqual([
    "annotation server-alias: c.example can only be the alias of one host, so a.example has it, and b.example does not; the rest of it is used",
  ]);
});

test.each([
  ["/a", 1],
  ["/(.*)", 0],
  ["/?(.*)", 0],
  ["/.*", 0],
])("the guards of an oldest Ingress with the path %s warn of paths without a rule: %i times", (path, times) => {
  const annotations = { "auth-url": "http://192.0.2.1/", "rewrite-target": "/$1" };
  const oldest = ingress({
    age: 9,
    name: "a",
    host: "a.example",
    paths: [[path, "web", "ImplementationSpecific"]],
    annotations,
  });
  const other = ingress({ name: "b", host: "a.example", paths: [["/b", "web"]] });
  const { problems } = translate(
    { ...emptyInputs, snapshot: put(base, service("web"), oldest, other) },
    defaultOptions,
    fake,
  );
  const found = [...problems.values()].flat().filter((one) => sentence(one).includes("paths without a rule"));
  // All is served as written.
  expect(found.map(severityOf)).toEqual(Array(times).fill("warning"));
});
