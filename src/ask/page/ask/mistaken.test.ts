import { expect, test } from "vitest";
import { gistOf } from "../../../core/model/gist.ts";
import { emptySnapshot } from "../../../core/model/snapshot.ts";
import { mistakenFor, mistakenForAll } from "./mistaken.ts";

/** A world with one Ingress that cannot be read. */
function worldWith(spec: object) {
  const object = { kind: "Ingress", namespace: "shop", name: "web" };
  const problem = {
    kind: "manifest-unusable",
    ...{ object, at: { file: "a.yaml", line: 7, column: 1 }, field: "spec", why: "it needs rules" },
    done: "it is not applied",
    fatal: true,
  } as const;
  const unread = [{ kind: "Ingress", key: "shop/web", ...gistOf({ metadata: {}, spec }) }];
  return { snapshot: emptySnapshot, findings: [{ severity: "error", at: problem.at, problem }] as const, unread };
}

test("an Ingress without rules takes no host, and is named for those of its TLS section", () => {
  const world = worldWith({ tls: [{ hosts: ["Secure.example"] }] });
  expect(mistakenForAll(["Ingress"], world)).toEqual([]);
  expect(mistakenForAll(["Ingress"], worldWith({}))).toEqual([]);
  expect(mistakenFor("secure.example", ["Ingress"], world)).toEqual([
    "Ingress shop/web names this host; correct it (a.yaml:7): spec: it needs rules; it is not applied",
  ]);
});

test("an Ingress with a default backend, or with a rule without a host, takes all hosts", () => {
  const takesAll = ["Ingress shop/web takes all hosts; correct it (a.yaml:7): spec: it needs rules; it is not applied"];
  expect(mistakenForAll(["Ingress"], worldWith({ defaultBackend: {}, tls: [{ hosts: ["a.example"] }] }))).toEqual(
    takesAll,
  );
  expect(mistakenForAll(["Ingress"], worldWith({ rules: [{ http: {} }] }))).toEqual(takesAll);
});
