/**
 * Returns the entry of a table for a name that a user may have chosen; undefined if there is none.
 * Each object of JavaScript inherits some entries, and so `table["constructor"]` is a function.
 */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
