/** Splits the words of nginx's `location` into its sign, which may be empty, and its path. */
export function locationWords(args: readonly string[]): { readonly sign: string; readonly path: string } {
  const [, sign = "", path = ""] = /^(=|\^~|~\*?)?\s*(.*)$/s.exec(args.join(" ")) ?? [];
  return { sign, path };
}
