/** The session of a rule as data, for nginx/lua/sluice/gateway/backends.lua. */
import type { Filters, Session } from "../../model/filters.ts";
import type { Fields } from "../../model/records.ts";

export function record({ session }: Filters): { readonly session?: Fields<"session"> } {
  return session === undefined ? {} : { session: sessionRecord(session) };
}

/** Returns the session for the record of the first backend; undefined if clients may move. */
export const firstBackend = (rule: Filters = {}): Fields<"backend"> | undefined =>
  rule.session === undefined ? undefined : record(rule);

function sessionRecord(session: Session): Fields<"session"> {
  const { type, name, binding, path, seconds, isPermanent } = session;
  return {
    ...(type === "cookie" ? { variable: `cookie_${name}`, cookie: name, path } : {}),
    ...(type === "header" ? { variable: `http_${name.toLowerCase().replaceAll("-", "_")}`, header: name } : {}),
    binding,
    ...(seconds === undefined ? {} : { seconds }),
    ...(isPermanent ? { permanent: 1 } : {}),
  };
}
