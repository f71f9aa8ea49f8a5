import { expect, test } from "vitest";
import { base, fake, ingress, put, service, slice } from "../../test/support/sketch.ts";
import { defaultOptions } from "../core/table/options.ts";
import { emptyQuarantine } from "../core/table/quarantine.ts";
import { Translator } from "../core/table/translator.ts";
import { emptyInputs } from "../core/table/turn.ts";
import { Failures, readFailed } from "../edges/failures.ts";
import { attentionOf } from "./attention.ts";
import type { Served } from "./page/source.ts";

const snapshot = put(
  base,
  service("web"),
  slice("web", "192.0.2.1"),
  service("none"),
  ingress({ name: "good", host: "good.example", paths: [["/", "web"]] }),
  ingress({ name: "empty", host: "empty.example", paths: [["/", "none"]] }),
  ingress({
    name: "shut",
    host: "shut.example",
    paths: [["/", "web"]],
    annotations: { "auth-type": "basic", "auth-secret": "missing" },
  }),
);
const turn = new Translator(defaultOptions, fake).turn({ ...emptyInputs, snapshot });
const parts = {
  isRunning: true,
  behind: undefined,
  refusals: emptyQuarantine,
  served: turn.configuration as Served,
  problems: [...turn.problems.values()].flat(),
  failures: new Failures(() => 0),
};

test("the worst comes first: nginx, what it refuses, routes that answer errors, mistakes", () => {
  const failures = new Failures(() => 0);
  failures.request({ host: "good.example", owner: "ns/good", path: "/" }, readFailed("502", ["1", "1", "-"], "GET"));
  const refusals = { ...emptyQuarantine, objects: new Map([["Ingress ns/odd", { why: "no" }]]) as never };
  const all = attentionOf({ ...parts, isRunning: false, behind: "a reload is under way", refusals, failures });
  expect(all.map(({ says }) => says)).toEqual([
    "nginx does not run",
    "nginx does not serve the last change: a reload is under way",
    "1 is set aside, because nginx refused it: Ingress ns/odd",
    "1 route answers 503 or 500: shut.example/",
    "1 route is failing: good.example/",
    "1 route has no endpoint: empty.example/",
    expect.stringMatching(/^1 mistake in an object: Ingress ns\/shut: annotation auth-secret: /),
  ]);
});

test("nothing needs attention if all is well", () => {
  const fine = put(
    base,
    service("web"),
    slice("web", "192.0.2.1"),
    ingress({ name: "good", host: "good.example", paths: [["/", "web"]] }),
  );
  const { configuration } = new Translator(defaultOptions, fake).turn({ ...emptyInputs, snapshot: fine });
  expect(attentionOf({ ...parts, served: configuration as Served, problems: [] })).toEqual([]);
});
