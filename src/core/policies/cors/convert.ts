/** Requests that show what annotations about CORS do, for a comparison before a move. */
import { type CorsFields, originsIn } from "./read.ts";

/** Returns a plain request of an allowed origin and its preflight. `label` stands for a `*`. */
export function originRequests({ cors }: { readonly cors: CorsFields }, label: string) {
  const [first] = originsIn(cors);
  if (first === undefined) return [];
  const origin = first === "*" ? "https://origin.example" : first.replace("*", label);
  return [{ headers: { origin } }, { method: "OPTIONS", headers: { origin, "access-control-request-method": "GET" } }];
}
