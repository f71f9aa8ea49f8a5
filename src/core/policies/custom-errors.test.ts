import { expect, test } from "vitest";
import { notingPlace, readingOf, settingsOf, valuesOf } from "../../../test/support/reading.ts";
import { customErrors } from "./custom-errors.ts";

const list = { "custom-http-errors": "404, 503" };
const value = (annotations: Record<string, string>, settings: Record<string, string> = {}) =>
  valuesOf(annotations, { settings }).customErrors;

test("a list of the Ingress replaces the ConfigMap's", () => {
  const settings = { "custom-http-errors": "500" };
  expect(value({}, settings)).toMatchObject({ codes: [500], own: false });
  expect(value(list, settings)).toMatchObject({ codes: [404, 503], own: true });
});

test.each([
  [list, {}, true],
  [{ ...list, "disable-proxy-intercept-errors": "true" }, {}, false],
  [{ ...list, "disable-proxy-intercept-errors": "true" }, { "custom-http-errors": "500" }, true],
  [{}, { "custom-http-errors": "500" }, true],
  [{}, { "custom-http-errors": "500", "disable-proxy-intercept-errors": "true" }, false],
  [list, { "custom-http-errors": "500", "disable-proxy-intercept-errors": "true" }, true],
])("annotations %j with settings %j replace errors of the backend: %s", (annotations, settings, intercepts) => {
  expect(value(annotations, settings).intercepts).toBe(intercepts);
});

test("each status has its own page, and the page for a body that is too large does not get the body", () => {
  const place = notingPlace();
  customErrors.view!(value({ "custom-http-errors": "413,404" }), place, settingsOf());
  expect(place.noted.beside).toMatchObject([{ routed: false }, { routed: true }]);
});

test.each(["499", "404;500", "200", "4xx"])("the list of statuses %s is refused", (codes) => {
  expect(readingOf({ "custom-http-errors": codes }).verdict).toBe("reject");
});

test("a default-backend with a namespace is refused, and the Problem says how it is written", () => {
  const { problems } = readingOf({ "default-backend": "errors/pages" });
  expect(problems).toMatchObject([
    { why: '"errors/pages" has a namespace; it is the name of a Service beside the Ingress, like pages' },
  ]);
});

test("a default-backend that does not exist is ignored and reported", () => {
  const reading = readingOf({ "default-backend": "errors" });
  expect(reading.values.customErrors.standIn).toBeUndefined();
  expect(reading.problems).toMatchObject([{ kind: "annotation-useless", key: "default-backend" }]);
  expect(reading.references).toEqual(["Service shop/errors"]);
});
