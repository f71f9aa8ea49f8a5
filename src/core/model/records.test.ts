import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  inOrder,
  isReplaced,
  type RecordChange,
  recordFields,
  recordsVersion,
  replacedBy,
  replacedKey,
} from "./records.ts";

const root = join(import.meta.dirname, "../../../nginx/lua");
const lua = globSync("**/*.lua", { cwd: root }).map((path) =>
  readFileSync(join(root, path), "utf8").replace(/--.*/g, ""),
);

/** For each kind of object, the Lua variables that hold one. */
const variables: Readonly<Record<keyof typeof recordFields, readonly string[]>> = {
  host: ["record", "wildcard"],
  location: ["location"],
  standIn: ["named", "standIn"],
  canary: ["canary"],
  upstream: ["upstream", "alternative", "other"],
  balance: ["balance"],
  patterns: ["list"],
  backend: ["backend"],
  choice: ["choice"],
  scope: ["scope"],
  listener: ["listener"],
  filters: ["filters"],
  redirect: ["redirect"],
  rewrite: ["change"],
  steering: ["steering"],
  changes: ["changes"],
  cors: ["cors"],
  session: ["session"],
  question: ["question"],
};

/** Fields that Lua itself adds to a decoded record, and functions with such names. */
const ownFields: readonly string[] = [
  ...["record.by_path", "record.several", "location.labels", "upstream.ring", "upstream.by_key", "upstream.keys"],
  ...["upstream.position", "upstream.groups", "upstream.sessions", "canary.choose"],
  ...[
    "backend.labels",
    "backend.labels_for",
    "cors.answer",
    "cors.is_preflight",
    "listener.before_host",
    "ngx.location.capture",
  ],
];

test.each(Object.keys(recordFields) as (keyof typeof recordFields)[])(
  "the Lua reads each declared field of %s, and no other",
  (kind) => {
    const reading = new RegExp(
      `(?<![\\w"/.]|require\\("sluice)\\b((?:\\w+\\.)?(?:${variables[kind].join("|")}))\\.(\\w+)\\b(?!["/])`,
      "g",
    );
    const read = lua.flatMap((text) =>
      [...text.matchAll(reading)].filter(([found]) => !ownFields.includes(found)).map(([, , field]) => field!),
    );
    expect([...new Set(read)].filter((field) => !(recordFields[kind] as readonly string[]).includes(field))).toEqual(
      [],
    );
    const somewhere = lua.join("\n");
    const unread = recordFields[kind].filter((field) => !new RegExp(`\\.${field}\\b`).test(somewhere));
    expect(unread).toEqual([]);
  },
);

test("records come after those that they name, and are removed before those", () => {
  const changes: RecordChange[] = [
    ["upstream u", undefined],
    ["host a", "{}"],
    ["host b", undefined],
    ["pair p", "{}"],
    ["upstream v", "{}"],
    ["before host a", "[]"],
  ];
  expect(inOrder(changes).map(([key]) => key)).toEqual([
    ...["before host a", "pair p", "upstream v", "host a", "host b", "upstream u"],
  ]);
});

test("the key of replaced versions leads back to the record", () => {
  expect(isReplaced(replacedKey("host a"))).toBe(true);
  expect(replacedBy(replacedKey("host a"))).toBe("host a");
});

test("the Lua reads records of this version", () => {
  expect(lua.join("\n")).toContain(`\nlocal version = "${recordsVersion}"\n`);
});
