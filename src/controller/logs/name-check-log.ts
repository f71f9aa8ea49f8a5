/** Logs each name that resolves to a forbidden address, once. */

import type { Log } from "../../edges/log/log.ts";
import type { CheckedNameEvent } from "../../edges/names/checked-names.ts";

export function nameCheckLog(log: Log): (event: CheckedNameEvent) => void {
  return (event) => {
    if (event.kind === "refused") {
      const { name, why } = event;
      log.warn({ name, why }, "a name in an auth-url or a mirror-target is not asked");
    } else {
      const { port, why } = event;
      log.warn({ port, why }, "names are not looked up for nginx until the port is free (--name-check-port)");
    }
  };
}
