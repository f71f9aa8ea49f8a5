/** Sizes of the table of host names: as set, raised to what the names of the text servers need. */

import type { Directive } from "../../directives/place.ts";
import { Token } from "../../directives/token.ts";
import type { Settings } from "../../settings/registry.ts";

/**
 * By nginx's layout: a bucket holds a pointer, the name with two bytes beside it rounded up to 8,
 * and the end mark.
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
