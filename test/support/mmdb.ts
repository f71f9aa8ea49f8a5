/**
 * Writes a MaxMind database with one network, according to its public format (MaxMind DB File
 * Format 2.0): a binary search tree over the bits of an address, then the values to which it leads,
 * then the metadata.
 */

/** A value of the database. A number is a uint32; bytes are written unchanged. */
export type MmdbValue = string | number | Buffer | { readonly [name: string]: MmdbValue };

/**
 * Returns the bytes of a database of this type (`GeoLite2-City`) that contains the addresses of the
 * IPv4 network `firstOctet`.0.0.0/8 and no other.
 */
export function mmdb(type: string, firstOctet: number, value: MmdbValue): Buffer {
  const depth = 8;
  const nothing = depth;
  const found = depth + 16; // The start of the values, after their separator.
  const records = Array.from({ length: depth }, (_, at) => {
    const bit = (firstOctet >> (depth - 1 - at)) & 1;
    const next = at === depth - 1 ? found : at + 1;
    return bit === 0 ? [next, nothing] : [nothing, next];
  });
  const tree = Buffer.concat(records.flat().map((record) => Buffer.from([record >> 16, record >> 8, record])));
  const about = {
    binary_format_major_version: uint16(2),
    binary_format_minor_version: uint16(0),
    build_epoch: Buffer.from([0x01, 0x02, 0x01]), // A uint64 of one byte, which is an extended type.
    database_type: type,
    description: { en: "a test" },
    ip_version: uint16(4),
    languages: Buffer.from([0x00, 0x04]), // An empty array, which is an extended type.
    node_count: depth,
    record_size: uint16(24),
  };
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from("MaxMind.com")]);
  return Buffer.concat([tree, Buffer.alloc(16), encoded(value), marker, encoded(about)]);
}

function uint16(value: number): Buffer {
  return Buffer.concat([control(5, 2), Buffer.from([value >> 8, value])]);
}

function encoded(value: MmdbValue): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (typeof value === "string") return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === "number") {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  const entries = Object.entries(value).flatMap(([name, one]) => [encoded(name), encoded(one)]);
  return Buffer.concat([control(7, Object.keys(value).length), ...entries]);
}

/**
 * Returns the control byte: the type in the upper three bits, the size in the others. Sizes from 29
 * on need one byte more.
 */
function control(type: number, size: number): Buffer {
  return size < 29 ? Buffer.from([(type << 5) | size]) : Buffer.from([(type << 5) | 29, size - 29]);
}
