/**
 * Writes DER (X.690), as far as our own certificates need it. A library for all of ASN.1 would take
 * 5 MB of memory as long as the controller runs, and only two certificates are written here.
 */

type Bytes = Uint8Array;

const universal = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export const sequence = (...parts: readonly Bytes[]): Bytes => element(universal.sequence, ...parts);

export const set = (...parts: readonly Bytes[]): Bytes => element(universal.set, ...parts);

/** Writes an explicit tag: `[tag]` around a value that keeps its own type. */
export const explicit = (tag: number, value: Bytes): Bytes => element(0xa0 | tag, value);

/** Writes an implicit tag: `[tag]` in place of the type of a value that has no parts. */
export const implicit = (tag: number, content: Bytes): Bytes => element(0x80 | tag, content);

export const boolean = (value: boolean): Bytes => element(universal.boolean, Uint8Array.of(value ? 0xff : 0));

export const nothing: Bytes = element(universal.null);

/** Writes a whole number. `bytes` are an unsigned number, the most significant byte first. */
export function integer(bytes: Bytes): Bytes {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Uint8Array.of(0) : bytes.subarray(first);
  return element(universal.integer, digits[0]! >= 0x80 ? Uint8Array.of(0) : Uint8Array.of(), digits);
}

/**
 * Writes a bit string. `unused` is the number of bits at the end of the last byte that do not
 * count.
 */
export const bitString = (bytes: Bytes, unused = 0): Bytes =>
  element(universal.bitString, Uint8Array.of(unused), bytes);

export const octetString = (bytes: Bytes): Bytes => element(universal.octetString, bytes);

export const utf8String = (text: string): Bytes => element(universal.utf8String, Buffer.from(text));

/** Writes an object identifier. `dotted` is like `1.2.840.10045.4.3.2`. */
export function objectIdentifier(dotted: string): Bytes {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(universal.objectIdentifier, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

/**
 * Writes a time to the second, with a two-digit year until 2049, as certificates require (RFC 5280,
 * 4.1.2.5).
 */
export function time(at: Date): Bytes {
  const digits = `${at.toISOString().slice(0, 19).replaceAll(/\D/g, "")}Z`;
  return at.getUTCFullYear() < 2050
    ? element(universal.utcTime, Buffer.from(digits.slice(2)))
    : element(universal.generalizedTime, Buffer.from(digits));
}

function element(tag: number, ...parts: readonly Bytes[]): Bytes {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag, ...lengthOf(content.length)), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

function base128(number: number): number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128))
    digits.unshift(0x80 | (rest % 128));
  return digits;
}
