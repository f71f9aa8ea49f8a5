import { BinaryWriter } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { expect, test } from "vitest";
import { eventIn, frames, listIn, listParts, listPartsOf, statusIn } from "./envelope.ts";
import { message, part, text } from "./message.ts";
import { messageOf } from "./messages.ts";

/** Puts a message into the envelope in which the API server sends it. */
function enveloped(content: Uint8Array): Buffer {
  const typeMeta = new BinaryWriter().tag(1, 2).string("v1").tag(2, 2).string("Any").finish();
  const whole = new BinaryWriter().tag(1, 2).bytes(typeMeta).tag(2, 2).bytes(content).tag(3, 2).string("").finish();
  return Buffer.concat([Buffer.from("k8s\0"), whole]);
}

const objectMeta = messageOf("ObjectMeta");
const writer = () => new BinaryWriter();
const metadata = (name: string) => writer().tag(1, 2).bytes(writer().tag(1, 2).string(name).finish()).finish();
const kind = message({ 1: part("metadata", objectMeta), 2: text("type") });

test("a list has its version, its token and its items", () => {
  const head = writer().tag(2, 2).string("7").tag(3, 2).string("next").finish();
  const body = writer().tag(1, 2).bytes(head).tag(2, 2).bytes(metadata("a")).tag(2, 2).bytes(metadata("b")).finish();
  expect(listIn(enveloped(body), kind)).toEqual({
    metadata: { resourceVersion: "7", continue: "next" },
    items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }],
  });
});

test("an event has an object of its kind, and the event ERROR has a Status", () => {
  const status = writer().tag(3, 2).string("too old").tag(6, 0).int32(410).finish();
  const raw = (object: Uint8Array) => writer().tag(1, 2).bytes(enveloped(object)).finish();
  const frame = (type: string, object: Uint8Array) =>
    framed(writer().tag(1, 2).string(type).tag(2, 2).bytes(raw(object)).finish());
  expect(eventIn(frame("ADDED", metadata("a")), kind)).toEqual({ type: "ADDED", object: { metadata: { name: "a" } } });
  expect(eventIn(frame("ERROR", status), kind)).toEqual({ type: "ERROR", object: { message: "too old", code: 410 } });
});

test.each(["{}", "", "k8s"])("the body %j is refused", (body) => {
  expect(() => statusIn(Buffer.from(body))).toThrow("no protobuf of Kubernetes");
});

test("a message that ends too early is refused", () => {
  const whole = enveloped(metadata("long enough"));
  expect(() => listIn(whole.subarray(0, whole.length - 4), kind)).toThrow();
});

/** Cuts the bytes where the numbers say, and returns the parts that come out. */
function partsOf(cutter: ReturnType<typeof frames>, bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
  return at.slice(1).flatMap((end, index) => [...cutter.after(bytes.subarray(at[index], end))]);
}

const cuts = fc.array(fc.nat(300));
const tagOfType = Buffer.of(0x0a);

test("a watch gives the same frames however its bytes arrive", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), cuts, (contents, at) => {
      const whole = contents.map((content) => framed(Buffer.concat([tagOfType, content])));
      expect(partsOf(frames(), Buffer.concat(whole), at)).toEqual(whole);
    }),
  );
});

test.each([
  ["a length of two gigabytes", Buffer.of(128, 0, 0, 0)],
  ["the first byte of no event", Buffer.of(0, 0, 0, 9, 8)],
  ["a line of JSON", Buffer.from('{"type"')],
])("a watch refuses a frame with %s before the frame is complete", (_what, bytes) => {
  expect(() => [...frames().after(bytes)]).toThrow();
});

test("a list gives the same items however its bytes arrive, and shows whether its end is missing", () => {
  const names = fc.array(fc.string({ maxLength: 200 }));
  fc.assert(
    fc.property(names, cuts, (some, at) => {
      const head = writer().tag(2, 2).string("7").finish();
      const list = some.reduce((all, name) => all.tag(2, 2).bytes(metadata(name)), writer().tag(1, 2).bytes(head));
      const body = enveloped(list.finish());
      const parts = listParts();
      const found = partsOf(parts, body, at).map(listPartsOf(kind));
      expect(found.filter(({ metadata }) => metadata)).toEqual([{ metadata: { resourceVersion: "7" } }]);
      const items = some.map((name) => ({ item: { metadata: name === "" ? {} : { name } } }));
      expect(found.filter(({ item }) => item)).toEqual(items);
      expect(parts.isComplete).toBe(true);
      const cut = listParts();
      partsOf(cut, body.subarray(0, -1), at);
      expect(cut.isComplete).toBe(false);
    }),
  );
});

test("a list in JSON is refused at its first part", () => {
  const read = listPartsOf(kind);
  const json = Buffer.from(JSON.stringify({ kind: "List", items: Array.from({ length: 99 }, () => ({})) }));
  expect(() => [...listParts().after(json)].map(read)).toThrow("no protobuf of Kubernetes");
});

function framed(content: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(content.length);
  return Buffer.concat([head, content]);
}
