import { setImmediate as turnOfLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { gateway, gatewayClass, route, serviceIn } from "../../../../test/support/gateways.ts";
import { ingress, ingressClass } from "../../../../test/support/ingress.ts";
import { fake, put } from "../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../../core/model/objects.ts";
import { emptySnapshot } from "../../../core/model/snapshot.ts";
import { defaultOptions } from "../../../core/table/options.ts";
import { translate } from "../../../core/table/translator.ts";
import { emptyInputs } from "../../../core/table/turn.ts";
import { shadowReports } from "../../matcher/shadow/report.ts";
import { EndedShadows } from "./ended.ts";
import { shadowList, shadowListing, shadowRows } from "./rows.ts";

const options = { ownPaths: [], builtInPort: 8181, ports: { http: 80, https: 443 } };
const own = ingress({ name: "web", host: "a.test", paths: [["/", "web", "Prefix"]] });
const world = put(
  emptySnapshot,
  ...[
    gatewayClass(),
    ingressClass as KubernetesObject,
    gateway({}),
    own,
    serviceIn("ns", "web"),
    serviceIn("ns", "new"),
  ],
);
const plain = route({ hostnames: ["a.test"], rules: [{ backendRefs: [{ name: "new", port: 80 }] }] });

/** Returns a Configuration with the route in shadow, with the route serving, or without it. */
function configuration(state: "shadow" | "serves" | "gone") {
  const annotations = state === "shadow" ? { "sluice.dev/shadow": "true" } : {};
  const objects = state === "gone" ? [] : [{ ...plain, metadata: { ...plain.metadata, annotations } }];
  return translate(
    { ...emptyInputs, snapshot: put(world, ...objects) },
    { ...defaultOptions, gateway: { ...defaultOptions.gateway, shared: "ns/gw" } },
    fake,
  ).configuration;
}

const counted = (requests: number, example = "GET http://a.test/x?id=") =>
  JSON.stringify([requests, "ns/gw/http\ta.test\troute\tns/route\t\t/\tingress\tns/web\t\t/", example]);

function started() {
  const state = { served: configuration("shadow"), lines: counted(3), isAway: false };
  let changes = 0;
  let looks = 0;
  const ended = new EndedShadows({
    configuration: () => state.served,
    counts: async () => {
      looks++;
      if (state.isAway) throw new Error("nginx is away");
      return state.lines;
    },
    options,
    now: () => new Date(1_000),
    changed: () => changes++,
    pause: () => turnOfLoop(),
  });
  const turn = (served: typeof state.served, lines = state.lines) => {
    Object.assign(state, { served, lines });
    ended.turned();
  };
  const rows = () => shadowRows(shadowReports(state.served, state.lines, options), ended.all, state.served);
  ended.turned();
  return { state, ended, turn, rows, figures: () => ({ changes, looks }) };
}

test("a route that leaves the shadow keeps its differences and the reason", async () => {
  const { ended, turn, rows, figures } = started();
  const row = {
    ...{ host: "a.test", path: "/", route: "ns/route", listener: "ns/gw/http", now: "Ingress ns/web (/)" },
    differences: [{ kind: "answer", means: "they get another answer" }],
    requests: 3,
    example: "GET http://a.test/x?id=",
  };
  expect(rows()).toMatchObject([{ ...row, state: "in shadow", until: null }]);
  turn(configuration("serves"), counted(5));
  await expect.poll(() => ended.all.length).toBe(1);
  const after = { ...row, requests: 5, until: "1970-01-01T00:00:01.000Z" };
  expect(rows()).toMatchObject([{ ...after, state: "serves now" }]);
  expect(figures()).toEqual({ changes: 1, looks: 1 });
  turn(configuration("gone"));
  expect(rows()).toMatchObject([{ ...after, state: "serves nothing" }]);
  expect(figures().looks).toBe(1);
});

test("turns in quick succession cause one reading, and a route that returns to the shadow continues counting", async () => {
  const { ended, turn, rows, figures } = started();
  for (const state of ["serves", "shadow", "gone"] as const) turn(configuration(state));
  await expect.poll(() => ended.all.length).toBe(1);
  expect(figures()).toEqual({ changes: 1, looks: 1 });
  turn(configuration("shadow"), counted(9));
  expect(rows()).toMatchObject([{ state: "in shadow", requests: 9 }]);
  turn(configuration("serves"), counted(10));
  await expect.poll(() => figures().looks).toBe(2);
  await expect.poll(() => ended.all.map(({ report }) => report.requests)).toEqual([10]);
});

test("an nginx that does not answer ends nothing, and the next turn makes up for it", async () => {
  const { state, ended, turn, figures } = started();
  state.isAway = true;
  turn(configuration("serves"));
  await expect.poll(() => figures().looks).toBe(1);
  await turnOfLoop();
  state.isAway = false;
  turn(configuration("shadow"));
  turn(configuration("gone"));
  await expect.poll(() => ended.all.length).toBe(1);
});

test("without a route in shadow no figures are requested from nginx", () => {
  const { turn, figures } = started();
  turn(configuration("shadow"));
  expect(figures().looks).toBe(0);
});

test("an example URL has no password, and no values of its query", () => {
  const example = "GET http://a.test/to/http://me:hunter2@b.test/?id=&eyJ0b2tlbiI6MX0";
  const reports = shadowReports(configuration("shadow"), counted(1, example), options);
  expect(shadowRows(reports, [], undefined).map((row) => row.example)).toEqual([
    "GET http://a.test/to/http://…@b.test/?id=&…",
  ]);
  expect(shadowList(shadowListing(shadowRows(reports, [], undefined)), query)).toMatchObject({
    total: 1,
    matched: 1,
    requests: 1,
    same: 0,
  });
});

const query = { words: ["answer", "a.test/"], sort: "requests", descending: true, offset: 0, limit: 10 };
