/** Damages of a file, as disks, crashes and people make them. */
import type { Chance } from "../../support/chance.ts";

type Damage = (whole: Buffer, at: number, chance: Chance) => Buffer;

const newline = 10;

/** Returns the lines with the line at `at` replaced by `become`. */
function lineAt(whole: Buffer, at: number, become: (line: Buffer, next: Buffer) => readonly Buffer[]): Buffer {
  const from = at === 0 ? 0 : whole.lastIndexOf(newline, at - 1) + 1;
  const end = whole.indexOf(newline, at) + 1;
  const nextEnd = whole.indexOf(newline, end) + 1 || whole.length;
  const replaced = become(whole.subarray(from, end), whole.subarray(end, nextEnd));
  return Buffer.concat([whole.subarray(0, from), ...replaced, whole.subarray(nextEnd)]);
}

const damages: Readonly<Record<string, Damage>> = {
  "one bit": (whole, at, chance) => {
    const other = Buffer.from(whole);
    other[at] = other[at]! ^ (1 << Math.floor(chance.share() * 8));
    return other;
  },
  "a digit": (whole, at, chance) => {
    const digits = [...whole.keys()].filter((one) => whole[one]! >= 48 && whole[one]! <= 57);
    const place = digits[Math.floor((at / whole.length) * digits.length)]!;
    const other = Buffer.from(whole);
    other[place] = 48 + ((other[place]! - 48 + 1 + Math.floor(chance.share() * 9)) % 10);
    return other;
  },
  "cut off": (whole, at) => whole.subarray(0, at),
  "cut after a line": (whole, at) => whole.subarray(0, at === 0 ? 0 : whole.lastIndexOf(newline, at - 1) + 1),
  "without its beginning": (whole, at) => whole.subarray(at + 1),
  "a sector of zeros": (whole, at) => Buffer.from(whole).fill(0, at, Math.min(at + 512, whole.length)),
  "a sector of noise": (whole, at, chance) => {
    const noise = Buffer.from(Array.from({ length: 512 }, () => Math.floor(chance.share() * 256)));
    const other = Buffer.from(whole);
    noise.copy(other, at);
    return other;
  },
  "a line is lost": (whole, at) => lineAt(whole, at, (_, next) => [next]),
  "a line is repeated": (whole, at) => lineAt(whole, at, (line, next) => [line, line, next]),
  "two lines are swapped": (whole, at) => lineAt(whole, at, (line, next) => [next, line]),
  "a part is copied over another": (whole, at, chance) => {
    const other = Buffer.from(whole);
    whole.copy(other, at, Math.floor(chance.share() * whole.length), whole.length);
    return other;
  },
  "all lines of another file": (whole) => Buffer.from(whole.toString().replaceAll(/^[\da-f]{8} \[\d+,?/gm, "[")),
};

/** Returns the bytes with one random damage, and its name. The bytes always differ. */
export function corrupted(whole: Buffer, chance: Chance): { readonly bytes: Buffer; readonly how: string } {
  for (;;) {
    const how = chance.oneOf(Object.keys(damages));
    const bytes = damages[how]!(whole, Math.floor(chance.share() * whole.length), chance);
    if (!bytes.equals(whole)) return { bytes, how };
  }
}
