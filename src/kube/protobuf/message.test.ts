import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import {
  binaryMap,
  bool,
  inlined,
  int32,
  intOrString,
  map,
  message,
  parts,
  read,
  text,
  texts,
  time,
} from "./message.ts";
import { messageOf } from "./messages.ts";

const objectMeta = messageOf("ObjectMeta");
const writer = () => new BinaryWriter();

test("an empty value is left out only if its tag in Go says so", () => {
  const of = message({
    1: text("a"),
    2: text("b", "omitempty"),
    3: int32("c"),
    4: int32("d", "omitempty"),
    5: bool("e"),
  });
  const bytes = writer()
    .tag(1, 2)
    .string("")
    .tag(2, 2)
    .string("")
    .tag(3, 0)
    .int32(0)
    .tag(4, 0)
    .int32(0)
    .tag(5, 0)
    .bool(false);
  expect(read(of, bytes.finish())).toEqual({ a: "", c: 0, e: false });
});

test("fields that nobody declared are skipped, and only those of an object's metadata leave a mark", () => {
  const bytes = writer().tag(1, 2).string("a").tag(90, 2).string("x").tag(91, 0).int32(5).finish();
  expect(read(message({ 1: text("name") }), bytes)).toEqual({ name: "a" });
  expect(read(objectMeta, bytes)).toEqual({ name: "a", hasUnknownFields: true });
});

test("managedFields are skipped without a mark", () => {
  const bytes = writer().tag(1, 2).string("a").tag(17, 2).bytes(new Uint8Array(9)).finish();
  expect(read(objectMeta, bytes)).toEqual({ name: "a" });
});

test("a time has whole seconds in UTC, and Go's zero time is absent", () => {
  const of = message({ 1: time("at"), 2: time("never") });
  const seconds = writer().tag(1, 0).int64(1_767_323_045).tag(2, 0).int32(0).finish();
  expect(read(of, writer().tag(1, 2).bytes(seconds).tag(2, 2).bytes(new Uint8Array()).finish())).toEqual({
    at: "2026-01-02T03:04:05Z",
  });
});

test("a port is a number or a text", () => {
  const of = message({ 1: intOrString("a"), 2: intOrString("b") });
  const number = writer().tag(1, 0).int64(0).tag(2, 0).int32(8080).tag(3, 2).string("").finish();
  const name = writer().tag(1, 0).int64(1).tag(2, 0).int32(0).tag(3, 2).string("http").finish();
  expect(read(of, writer().tag(1, 2).bytes(number).tag(2, 2).bytes(name).finish())).toEqual({ a: 8080, b: "http" });
});

test("repeated fields become lists, and an inlined message adds its fields", () => {
  const inner = message({ 1: texts("names") });
  const of = message({ 1: inlined(inner), 2: parts("all", inner) });
  const some = writer().tag(1, 2).string("a").tag(1, 2).string("ä").finish();
  expect(read(of, writer().tag(1, 2).bytes(some).tag(2, 2).bytes(some).finish())).toEqual({
    names: ["a", "ä"],
    all: [{ names: ["a", "ä"] }],
  });
});

test("maps keep every key, also one that objects have from the start", () => {
  const of = message({ 1: map("data"), 2: binaryMap("bytes") });
  const entry = (key: string, value: string) => writer().tag(1, 2).string(key).tag(2, 2).string(value).finish();
  const bytes = writer().tag(1, 2).bytes(entry("__proto__", "a")).tag(1, 2).bytes(entry("b", "")).tag(2, 2);
  const { data, bytes: binary } = read(of, bytes.bytes(entry("c", "hello")).finish());
  expect(Object.entries(data as object)).toEqual([
    ["__proto__", "a"],
    ["b", ""],
  ]);
  expect(binary).toEqual({ c: "aGVsbG8=" });
});
