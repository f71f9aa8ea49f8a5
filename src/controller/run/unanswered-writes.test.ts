import { expect, test } from "vitest";
import type { SentRequest } from "../../kube/index.ts";
import { UnansweredWrites } from "./unanswered-writes.ts";

const path = "/apis/networking.k8s.io/v1/namespaces/shop/ingresses/web/status";
const silent: SentRequest = { verb: "update", path, code: 0, reason: "Silent", tookMs: 15_000 };
const answered: SentRequest = { verb: "update", path, code: 409, tookMs: 3 };
const lease = "/apis/coordination.k8s.io/v1/namespaces/ingress/leases/leader";

test.each<[string, readonly SentRequest[], number]>([
  ["two writes without an answer", [silent, silent], 1],
  ["an answered read between them", [silent, { ...answered, verb: "get" }, silent], 1],
  ["a renewal of the Lease between them", [silent, { ...answered, path: lease }, silent], 1],
  ["an answered write between them, even a refusal", [silent, answered, silent], 0],
  ["one without an answer", [silent], 0],
  ["a server that is not reached", [silent, { ...silent, reason: "Unreachable" }], 0],
  ["Events without an answer", [silent, { ...silent, verb: "create", path: "/api/v1/namespaces/shop/events" }], 0],
])("%s: the leader resigns as often as it should", (_what, requests, times) => {
  const writes = new UnansweredWrites();
  const reasons: string[] = [];
  writes.onTooMany((why) => reasons.push(why));
  for (const request of requests) writes.note(request);
  expect(reasons).toEqual(Array.from({ length: times }, () => "2 writes in a row got no answer within 15 s each"));
});
