/**
 * Diffie-Hellman parameters in PEM. nginx refuses a whole configuration if OpenSSL finds them too
 * short.
 */

const smallestBits = 2048;

/**
 * Returns the mistake in `pem`, which follows the name of its Secret in a sentence; undefined if
 * it is usable.
 */
export function mistakeInDhParam(pem: string): string | undefined {
  const block = /^-----BEGIN DH PARAMETERS-----\s+([A-Za-z0-9+/=\s]+)-----END DH PARAMETERS-----\s*$/.exec(pem.trim());
  if (block === null) return "does not hold one PEM block of type DH PARAMETERS";
  const bits = primeBits(Buffer.from(block[1]!, "base64"));
  if (bits === undefined) return "holds DH PARAMETERS that cannot be decoded";
  return bits < smallestBits ? `holds DH PARAMETERS of ${bits} bits; at least ${smallestBits} are wanted` : undefined;
}

/** Returns the bits of the prime, which comes first in DER: a sequence, and in it the integer. */
function primeBits(der: Buffer): number | undefined {
  const sequence = contentAt(der, 0, 0x30);
  const prime = sequence === undefined ? undefined : contentAt(der, sequence.start, 0x02);
  if (prime === undefined) return undefined;
  const digits = der.subarray(prime.start, prime.end).toString("hex").replace(/^0+/, "");
  return digits === "" ? undefined : (digits.length - 1) * 4 + Number.parseInt(digits[0]!, 16).toString(2).length;
}

/**
 * Returns the content of the element at `at` as [begin, end]; undefined if it has another tag or
 * does not fit.
 */
function contentAt(der: Buffer, at: number, tag: number): { readonly start: number; readonly end: number } | undefined {
  const first = der[at + 1];
  if (der[at] !== tag || first === undefined) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (lengthBytes > 2 || at + 2 + lengthBytes > der.length) return undefined;
  const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes);
  const start = at + 2 + lengthBytes;
  return start + length <= der.length ? { start, end: start + length } : undefined;
}
