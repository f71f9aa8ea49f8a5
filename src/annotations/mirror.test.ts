import { expect, test } from "vitest";
import { notingPlace, printed, readingOf, settingsOf, valuesOf } from "../../test/support/reading.ts";
import { mirror } from "./mirror.ts";

function copyOf(annotations: Readonly<Record<string, string>>, dynamic = true) {
  const place = notingPlace({ dynamic });
  mirror.view!(valuesOf(annotations).mirror, place, settingsOf());
  return { view: printed(place.noted.beside), variables: place.noted.variables, http: place.noted.http };
}

test.each([
  ["http://copy.example/in", "http://copy.example/in", "$route_mirror_url$all_args"],
  ["http://copy.example/in?a=b", "http://copy.example/in?a=b", "$route_mirror_url$more_args"],
  ["http://copy.example?a=b", "http://copy.example/?a=b", "$route_mirror_url$more_args"],
  ["https://192.0.2.9:8443", "https://192.0.2.9:8443", "$route_mirror_url$request_uri"],
])("the literal address of %s is a value of the route, and the client's query is added", (target, address, url) => {
  const { view, variables } = copyOf({ "mirror-target": target });
  expect(variables.mirror_url).toBe(address);
  expect(view).toEqual([{ url, host: "$route_mirror_host", bodiless: false }]);
});

test("an address with variables is written as it is", () => {
  const { view, variables, http } = copyOf({ "mirror-target": "http://copy.example:81$request_uri&x=$http_x" });
  expect(view).toEqual([expect.objectContaining({ url: '"http://copy.example:81${request_uri}&x=${http_x}"' })]);
  expect(variables).toEqual({ mirror_host: "copy.example" });
  expect(http).toEqual([]);
});

test.each(["http://copy.example$uri", "/copy", "http://", "http://copy.example:x/"])(
  "%s is no target: nothing is copied, and a Problem says so",
  (target) => {
    const { values, problems, verdict } = readingOf({ "mirror-target": target });
    expect(mirror.view!(values.mirror, notingPlace(), settingsOf())).toBe(false);
    expect(verdict).toBe("serve");
    expect(problems).toEqual([expect.objectContaining({ key: "mirror-target", done: "default" })]);
  },
);

test("mirror-host and mirror-request-body", () => {
  const both = {
    "mirror-target": "http://copy.example/",
    "mirror-host": "other.example",
    "mirror-request-body": "off",
  };
  const { view, variables } = copyOf(both);
  expect(variables.mirror_host).toBe("other.example");
  expect(view).toEqual([expect.objectContaining({ bodiless: true })]);
});
