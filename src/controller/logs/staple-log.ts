/**
 * Logs OCSP answers. A failure is logged once, and again only after an answer or another failure.
 */

import type { Log } from "../../edges/log/log.ts";
import type { StapleEvent } from "../../edges/ocsp/stapled-source.ts";

export function stapleLog(log: Log): (event: StapleEvent) => void {
  const reported = new Map<string, string>();
  return (event) => {
    const { certificate } = event;
    if (event.kind === "stapled") {
      reported.delete(certificate);
      log.info({ certificate, until: event.until?.toISOString() }, "OCSP answer stapled");
    } else if (reported.get(certificate) !== event.why) {
      reported.set(certificate, event.why);
      log.warn({ certificate, why: event.why }, "no OCSP answer, so none is stapled");
    }
  };
}
