/**
 * Odd targets of requests: those that are served, with the path and query that the backend gets,
 * and those that are refused.
 */
import { raw } from "../../nginx/support/request.ts";

/** Targets with the path and query that the backend gets. */
export const served: readonly (readonly [target: string, sent: string])[] = [
  ["http://a.example?admin=1", "/?admin=1"],
  ["http://a.example:80?admin=1", "/?admin=1"],
  ["http://a.example?", "/"],
  ["http://a.example?#x", "/"],
  ["http://a.example?a#?b", "/?a"],
  ["http://a.example?/x", "/?/x"],
  ["http://a.example?a/", "/?a/"],
  ["HTTPS://A.EXAMPLE?x", "/?x"],
  ["http://a.example", "/"],
  ["http://a.example//?x", "//?x"],
  ["/?", "/?"],
  ["//", "//"],
  ["//evil.example/..//x", "//evil.example/..//x"],
  ["/?http://b.example?x", "/?http://b.example?x"],
  ["/a%2Fb%3Fc?d=%2F%3f", "/a%2Fb%3Fc?d=%2F%3f"],
  ["/a/../b/./c", "/a/../b/./c"],
  ["/a?b#c?d", "/a?b#c?d"],
  ["/a#b?c", "/a#b?c"],
  ["/%61?%61", "/%61?%61"],
];

export const refused = [
  ...["*", "?x", "#x", "a.example", "a.example:80", "http:", "http:a.example/x", "http://", "http:///x"],
  ...[
    "http://a.example#x",
    "http://a.example#?x",
    "http://u:p@a.example/x",
    "http://a%2eexample/",
    "http://a.example\\x",
  ],
  ...["http://?x", "http://#x", "%2Fx", ".", "..", "/%", "/..", "http://a.example/../x"],
];

export const ask = (to: string, target: string, method = "GET"): Promise<string> =>
  raw(to, `${method} ${target} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
