/** Drops parts of a plain value for as long as it still fails. */

/** Returns the value without each part that can go: an element of a list, or an optional field. */
function* smaller(value: unknown, optional: readonly string[]): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const at of value.keys()) yield value.toSpliced(at, 1);
    for (const [at, one] of value.entries()) for (const less of smaller(one, optional)) yield value.with(at, less);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      if (optional.includes(key)) yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
      for (const less of smaller(one, optional)) yield { ...value, [key]: less };
    }
  }
}

/** Returns a value that fails and of which no part can go. At most `tries` values are tried. */
export async function shrunk<T>(
  value: T,
  fails: (value: T) => Promise<boolean>,
  { optional, tries }: { readonly optional: readonly string[]; readonly tries: number },
): Promise<T> {
  let [least, left, isLess] = [value, tries, true];
  while (isLess) {
    isLess = false;
    for (const one of smaller(least, optional)) {
      if (left-- === 0) return least;
      if (!(await fails(one as T))) continue;
      least = one as T;
      isLess = true;
      break;
    }
  }
  return least;
}
