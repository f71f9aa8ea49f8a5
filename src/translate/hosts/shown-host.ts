import { catchAll } from "../../model/configuration.ts";

/** The host as people write it. */
export function shownHost(host: string): string {
  return host === catchAll ? "*" : host;
}
