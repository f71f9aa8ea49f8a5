/**
 * Reads protobuf messages of Kubernetes into the objects that its JSON would give. The declaration
 * of a message names its fields by number. JSON and protobuf differ in one way that no .proto file
 * shows. A text or number that Go does not hold by a
 * pointer is always sent in protobuf, even if it is empty, and JSON leaves it out if its tag says
 * `omitempty`. Such fields are declared with that word.
 */
import { BinaryReader } from "@bufbuild/protobuf/wire";

/** Reads `length` bytes from the reader, and adds the fields in them to `into`. */
export type Message = (reader: BinaryReader, length: number, into?: Fields) => Fields;

/** What JSON.parse would have returned. */
export type Fields = Record<string, unknown>;

/** Reads one field after its tag. */
export type Field = (into: Fields, reader: BinaryReader) => void;

type Empty = "omitempty" | undefined;

/**
 * Returns a message with these fields. Fields of newer versions of Kubernetes are skipped. With
 * `onUnknown` the message says that it has such fields.
 */
export function message(fields: Readonly<Record<number, Field>>, onUnknown?: (into: Fields) => void): Message {
  return (reader, length, into = {}) => {
    const end = reader.pos + length;
    while (reader.pos < end) {
      const [number, type] = reader.tag();
      const field = fields[number];
      if (field !== undefined) field(into, reader);
      else {
        reader.skip(type, number);
        onUnknown?.(into);
      }
    }
    return into;
  };
}

/** Reads a whole message. Throws if the bytes are none. */
export function read(of: Message, bytes: Uint8Array): Fields {
  return of(new BinaryReader(bytes, utf8), bytes.length);
}

/** Node's own decoder takes half the time of a TextDecoder for short texts. */
const utf8 = (bytes: Uint8Array) => bufferOf(bytes).toString("utf8");

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array) => Buffer.from(buffer, byteOffset, length);

/** A field that is never used, such as `managedFields`. */
export const skipped = (): Field => (_, reader) => void reader.bytes();

/** A field for a declared name, whose value is absent if it is empty and the tag says so. */
const single =
  (value: (reader: BinaryReader) => string | number | boolean | undefined) =>
  (name: string, empty?: Empty): Field =>
  (into, reader) => {
    const found = value(reader);
    if (found !== undefined && (found || empty === undefined)) into[name] = found;
  };

export const text = single((reader) => reader.string());
export const int32 = single((reader) => reader.int32());
export const int64 = single((reader) => Number(reader.int64()));
export const bool = single((reader) => reader.bool());

/** A point in time, in RFC 3339 and seconds; absent if it is Go's zero time. */
export const time = single((reader) => {
  const { seconds } = instant(reader, reader.uint32()) as { readonly seconds?: number };
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
});

/** A number or a text, such as the target port of a Service. */
export const intOrString = single((reader) => {
  const { type, intVal = 0, strVal = "" } = eitherOne(reader, reader.uint32()) as EitherOne;
  return type === 1 ? strVal : intVal;
});

interface EitherOne {
  readonly type?: number;
  readonly intVal?: number;
  readonly strVal?: string;
}

const instant = message({ 1: int64("seconds"), 2: int32("nanos") });
const eitherOne = message({ 1: int64("type"), 2: int32("intVal"), 3: text("strVal") });

export const part =
  (name: string, of: Message): Field =>
  (into, reader) => {
    into[name] = of(reader, reader.uint32());
  };

/** A message whose fields JSON has among those around it. */
export const inlined =
  (of: Message): Field =>
  (into, reader) => {
    of(reader, reader.uint32(), into);
  };

const repeated =
  (value: (reader: BinaryReader) => unknown) =>
  (name: string): Field =>
  (into, reader) => {
    const list = into[name];
    if (Array.isArray(list)) list.push(value(reader));
    else into[name] = [value(reader)];
  };

export const texts = repeated((reader) => reader.string());
export const parts = (name: string, of: Message): Field => repeated((reader) => of(reader, reader.uint32()))(name);

/** A map with texts as keys. A key may be `__proto__`, which an assignment would not add. */
const mapOf = (value: Field) => {
  const entry = message({ 1: text("key"), 2: value });
  return (name: string): Field =>
    (into, reader) => {
      into[name] ??= {};
      const { key = "", value = "" } = entry(reader, reader.uint32()) as {
        readonly key?: string;
        readonly value?: string;
      };
      const options = { value, enumerable: true, configurable: true, writable: true };
      if (key === "__proto__") Object.defineProperty(into[name], key, options);
      else (into[name] as Fields)[key] = value;
    };
};

export const map = mapOf(text("value"));

/** A map whose values are base64, as in JSON. */
export const binaryMap = mapOf((into, reader) => {
  into.value = bufferOf(reader.bytes()).toString("base64");
});
