import { expect, test } from "vitest";
import type { Problem } from "../../core/model/problem.ts";
import { emptySnapshot, type Snapshot, withObjects } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import { changedObjects, changeWords } from "./changed-objects.ts";
import { openLog } from "./log.ts";
import { ProblemLog } from "./problem-log.ts";
import { SyncLog } from "./sync-log.ts";

function logged(terminal: false | { colours: boolean }, verbosity = 0) {
  const lines: string[] = [];
  return { lines, log: openLog({ verbosity, terminal, write: (text) => lines.push(text) }) };
}

test("outside a terminal a line is JSON with the level as a word", () => {
  const { lines, log } = logged(false);
  log.info({ took: "1ms" }, "applied");
  log.debug("not shown");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: "info", time: expect.stringMatching(/^\d{4}-.*Z$/), took: "1ms", msg: "applied" },
  ]);
});

test("on a terminal a line is formatted for reading", () => {
  const { lines, log } = logged({ colours: false }, 2);
  log.warn({ object: "Ingress shop/web", list: [1] }, "seen");
  log.debug("shown");
  expect(lines[0]).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN : seen: object="Ingress shop\/web" list=\[1\]\n$/);
  expect(lines[1]).toContain("DEBUG: shown");
});

const problem = (name: string, service: string): Problem => ({
  kind: "service-missing",
  object: { kind: "Ingress", namespace: "shop", name },
  field: "spec.defaultBackend",
  service,
});

test("a Problem is logged once when it appears and once when it ends, also if it moves between objects", () => {
  const { lines, log } = logged(false);
  const problems = new ProblemLog(log);
  const first = Table.from([["a", [problem("web", "x")]]] as const);
  problems.renew(first as Table<readonly Problem[]>);
  problems.renew(Table.from<readonly Problem[]>([["b", [problem("web", "x"), problem("web", "y")]]]));
  problems.renew(Table.from<readonly Problem[]>([["b", [problem("web", "y")]]]));
  problems.renew(Table.from<readonly Problem[]>([["b", [problem("web", "y")]]]));
  expect(JSON.parse(lines.at(-1)!).now).toBe(
    "spec.defaultBackend: Service x is found or not named any more; one other problem of it remains",
  );
  expect(
    lines
      .map((line) => JSON.parse(line))
      .map(({ msg, problem, now }) => [msg, (problem ?? now).match(/Service (\S+)/)[1]]),
  ).toEqual([
    ["problem", "x"],
    ["problem", "y"],
    ["problem gone", "x"],
  ]);
});

test("a Problem that ends because nginx refused its object is not logged as resolved", () => {
  const { lines, log } = logged(false);
  const problems = new ProblemLog(log);
  const missing = problem("web", "x");
  const refused: Problem = { kind: "nginx-refused", object: missing.object, why: "unknown directive" };
  problems.renew(Table.from<readonly Problem[]>([["a", [missing]]]));
  problems.renew(Table.from<readonly Problem[]>([["a", [refused]]]));
  problems.renew(Table.empty());
  const gone = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "problem gone");
  expect(gone.map(({ kind, now }) => [kind, now])).toEqual([
    ["service-missing", "nginx refused this version, so nothing else of it is judged until it changes"],
    ["nginx-refused", "nginx accepts it, or its refused version is gone"],
  ]);
});

test("a new Problem has the file and line of its object, which is looked up for the first 200 only", () => {
  const { lines, log } = logged(false);
  let looked = 0;
  const problems = new ProblemLog(log, () => `web.yaml:${++looked}`);
  const many = Array.from({ length: 1_000 }, (_, at) => problem("web", `x${at}`));
  problems.renew(Table.from<readonly Problem[]>([["a", many]]));
  problems.renew(Table.from<readonly Problem[]>([["b", many]]));
  const places = lines.map((line) => JSON.parse(line).at);
  expect(places).toHaveLength(1_000);
  expect(places.slice(0, 2)).toEqual(["web.yaml:1", "web.yaml:2"]);
  expect([looked, places.at(-1)]).toEqual([200, undefined]);
});

