/**
 * Logs the lines of nginx itself and the events of its process. The lines keep nginx's format.
 * nginx writes text of clients unchanged, so control characters are escaped here.
 */

import { visible } from "../../base/visible.ts";
import type { NginxEvent } from "../../nginx/index.ts";
import type { Log } from "./log.ts";

export interface NginxLines {
  readonly log: Log;
  readonly write: (text: string) => void;
  /** Whether lines below the level warning are logged: a reload alone causes ten of them. */
  readonly notices: boolean;
}

export function nginxLog({ log, write, notices }: NginxLines): (event: NginxEvent) => void {
  return (event) => {
    switch (event.kind) {
      case "line":
        if (notices || !/\[(notice|info|debug)\]/.test(event.text)) write(`${visible(event.text)}\n`);
        break;
      case "started":
        log.info(
          event.orphans === 0 ? { master: event.pid } : { master: event.pid, orphans: event.orphans },
          "nginx started",
        );
        break;
      case "adopted":
        log.info({ master: event.pid }, "nginx was running and was taken over");
        break;
      case "ended":
        log.error(
          { master: event.pid, how: event.how, nextTry: `${event.nextTryMs}ms` },
          "nginx ended and is started again",
        );
        break;
      case "not-started":
        log.error({ why: event.why, nextTry: `${event.nextTryMs}ms` }, "nginx did not start");
        break;
      case "silent":
        log.error("nginx's container does not answer");
        break;
      case "answers":
        log.info("nginx's container answers again");
        break;
    }
  };
}
