import { expect, test } from "vitest";
import { settingsOf } from "../../test/support/reading.ts";
import type { Ingress } from "../model/objects.ts";
import { emptySnapshot } from "../model/snapshot.ts";
import { sentence } from "../problem.ts";
import { defaultOptions } from "./options.ts";
import { readIngress } from "./reading.ts";

const prefix = "nginx.ingress.kubernetes.io";
const said = (annotations: Record<string, string>, lacks: readonly "lua"[]) => {
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
  "load-balance": "ewma",
  "upstream-hash-by": "$request_uri",
  "upstream-hash-by-subset": "true",
};

test("what nginx cannot balance by itself is said where there is no Lua, by annotation and mode", () => {
  expect(said(balancing, ["lua"])).toEqual([
    "annotation affinity-mode has no effect: static mode finds the Endpoint of a cookie as balanced does",
    "annotation session-cookie-expires has no effect: static mode writes no dates; session-cookie-max-age does the same",
    "annotation load-balance has no effect: static mode has no ewma; requests go round in turn",
    "annotation upstream-hash-by-subset has no effect: static mode hashes to one Endpoint of all, not to a group of them",
  ]);
});

test("with Lua there is nothing to say", () => {
  expect(said(balancing, [])).toEqual([]);
});

test("what nginx does by itself is not complained of", () => {
  expect(said({ "upstream-hash-by": "$request_uri", "load-balance": "round_robin" }, ["lua"])).toEqual([]);
});
