import { expect, test } from "vitest";
import { base, ingress, put, service, turnTo } from "../../../test/support/sketch.ts";
import type { IngressClass } from "../model/objects.ts";
import { sentence } from "../model/problem.ts";
import { Table } from "../model/table.ts";
import { IngressSource } from "../sources/ingress/source.ts";
import { Claims } from "./claims.ts";
import { emptyLastGood } from "./last-good.ts";
import { defaultOptions } from "./options.ts";
import { Problems } from "./problems.ts";
import { emptyQuarantine, versionOf } from "./quarantine.ts";

const a = ingress({ name: "a", host: "a.example" });
const b = ingress({ name: "b", host: "b.example", age: 1 });
const world = put(base, a, b);

function begun(snapshot = world) {
  const problems = new Problems();
  const ingresses = new IngressSource(defaultOptions, problems);
  const claims = new Claims([ingresses], problems);
  const hosts = claims.renew(turnTo(snapshot));
  return { claims, ingresses, problems, hosts };
}

test("a change of an Ingress names its former and its new hosts, and no others", () => {
  const { claims, hosts } = begun();
  expect(hosts).toEqual(new Set(["a.example", "b.example"]));
  expect(claims.renew(turnTo(world, world))).toEqual(new Set());
  const moved = put(world, ingress({ name: "a", host: "c.example" }));
  expect(claims.renew(turnTo(moved, world))).toEqual(new Set(["a.example", "c.example"]));
  expect(claims.of("a.example")).toEqual([]);
});

test("the Claims of a host are the oldest first", () => {
  const { claims } = begun(put(world, ingress({ name: "old", host: "a.example", age: 9 })));
  expect(claims.of("a.example").map(({ key }) => key)).toEqual(["Ingress ns/old", "Ingress ns/a"]);
});

test("an Ingress is read again when an object that it names changes", () => {
  const named = put(world, ingress({ name: "a", host: "a.example", annotations: { "default-backend": "spare" } }));
  const { claims } = begun(named);
  expect(claims.renew(turnTo(put(named, service("other")), named))).toEqual(new Set());
  expect(claims.renew(turnTo(put(named, service("spare")), named))).toEqual(new Set(["a.example"]));
});

test("a last good form is read again when an object that it alone names changes", () => {
  const good = put(base, ingress({ name: "a", host: "a.example", annotations: { "default-backend": "spare" } }));
  const { claims, ingresses: source } = begun(good);
  const refused = put(good, ingress({ name: "a", host: "a.example", annotations: { "load-balance": "fastest" } }));
  claims.renew(turnTo(refused, good));
  const { lastGood: objects } = source;
  const turn = turnTo(put(refused, service("spare")), refused, { lastGood: { ...emptyLastGood, objects } });
  const before = { ...turn.before, lastGood: turn.now.lastGood };
  expect(claims.renew({ ...turn, before })).toEqual(new Set(["a.example"]));
});

test("without its class no Ingress is accepted, and none has a Problem", () => {
  const { claims, ingresses, problems } = begun(
    put(world, ingress({ name: "a", host: "a.example", annotations: { "proxy-read-timeout": "x" } })),
  );
  expect([...ingresses.accepted].sort()).toEqual(["ns/a", "ns/b"]);
  expect([...problems.byOwner.keys()]).toEqual(["Ingress ns/a"]);
  const without = {
    ...world,
    ingressClasses: Table.empty<IngressClass>(),
  };
  expect(claims.renew(turnTo(without, world))).toEqual(new Set(["a.example", "b.example"]));
  expect(ingresses.accepted.size).toBe(0);
  expect(problems.byOwner.size).toBe(0);
});

test.each([
  ["goes on being served", {}, "old.example", undefined, "the last good version is still served, if there is one"],
  [
    "is closed where the refused version guards more",
    { "whitelist-source-range": "192.0.2.0/24" },
    "new.example",
    { kind: "nginx-refused" },
    "its paths answer 503, because it may guard more than the last good version",
  ],
])("the last good form of an Ingress that nginx refused %s", (_, annotations, host, closed, done) => {
  const good = ingress({ name: "a", host: "old.example" });
  const bad = ingress({ name: "a", host: "new.example", annotations });
  const { claims, ingresses, problems } = begun(put(base, good));
  const quarantine = {
    ...emptyQuarantine,
    objects: new Map([["Ingress ns/a", { version: versionOf(bad), why: "no" }]]),
  };
  claims.renew(turnTo(put(base, bad), put(base, good), { quarantine }));
  expect(claims.of(host)).toMatchObject([{ key: "Ingress ns/a", closed }]);
  expect(ingresses.lastGood.get("Ingress ns/a")).toBe(good);
  expect(problems.byOwner.get("Ingress ns/a")?.map(sentence)).toEqual([`nginx refused it: no; ${done}`]);
});

test("the Problem of an unreadable version that may guard more than the last good one says that its paths are closed", () => {
  const good = ingress({ name: "a", host: "a.example" });
  const annotations = { "client-body-buffer-size": "big", "whitelist-source-range": "192.0.2.0/24" };
  const { claims, problems } = begun(put(base, good));
  claims.renew(turnTo(put(base, ingress({ name: "a", host: "a.example", annotations })), put(base, good)));
  expect(claims.of("a.example")[0]?.closed).toMatchObject({ key: "client-body-buffer-size" });
  expect(problems.byOwner.get("Ingress ns/a")?.map(sentence)).toEqual([
    expect.stringMatching(/^annotation client-body-buffer-size: "big" is not .*; the Ingress is not applied$/),
    "metadata.annotations: the present version is not applied; its paths answer 503, because it may guard more than the last good version",
  ]);
});
