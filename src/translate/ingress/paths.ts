/** The path and path type of a rule as they count: ImplementationSpecific and no type are Prefix, no path is `/` (RS-5.5). */

import { longestWord, longestWordOf } from "../../directives/path-words.ts";
import { Token } from "../../directives/token.ts";
import type { HTTPIngressPath } from "../../model/objects.ts";

export interface TypedPath {
  readonly text: string;
  readonly type: "exact" | "prefix";
}

export function typedPath({ path, pathType }: Pick<HTTPIngressPath, "path" | "pathType">): TypedPath {
  return { text: path === undefined || path === "" ? "/" : path, type: pathType === "Exact" ? "exact" : "prefix" };
}

/** No request has a longer one: nginx takes at most 8 KB for the line of a request. */
const longestPath = 16_384;

/**
 * Why no request can be sent by this path, or undefined. The API server takes any text after the `/` of ImplementationSpecific. `inText`: nginx here
 * has paths in its text and nowhere else.
 */
export function pathFault({ text }: TypedPath, inText: boolean): string | undefined {
  if (text.length > longestPath) return `has ${text.length} characters; at most ${longestPath} are taken`;
  if (!Token.printable(text)) return "has a control character or a line separator in it";
  // No character takes more than 17 bytes.
  const bytes = inText && text.length > 200 ? longestWordOf(text) : 0;
  return bytes > longestWord
    ? `would be a word of ${bytes} bytes in nginx.conf, which takes ${longestWord}`
    : undefined;
}
