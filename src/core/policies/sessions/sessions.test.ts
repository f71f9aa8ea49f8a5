import { expect, test } from "vitest";
import { sentence } from "../../model/problem.ts";
import { sessionOf } from "./read.ts";

const object = { apiVersion: "", kind: "HTTPRoute", namespace: "shop", name: "web" };
const read = (sessionPersistence: object, field = "spec.rules[0]", name?: string) =>
  sessionOf({ sessionPersistence, ...(name === undefined ? {} : { name }) }, field, object)!;
const session = (...given: Parameters<typeof read>) => {
  const one = read(...given);
  if (!one.ok) throw new Error(one.why);
  return one.filtersAt("/match").session!;
};

test("by default a session is a cookie that ends with the browser, with a name that only its rule has", () => {
  const one = session({});
  expect(one).toMatchObject({ type: "cookie", name: `sluice-${one.binding}`, seconds: undefined, isPermanent: false });
  expect(session({}, "spec.rules[1]").binding).not.toBe(one.binding);
  expect(session({}, "spec.rules[1]", "a").binding, "a rule with a name may move").toBe(session({}, "", "a").binding);
  expect(session({ type: "Header" }).name).toMatch(/^Sluice-Session-[0-9a-f]{16}$/);
  expect(session({ absoluteTimeout: "1h", cookieConfig: { lifetimeType: "Permanent" } })).toMatchObject({
    seconds: 3_600,
    isPermanent: true,
  });
  expect(session({ absoluteTimeout: "1ms" })).toMatchObject({ seconds: 1, isPermanent: false });
});

test.each([
  [{ type: "Address" }, ".type", "is not Cookie or Header"],
  [{ cookieConfig: { lifetimeType: "Forever" } }, ".cookieConfig.lifetimeType", "is not Session or Permanent"],
  [{ cookieConfig: { lifetimeType: "Permanent" } }, ".absoluteTimeout", "needs a time longer than 0s"],
  [{ absoluteTimeout: "long" }, ".absoluteTimeout", "is not a duration"],
  [{ cookie: { lifetimeType: "Forever" } }, ".cookie.lifetimeType", "is not Session or Permanent"],
  [{ cookie: { lifetimeType: "Permanent" } }, ".absoluteTimeout", "needs a time longer than 0s"],
  [{ cookie: { name: "a b" } }, ".cookie.name", "is not the name of a cookie"],
  [{ cookie: { path: "/; Domain=example" } }, ".cookie.path", "is not a path"],
  [{ cookie: { path: "a" } }, ".cookie.path", "is not a path"],
  [{ type: "Header", header: { name: "Host" } }, ".header.name", ""],
  [{ sessionName: "a; Domain=example" }, ".sessionName", "is not the name of a cookie"],
  [{ sessionName: "Transfer-Encoding", type: "Header" }, ".sessionName", "where a message ends"],
  [{ sessionName: "a b", type: "Header" }, ".sessionName", "is not a header name"],
])("the session %j is a mistake", (persistence, part, why) => {
  expect(read(persistence)).toMatchObject({
    ok: false,
    part: `.sessionPersistence${part}`,
    why: expect.stringContaining(why),
  });
});

test("a field that an older version of the API had is reported", () => {
  const one = read({ idleTimeout: "1m" });
  expect(one.ok && one.notes.map(sentence)).toEqual([
    "spec.rules[0].sessionPersistence.idleTimeout: is not a field of the Gateway API from 1.6 on; a session that is not used goes on",
  ]);
});

test("the fields of version 1.7 of the API name the cookie, its path and the header", () => {
  const cookie = { name: "cart", path: "/shop", lifetimeType: "Permanent" };
  expect(session({ absoluteTimeout: "1h", cookie })).toMatchObject({
    ...{ type: "cookie", name: "cart", path: "/shop", seconds: 3_600, isPermanent: true },
  });
  expect(session({ cookie: {} }).path).toBe("/match");
  expect(session({ type: "Header", header: { name: "X-Cart" } })).toMatchObject({ type: "header", name: "X-Cart" });
});
