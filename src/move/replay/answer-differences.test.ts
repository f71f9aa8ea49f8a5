import { expect, test } from "vitest";
import type { Answer } from "./answer.ts";
import { differencesOf } from "./answer-differences.ts";

const request = {
  method: "GET",
  scheme: "https",
  host: "shop.example",
  target: "/",
  headers: new Map<string, string>(),
} as const;
const old = { https: { host: "127.0.0.1", port: 8443 } };
const fresh = { https: { host: "127.0.0.1", port: 9443 } };

const answer = (
  status: number,
  headers: Readonly<Record<string, string | string[]>> = {},
  body: string | Buffer = "",
): Answer => ({ ok: true, status, headers, body: Buffer.from(body) });

const between = (a: Answer, b: Answer, ignored: readonly string[] = []) =>
  differencesOf(request, { answer: a, address: old }, { answer: b, address: fresh }, new Set(ignored));

test("a difference names the status, the headers, or the position in the body", () => {
  expect(between(answer(200, { "cache-control": "no-store" }), answer(404))).toEqual([
    { field: "status", old: "200", new: "404" },
    { field: "header", name: "cache-control", old: "no-store", new: "absent" },
  ]);
  expect(between(answer(200, {}, "price: 10 euros"), answer(200, {}, "price: 12 euros"))).toEqual([
    { field: "body", old: "price: 10 euros", new: "price: 12 euros" },
  ]);
  expect(between(answer(200, {}, "a"), answer(200))).toEqual([{ field: "body", old: "a", new: "empty" }]);
  expect(between(answer(200, {}, Buffer.from([0, 255])), answer(200, {}, Buffer.from([0, 254, 1])))).toEqual([
    { field: "body", old: "2 bytes", new: "3 bytes" },
  ]);
});

test("dates, ids and headers of a connection or program do not count as differences", () => {
  const a = answer(
    200,
    {
      date: "a",
      etag: "1",
      server: "nginx",
      "last-modified": "Mon, 23 Nov 2026 06:00:00 GMT",
      "x-id": "9f86d081884c7d65",
    },
    "at 2026-11-23T06:00:00Z as 123e4567-e89b-12d3-a456-426614174000 since 1795000000",
  );
  const b = answer(
    200,
    { etag: "2", via: "b", "last-modified": "Tue, 24 Nov 2026 07:00:00 GMT", "x-id": "60303ae22b998861" },
    "at 2026-11-24T06:00:01.5Z as 00000000-e89b-12d3-a456-426614174000 since 1795000001",
  );
  expect(between(a, b)).toEqual([]);
});

test("headers are compared by their meaning, and ignored ones are not compared", () => {
  expect(between(answer(200, { vary: "Origin, Accept" }), answer(200, { vary: "accept,origin" }))).toEqual([]);
  expect(between(answer(200, { "x-a": "1" }), answer(200, { "x-a": "2" }), ["x-a"])).toEqual([]);
  const cookie = (text: string) => answer(200, { "set-cookie": [text] });
  expect(between(cookie("sid=1; Path=/; Expires=x"), cookie("sid=2; path=/; Expires=y"))).toEqual([]);
  expect(between(cookie("sid=1; Path=/; Secure"), cookie("sid=1; Path=/"))).toEqual([
    { field: "header", name: "set-cookie", old: "sid; path=/; secure", new: "sid; path=/" },
  ]);
});

test("redirects are compared without the ports of the two addresses, and shown without credentials", () => {
  const to = (location: string) => answer(302, { location });
  expect(between(to("https://shop.example:8443/a"), to("https://SHOP.example:9443/a"))).toEqual([]);
  expect(between(to("https://shop.example:443/a"), to("https://shop.example/a"))).toEqual([]);
  expect(
    between(to("https://login.example/?state=abc&rd=%2F"), to("https://login.example/?state=xyz&rd=%2Fa")),
  ).toEqual([
    {
      field: "redirect",
      old: "https://login.example/?state=&rd=%2F",
      new: "https://login.example/?state=&rd=%2Fa",
    },
  ]);
  expect(between(to("/a"), answer(200))).toEqual([
    { field: "status", old: "302", new: "200" },
    { field: "redirect", old: "/a", new: "none" },
  ]);
});

test("an address without an answer differs from one with an answer", () => {
  const none: Answer = { ok: false, why: "connect ECONNREFUSED" };
  expect(between(answer(200), none)).toEqual([{ field: "answer", old: "200", new: "connect ECONNREFUSED" }]);
  expect(between(none, none)).toEqual([]);
});
