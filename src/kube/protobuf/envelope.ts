/**
 * The forms in which the API server sends protobuf. A body has four bytes in front (`k8s` and a
 * zero) and an envelope (runtime.Unknown) around the message. A watch has frames, each after its
 * length in four bytes. A frame is a bare WatchEvent, and the object in it has an envelope again.
 */
import { Cutter, endOfFrame, endOfListPart, frameHead, magicLength } from "./cutter.ts";
import { type Fields, type Message, message, part, parts, read, text } from "./message.ts";
import { messageOf } from "./messages.ts";

export const protobufType = "application/vnd.kubernetes.protobuf";

/** Reads a list with items of this kind. Throws if the bytes are none. */
export function listIn(body: Uint8Array, item: Message): Fields {
  return read(message({ 1: part("metadata", listMeta), 2: parts("items", item) }), contentOf(body));
}

/** Reads the Status of a refusal. Throws if the bytes are none. */
export function statusIn(body: Uint8Array): Fields {
  return read(status, contentOf(body));
}

/**
 * Reads one frame of a watch. Throws if the bytes are none. The object of an `ERROR` is a Status.
 */
export function eventIn(frame: Uint8Array, of: Message): Fields {
  const { type, object } = read(watchEvent, frame.subarray(frameHead)) as {
    readonly type?: string;
    readonly object?: Raw;
  };
  const content = contentOf(object?.raw ?? new Uint8Array());
  return { type, object: read(type === "ERROR" ? status : of, content) };
}

const listMeta = messageOf("ListMeta");
const status = messageOf("Status");

interface Raw {
  readonly raw?: Uint8Array;
}

const rawExtension = message({
  1: (into, reader) => {
    into.raw = reader.bytes();
  },
});
const watchEvent = message({ 1: text("type"), 2: part("object", rawExtension) });
const envelope = message({
  2: (into, reader) => {
    into.raw = reader.bytes();
  },
});

const magic = "k8s\0";

const hasMagic = (body: Uint8Array): boolean => Buffer.from(body.subarray(0, magicLength)).toString("latin1") === magic;

function contentOf(body: Uint8Array): Uint8Array {
  if (!hasMagic(body)) throw new Error("no protobuf of Kubernetes");
  return (read(envelope, body.subarray(magicLength)) as Raw).raw ?? new Uint8Array();
}

/** A watch that arrives in frames. */
export const frames = (): Cutter => new Cutter(endOfFrame);

/** A list that arrives in parts. */
export const listParts = (): Cutter => new Cutter(endOfListPart);

/** A part of a list: its metadata, an item, or nothing of interest. */
export interface ListPart {
  readonly metadata?: Fields;
  readonly item?: Fields;
}

/** Returns the reader of the parts of one list. It throws if the bytes are none. */
export function listPartsOf(item: Message): (part: Uint8Array) => ListPart {
  const field = message({ 1: part("metadata", listMeta), 2: part("item", item) });
  let isFirst = true;
  return (part) => {
    if (!isFirst) return read(field, part);
    isFirst = false;
    if (!hasMagic(part)) throw new Error("no protobuf of Kubernetes");
    return {};
  };
}
