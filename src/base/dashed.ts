/**
 * Adds to each declaration of a group the field with its name for users, unless the declaration has
 * one: in the group `{ useGzip: {} }` with the field `key`, the key is `use-gzip`.
 */
export function namedIn<F extends string, D extends Readonly<Record<string, object>>>(
  group: D,
  field: F,
): { readonly [K in keyof D]: D[K] & { readonly [N in F]: string } } {
  const entries = Object.entries(group).map(([name, declared]) => [name, { [field]: dashed(name), ...declared }]);
  return Object.fromEntries(entries) as never;
}

/** Returns `watchNamespace` as `watch-namespace`: the name for users of a name in the code. */
export const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
