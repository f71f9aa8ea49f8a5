/**
 * Finds the part of a path, or of a pattern for paths, that the Path attribute of a cookie can
 * have.
 */

/**
 * Returns the literal part, up to the last slash before a character that a cookie's Path cannot
 * have. Browsers never send back a cookie whose Path is a pattern.
 */
export function literalPath(text: string, isPattern: boolean): string {
  const end = text.search(isPattern ? /[^\w/~%!@&'=:-]/ : /[^!-:<-~]/);
  const path = end < 0 ? text.replace(/(?<=.)\/$/, "") : text.slice(0, Math.max(1, text.lastIndexOf("/", end)));
  return path.startsWith("/") ? path : "/";
}
