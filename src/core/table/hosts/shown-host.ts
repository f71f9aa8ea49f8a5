import { catchAll } from "../../model/configuration.ts";

/** Returns the host in words for people. */
export function shownHost(host: string): string {
  return host === catchAll ? "*" : host;
}
