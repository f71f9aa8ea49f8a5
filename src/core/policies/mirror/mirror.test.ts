import { expect, test } from "vitest";
import { notingPlace, printed, readingOf, settingsOf, valuesOf } from "../../../../test/support/reading.ts";
import { mirror } from "./declaration.ts";

function copyOf(annotations: Readonly<Record<string, string>>, dynamic = true) {
  const place = notingPlace({ dynamic });
  mirror.view!(valuesOf(annotations).mirror, place, settingsOf());
  return { view: printed(place.noted.beside), variables: place.noted.variables, http: place.noted.http };
}

test.each([
  ["http://copy.example/in", "http://copy.example.80.t.sluice.internal:80/in", "$route_mirror_url$all_args"],
  ["http://copy.example/in?a=b", "http://copy.example.80.t.sluice.internal:80/in?a=b", "$route_mirror_url$more_args"],
  ["http://copy.example?a=b", "http://copy.example.80.t.sluice.internal:80/?a=b", "$route_mirror_url$more_args"],
  ["https://192.0.2.9:8443", "https://192.0.2.9:8443", "$route_mirror_url$origin_form"],
])("the literal address %s is a value of the route, and the client's query is added", (target, address, url) => {
  const { view, variables } = copyOf({ "mirror-target": target });
  expect(variables.mirror_url).toBe(address);
  const [serverName, hops] = ["$route_mirror_server", "$http_x_sluice_hops,$route_hop"];
  const resolver = "127.0.0.1:10243";
  expect(view).toEqual([
    { url, host: "$route_mirror_host", serverName, resolver, hops, bodiless: false, ofRoute: false },
  ]);
});

test("a mirror address with variables is written unchanged", () => {
  const { view, variables, http } = copyOf({ "mirror-target": "http://copy.example:81$request_uri&x=$http_x" });
  expect(view).toEqual([
    expect.objectContaining({ url: '"http://copy.example.81.t.sluice.internal:81${origin_form}&x=${http_x}"' }),
  ]);
  expect(variables).toEqual({ mirror_host: "copy.example", mirror_server: "copy.example" });
  expect(http).toEqual([]);
});

const notAsked = [
  "$http_x",
  "unix",
  "127.1",
  "[::ffff:169.254.169.254]",
  "0x7f000001",
  "localhost",
  "a.$arg_x",
  "upstream_balancer",
];

test.each([
  "http://copy.example$uri",
  "/copy",
  "http://",
  "http://copy.example:x/",
  ...notAsked.map((host) => `http://${host}/`),
])("requests are not copied to %s, and a Problem says so", (target) => {
  const { values, problems, verdict } = readingOf({ "mirror-target": target });
  expect(mirror.view!(values.mirror, notingPlace(), settingsOf())).toBe(false);
  expect(verdict).toBe("serve");
  expect(problems).toEqual([expect.objectContaining({ key: "mirror-target", done: "default" })]);
});

test("mirror-host and mirror-request-body set the Host of a copy and leave out its body", () => {
  const both = {
    "mirror-target": "http://copy.example/",
    "mirror-host": "other.example",
    "mirror-request-body": "off",
  };
  const { view, variables } = copyOf(both);
  expect(variables.mirror_host).toBe("other.example");
  expect(view).toEqual([expect.objectContaining({ bodiless: true })]);
});
