/** The path and path type of a rule as they count: ImplementationSpecific and no type are Prefix, no path is `/` (RS-5.5). */
import type { HTTPIngressPath } from "../model/objects.ts";
import { Token } from "../render/token.ts";

export interface TypedPath {
  readonly text: string;
  readonly type: "exact" | "prefix";
}

export function typedPath({ path, pathType }: Pick<HTTPIngressPath, "path" | "pathType">): TypedPath {
  return { text: path === undefined || path === "" ? "/" : path, type: pathType === "Exact" ? "exact" : "prefix" };
}

/** Why no request can be sent by this path, or undefined. The API server takes any text after the `/` of ImplementationSpecific. */
export function pathFault({ text }: TypedPath): string | undefined {
  return Token.printable(text) ? undefined : "has a control character or a line separator in it";
}
