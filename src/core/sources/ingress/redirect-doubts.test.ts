import { expect, test } from "vitest";
import { base, fake, ingress, put, service } from "../../../../test/support/sketch.ts";
import { sentence } from "../../model/problem.ts";
import { defaultOptions } from "../../table/options.ts";
import { translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

const of = (annotations: Record<string, string>, path = "/", type = "Prefix") => {
  const one = ingress({ name: "a", host: "a.example", paths: [[path, "web", type]], annotations });
  const { problems } = translate({ ...emptyInputs, snapshot: put(base, service("web"), one) }, defaultOptions, fake);
  return [...problems.values()].flat().map(sentence);
};

const end = "clients are redirected there without end";
const isSwitch =
  "annotation permanent-redirect: it is the address that clients are sent to, and not a switch; ssl-redirect sends them to https";
const bare = (text: string) =>
  `annotation permanent-redirect: "${text}" has no scheme, so browsers take it for a path of the same host; write https://${text}`;
const loops = (path: string) =>
  `annotation permanent-redirect: it leads to the path ${path} of this Ingress, which has the redirect too, so ${end}`;

test.each([
  ["true", [isSwitch]],
  ["https", [isSwitch]],
  ["www.example.com", [bare("www.example.com")]],
  ["example.com:8443/x?y=1", [bare("example.com:8443/x?y=1")]],
  ["https://A.example/", [loops("/")]],
  ["https://a.example", [loops("/")]],
  ["http://a.example/other", []],
  ["https://b.example/", []],
  ["/new", []],
  ["new/page", []],
])("a redirect of the whole host to %j is judged", (url, told) => {
  expect(of({ "permanent-redirect": url })).toEqual(told);
});

test("a redirect of a path may lead to another path of the host, and not to itself", () => {
  const to = (url: string, type?: string) => of({ "permanent-redirect": url }, "/old", type);
  expect(to("https://a.example/old/page")).toEqual([loops("/old")]);
  expect(to("https://a.example/old/page", "Exact")).toEqual([]);
  expect(to("https://a.example/older")).toEqual([]);
  expect(to("https://a.example/")).toEqual([]);
});

test("a temporal redirect is named by its own key", () => {
  expect(of({ "temporal-redirect": "https://a.example/" })).toEqual([loops("/").replace("permanent", "temporal")]);
});
