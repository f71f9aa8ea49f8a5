/**
 * Sizes of the hash table of host names: the settings, or more if the names of the text servers
 * need it.
 */

import type { Settings } from "../../settings/registry.ts";
import type { Directive } from "../../tokens/place.ts";
import { Token } from "../../tokens/token.ts";

/**
 * Computes the sizes by nginx's layout of a bucket: for each name a pointer, and the name with two
 * more bytes, rounded up to 8; then the end mark.
 */
export function serverNamesHash(settings: Settings, names: Iterable<string>): readonly Directive[] {
  let longest = 0;
  let sum = 0;
  for (const name of names) {
    longest = Math.max(longest, name.length);
    sum += name.length;
  }
  const bucket = powerOfTwo(16 + 8 * Math.ceil((longest + 2) / 8));
  return [
    directive("server_names_hash_max_size", Math.max(settings.serverNameHashMaxSize, powerOfTwo(sum))),
    directive("server_names_hash_bucket_size", Math.max(settings.serverNameHashBucketSize, bucket, 64)),
  ];
}

function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, least)));
}

function directive(name: string, value: number): Directive {
  return { name: Token.name(name), value: Token.count(value) };
}
