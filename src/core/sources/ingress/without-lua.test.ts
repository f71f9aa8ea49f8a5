import { expect, test } from "vitest";
import { settingsOf } from "../../../../test/support/reading.ts";
import type { Ingress } from "../../model/objects.ts";
import { sentence } from "../../model/problem.ts";
import { emptySnapshot } from "../../model/snapshot.ts";
import { defaultOptions } from "../../table/options.ts";
import { readIngress } from "./reading.ts";

const prefix = "nginx.ingress.kubernetes.io";
const sentences = (annotations: Record<string, string>, lacks: readonly "lua"[]) => {
  const prefixed = Object.entries(annotations).map(([key, text]) => [`${prefix}/${key}`, text]);
  const metadata = { name: "web", namespace: "shop", annotations: Object.fromEntries(prefixed) };
  const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata, spec: {} } as Ingress;
  const options = { ...defaultOptions, lacks: new Set(lacks) };
  return readIngress(ingress, emptySnapshot, settingsOf(), options).problems.map(sentence);
};

const balancing = {
  affinity: "cookie",
  "affinity-mode": "persistent",
  "session-cookie-expires": "60",
  "session-cookie-change-on-failure": "true",
  "proxy-next-upstream-tries": "5",
};

const hashing = { "upstream-hash-by": "$request_uri", "upstream-hash-by-subset": "true" };

test("balancing that needs Lua is a Problem that names the annotation and the mode", () => {
  expect(sentences(balancing, ["lua"])).toEqual([
    "annotation affinity-mode has no effect: static mode finds the Endpoint of a cookie as balanced does",
    "annotation session-cookie-expires has no effect: static mode writes no dates; session-cookie-max-age does the same",
    "annotation session-cookie-change-on-failure has no effect: in static mode a retry always tries another Endpoint, and the cookie stays",
    "annotation proxy-next-upstream-tries: static mode asks each Endpoint once for a request at most",
  ]);
  expect(sentences(hashing, ["lua"])).toEqual([
    "annotation upstream-hash-by-subset has no effect: static mode hashes to one Endpoint of all, not to a group of them",
  ]);
  expect(sentences({ "load-balance": "ewma" }, ["lua"])).toEqual([
    "annotation load-balance has no effect: static mode has no ewma; requests go round in turn",
  ]);
});

test("an annotation that has no effect for two reasons is reported once", () => {
  expect(sentences({ affinity: "cookie", "load-balance": "ewma" }, ["lua"])).toEqual([
    "annotation load-balance has no effect: affinity chooses the Endpoint",
  ]);
});

test("with Lua no annotation is reported", () => {
  expect([...sentences(balancing, []), ...sentences(hashing, [])]).toEqual([]);
});

test("options of auth services and canaries that need Lua are Problems too", () => {
  const auth = {
    "auth-url": "http://auth.shop/",
    "auth-signin": "http://auth.shop/login",
    "auth-response-headers": "X-User",
  };
  expect(sentences(auth, ["lua"])).toEqual([
    "annotation auth-signin: static mode cannot escape the address that the client came from, so the page gets it up to the first &",
    "annotation auth-response-headers: static mode passes on only the first of several headers of one name, and only the first of several cookies",
  ]);
  const noPage = { "auth-url": "http://auth.shop/", "auth-signin": "https://a/?p=$http_authorization" };
  expect(sentences(noPage, ["lua"]).filter((sentence) => sentence.includes("static mode"))).toEqual([]);
  const canary = (more: Record<string, string>) => sentences({ canary: "true", ...more }, ["lua"]);
  expect(canary({ "canary-weight": "4", "canary-weight-total": "100000" })).toEqual([
    "annotation canary-weight has no effect: static mode draws in hundredths of a percent, and this share is less than half of one",
  ]);
  expect(canary({ "canary-weight": "5", "canary-weight-total": "100000" })).toEqual([]);
  expect(canary({ "canary-by-header": "x.canary" })).toEqual([
    "annotation canary-by-header has no effect: static mode cannot look for a header called x.canary",
  ]);
});

test("features of nginx itself are not reported", () => {
  const plain = { "load-balance": "round_robin", affinity: "cookie" };
  expect(sentences({ "upstream-hash-by": "$request_uri" }, ["lua"])).toEqual([]);
  expect(sentences({ ...plain, "proxy-next-upstream-tries": "1", "auth-url": "http://auth.shop/" }, ["lua"])).toEqual(
    [],
  );
});
