import { catchAll } from "../../model/configuration.ts";

/** As people write it. */
export function shownHost(host: string): string {
  return host === catchAll ? "*" : host;
}
