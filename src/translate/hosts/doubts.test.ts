import { expect, test } from "vitest";
import { base, fake, ingress, put, service, slice } from "../../../test/support/sketch.ts";
import { sentence } from "../../problem.ts";
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
