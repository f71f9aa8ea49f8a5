import { longestWord, longestWordOf } from "../../tokens/path-words.ts";
import { Token } from "../../tokens/token.ts";
import type { PathMatch } from "../claim.ts";

/**
 * The longest path. No request has a longer one, because nginx accepts at most 8 KB for the line of
 * a request.
 */
const longestPath = 16_384;

/**
 * Returns why no request can have this path, or undefined. The API server accepts any text after
 * the `/` of an ImplementationSpecific path. `inText` says whether this nginx has paths only in its
 * text.
 */
export function pathFault({ text }: Pick<PathMatch, "text">, inText: boolean): string | undefined {
  if (text.length > longestPath) return `has ${text.length} characters; at most ${longestPath} are taken`;
  if (!Token.printable(text)) return "has a control character or a line separator in it";
  // No character takes more than 17 bytes.
  const bytes = inText && text.length > 200 ? longestWordOf(text) : 0;
  return bytes > longestWord
    ? `would be a word of ${bytes} bytes in nginx.conf, which takes ${longestWord}`
    : undefined;
}
