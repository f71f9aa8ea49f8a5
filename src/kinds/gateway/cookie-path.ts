/** The part of a path, or of a pattern for paths, that the Path of a cookie can say. */

/**
 * The literal part, up to the last slash before what a cookie cannot say. Browsers send a cookie
 * with a pattern for its Path back for no request.
 */
export function literalPath(text: string, isPattern: boolean): string {
  const end = text.search(isPattern ? /[^\w/~%!@&'=:-]/ : /[^!-:<-~]/);
  const path = end < 0 ? text.replace(/(?<=.)\/$/, "") : text.slice(0, Math.max(1, text.lastIndexOf("/", end)));
  return path.startsWith("/") ? path : "/";
}
