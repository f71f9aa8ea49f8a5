import { readRequest } from "../../src/ask/matcher/request.ts";

/** Returns a plain GET of the target from the host a.example, for the matcher. */
export function askingFor(target: string) {
  const asked = {
    scheme: "http",
    host: "a.example",
    target,
    method: "GET",
    headers: new Map<string, string>(),
  } as const;
  return { asked, request: readRequest(asked)! };
}