test("a sync is one line with the changes, the reason for the reload and the time of each stage", () => {
  const { lines, log } = logged({ colours: false });
  const sync = new SyncLog(log);
  const object = { apiVersion: "v1", kind: "Service", metadata: { namespace: "shop", name: "web" } } as const;
  const snapshot = withObjects(emptySnapshot, [{ kind: "Service", key: "shop/web", object }]);
  const times = { translateMs: 1.25, renderMs: 2, publishMs: 30.4, tookMs: 50 };
  sync.synced({ change: { kind: "data" }, records: { host: 2 }, ...times }, snapshot);
  sync.synced({ change: { kind: "none" }, records: {}, ...times }, snapshot);
  const reload = { kind: "reloaded", tookMs: 40, warnings: [] } as const;
  sync.synced({ change: { kind: "reload", why: ["settings"] }, records: {}, reload, ...times }, emptySnapshot);
  expect(lines.map((line) => line.replace(/^\S+ /, ""))).toEqual([
    'INFO : applied without a reload: changed="Service shop/web added" published="host 2" took=50ms translate=1.3ms render=2.0ms publish=30ms\n',
    'INFO : applied with a reload: changed="Service shop/web removed" why=settings took=50ms translate=1.3ms render=2.0ms publish=30ms reload=40ms\n',
  ]);
});

test("Namespaces that are no longer followed are not logged as removed, and the others are", () => {
  const object = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }) as const;
  const named = (...names: readonly string[]) =>
    withObjects(
      emptySnapshot,
      names.map((name) => ({ kind: "Namespace", key: name, object: object(name) })),
    );
  const both = named("default", "shop");
  const words = (before: Snapshot, after: Snapshot) => changeWords(changedObjects(before, after));
  const one = withObjects(both, [{ kind: "Namespace", key: "shop", object: undefined }]);
  expect([words(both, one), words(one, both)]).toEqual(["Namespace shop removed", "Namespace shop added"]);
  expect([words(both, emptySnapshot), words(emptySnapshot, both)]).toEqual(["", ""]);
});

test("a disk that refuses writes is logged once, beside the changes that are live, and once when it is over", () => {
  const { lines, log } = logged(false);
  const sync = new SyncLog(log);
  const times = { translateMs: 1, renderMs: 2, publishMs: 3, tookMs: 4 };
  const report = { change: { kind: "data" }, records: { host: 1 }, ...times } as const;
  const unwritten = new Error("EROFS: read-only file system");
  for (const more of [{ unwritten }, { unwritten }, {}, {}]) sync.synced({ ...report, ...more }, emptySnapshot);
  const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg !== "applied without a reload");
  expect(told.map(({ level, msg, cause }) => [level, msg, cause])).toEqual([
    [
      "error",
      "the run folder cannot be written: changes of data are live, but a restart would lose them; trying again",
      "EROFS: read-only file system",
    ],
    ["info", "the run folder can be written again, and has everything", undefined],
  ]);
});

test("a warning of nginx is logged once, until a reload has none", () => {
  const { lines, log } = logged({ colours: false });
  const sync = new SyncLog(log);
  const warned = (pid: number, ...texts: string[]) => {
    const warnings = texts.map((text) => `2026/11/23 10:55:0${pid} [warn] ${pid}#${pid}: ${text}`);
    const reload = { kind: "reloaded", tookMs: 40, warnings } as const;
    const times = { translateMs: 1, renderMs: 2, publishMs: 30, tookMs: 50 };
    sync.synced({ change: { kind: "reload", why: ["settings"] }, records: {}, reload, ...times }, emptySnapshot);
    return lines.splice(0).filter((line) => line.includes("nginx warns")).length;
  };
  expect(warned(1, "one", "one", "two")).toBe(2);
  expect(warned(2, "two", "three")).toBe(1);
  expect(warned(3, "one")).toBe(1);
});
