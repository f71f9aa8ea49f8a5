import { inspect } from "node:util";
import { expect, test } from "vitest";
import { notingPlace, readingOf, settingsOf, valuesOf, type World } from "../../../test/support/reading.ts";
import { sentence } from "../model/problem.ts";
import { basicAuth } from "./basic-auth.ts";

const basic = { "auth-type": "basic", "auth-secret": "users" };
const world: World = { secrets: { "shop/users": { auth: "alice:{PLAIN}secret\n" } } };

const usersOf = (annotations: Record<string, string>, secrets: World["secrets"] = {}) => {
  const value = valuesOf(annotations, { secrets }).basicAuth;
  return value.kind === "basic" ? value.users.reveal() : undefined;
};

test("auth-file takes the file unchanged, and auth-map makes a line of each key", () => {
  expect(usersOf(basic, world.secrets)).toBe("alice:{PLAIN}secret\n");
  const map = { "shop/users": { bob: "{PLAIN}b", alice: "{PLAIN}a" } };
  expect(usersOf({ ...basic, "auth-secret-type": "auth-map" }, map)).toBe("alice:{PLAIN}a\nbob:{PLAIN}b\n");
});

test.each([
  [
    { "auth-type": "basic" },
    "deny",
    "annotation auth-secret: auth-type needs it, and it is missing; its paths answer 503",
  ],
  [
    { ...basic, "auth-secret": "none" },
    "deny",
    "annotation auth-secret: Secret shop/none not found; its paths answer 503",
  ],
  [
    { ...basic, "auth-secret": "map" },
    "deny",
    "annotation auth-secret: Secret shop/map has no key auth; its paths answer 503",
  ],
  [
    { ...basic, "auth-secret": "other/users" },
    "deny",
    "annotation auth-secret: Secret other/users is in another namespace, and allow-cross-namespace-resources is off; its paths answer 503",
  ],
  [
    { ...basic, "auth-type": "digest", "auth-realm": "x" },
    "deny",
    "annotation auth-type: nginx here has no module for digest authentication; its paths answer 503",
  ],
] as const)("an Ingress with the annotations %j fails closed", (annotations, verdict, expected) => {
  const secrets = { ...world.secrets, "other/users": { auth: "" }, "shop/map": { bob: "x" } };
  const reading = readingOf(annotations, { secrets });
  expect(reading.verdict).toBe(verdict);
  expect(reading.problems.map(sentence)).toEqual([expected]);
});

test("Secrets of other namespaces are read where the operator allows them", () => {
  const secrets = { "other/users": { auth: "a:b" } };
  const settings = { "allow-cross-namespace-resources": "true" };
  const reading = readingOf({ ...basic, "auth-secret": "other/users" }, { secrets, settings });
  expect(reading).toMatchObject({ verdict: "serve", references: ["Secret other/users"] });
});

test("a warning says that the realm off switches authentication off", () => {
  const { problems } = readingOf({ ...basic, "auth-realm": "off" }, world);
  expect(problems.map(sentence)).toEqual([
    "annotation auth-type has no effect: auth-realm is off, which switches authentication off",
  ]);
});

test("password files of Secrets have different names that reveal nothing, and passwords are not printed", () => {
  const place = notingPlace();
  const value = valuesOf(basic, world).basicAuth;
  basicAuth.view!(value, place, settingsOf());
  basicAuth.view!(valuesOf(basic, { secrets: { "shop/users": { auth: "x" } } }).basicAuth, place, settingsOf());
  expect(new Set(place.noted.files.map(({ path }) => path)).size).toBe(2);
  expect(place.noted.files[0]).toMatchObject({
    path: expect.stringMatching(/^data\/opened\/[\da-f]{32}$/),
    opened: true,
  });
  expect(inspect(value) + JSON.stringify(value)).not.toContain("secret");
});

test("paths without authentication have neither the challenge nor the header rule", () => {
  const place = notingPlace({ authenticates: false });
  const value = valuesOf(basic, world).basicAuth;
  expect(basicAuth.view!(value, place, settingsOf())).toBe(false);
  expect(basicAuth.requestHeaders!(value, place, settingsOf())).toEqual([]);
});
