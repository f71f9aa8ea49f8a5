/**
 * Takes a body apart while it arrives, so that it is never whole in memory. The parts are frames of
 * a watch, or fields of a list. Bytes of another form become parts that cannot be read. If they
 * would have to be waited for, they are refused at once.
 */

/**
 * The most bytes of one object. etcd takes 1.5 MB, and some operators raise that several times. So
 * a longer object is none, and nothing waits for its end.
 */
export const mostBytes = 64 * 1024 * 1024;

/**
 * Returns where the part that begins at `at` ends. An end beyond the bytes asks for as many as it
 * needs to go on. `index` counts the parts.
 */
type EndOf = (bytes: Buffer, at: number, index: number) => number;

export class Cutter {
  readonly #endOf: EndOf;
  #pieces: Buffer[] = [];
  #length = 0;
  #needed = 1;
  #index = 0;

  constructor(endOf: EndOf) {
    this.#endOf = endOf;
  }

  /** Whether the last part is complete. */
  get isComplete(): boolean {
    return this.#length === 0;
  }

  /** Returns the parts that the piece completes. Throws if the next part would be too long. */
  *after(piece: Buffer): Generator<Buffer> {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length < this.#needed) return;
    const bytes = Buffer.concat(this.#pieces, this.#length);
    let at = 0;
    let end = this.#endOf(bytes, at, this.#index);
    while (end <= bytes.length && at < bytes.length) {
      yield bytes.subarray(at, end);
      at = end;
      this.#index += 1;
      end = this.#endOf(bytes, at, this.#index);
    }
    this.#pieces = [bytes.subarray(at)];
    this.#length = bytes.length - at;
    this.#needed = end - at;
    if (this.#needed > mostBytes) throw new Error("a part that is too long");
  }
}

/** The bytes of a length in front of each frame. */
export const frameHead = 4;

/** The tag of the first field of a WatchEvent, its type. */
const firstTag = 0x0a;

/** Throws if the frame is no WatchEvent. Its length would be any number, and never reached. */
export function endOfFrame(bytes: Buffer, at: number): number {
  const head = at + frameHead;
  if (bytes.length > head && bytes[head] !== firstTag) throw new Error("a frame that is no event");
  return head > bytes.length ? head : head + bytes.readUInt32BE(at);
}

/** The bytes in front of every body. */
export const magicLength = 4;

/**
 * The first part of a list is what stands before its first field: the magic bytes, the name of the
 * kind, and the head of the field with the list. Each further part is a field of the list, and the
 * last two are fields of the envelope.
 */
export function endOfListPart(bytes: Buffer, at: number, index: number): number {
  return index === 0 ? endOfHead(bytes, endOfField(bytes, at + magicLength)) : endOfField(bytes, at);
}

function endOfField(bytes: Buffer, at: number): number {
  const end = endOfHead(bytes, at);
  return end > bytes.length ? end : end + lengthIn(bytes, at);
}

/** Returns the end of the tag and the length of a field, which are one varint each. */
function endOfHead(bytes: Buffer, at: number): number {
  return endOfVarint(bytes, endOfVarint(bytes, at));
}

function endOfVarint(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && bytes[end]! >= 128) end += 1;
  return end + 1;
}

function lengthIn(bytes: Buffer, at: number): number {
  let value = 0;
  let scale = 1;
  for (let next = endOfVarint(bytes, at); ; next += 1) {
    const byte = bytes[next]!;
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte < 128) return value;
  }
}
