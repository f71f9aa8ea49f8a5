/** Kinds for HTTP status codes. */
import { Token } from "../tokens/token.ts";
import { type Kind, no, ok, shown } from "./kind.ts";

/** Reads one status of the list. */
export function codeOf(codes: readonly number[]): Kind<number> {
  const listed = codes.join(", ");
  return {
    label: `one of ${listed}`,
    read: (text) => {
      const code = /^\d{3}$/.test(text) ? Number(text) : undefined;
      return code !== undefined && codes.includes(code) ? ok(code) : no(`${shown(text)} is not one of ${listed}`);
    },
    view: Token.count,
  };
}
