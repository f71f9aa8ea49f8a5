/** What an operator in the run folder can use: the token in `operator.token`, and the socket that `sluice routes` asks. */
import { writeAtomically } from "../../nginx/index.ts";
import type { OperatorToken } from "../../operator-token.ts";
import { routesOf } from "../../routes/routes.ts";
import { openRouteSocket } from "../../routes/socket.ts";
import type { Source } from "../../sync/ports.ts";
import { written } from "../../sync/written.ts";
import { type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

/** Starts after the controller, which has made the run folder its own. */
export function operatorPart({ log, running }: Program, token: OperatorToken, source: Source): Part {
  return {
    name: "operator's token and routes",
    async start() {
      const { folder } = running.nginx;
      const { sync } = running.started;
      // The disk may be full, which keeps nothing from being served.
      const unwritten = await written(writeAtomically(folder.token, `${token.text}\n`));
      if (unwritten !== undefined)
        log.warn({ why: unwritten.message }, "there is no operator.token: the file cannot be written");
      const close = await openRouteSocket(
        folder.routesSocket,
        token,
        (host) => sync.configuration && routesOf(sync.configuration, source.snapshot(), host, sync.lastGood),
      );
      return stoppedBy(close);
    },
  };
}
