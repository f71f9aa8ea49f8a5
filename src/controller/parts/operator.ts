/**
 * Tools for an operator in the run folder: the token in `operator.token`, and the socket for
 * `sluice routes`, `sluice status` and `sluice why`.
 */

import { withFailures } from "../../ask/routes/routes.ts";
import { openOperatorSocket } from "../../ask/routes/socket.ts";
import { allRoutesOf } from "../../ask/routes/streams.ts";
import { repeat } from "../../base/callbacks.ts";
import type { Problem } from "../../core/model/problem.ts";
import type { Source } from "../../core/sync/ports.ts";
import { written } from "../../core/sync/written.ts";
import type { OperatorToken } from "../../edges/operator-token.ts";
import { writeAtomically } from "../../nginx/index.ts";
import { shadowsOf } from "../run/shadows.ts";
import type { ControllerAnswers } from "./answers.ts";
import type { Instruments } from "./instruments.ts";
import { type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

/** The interval at which a socket that could not be opened is tried again. */
const againMs = 5_000;

/** Starts after the controller, which has taken the run folder. */
export function operatorPart(
  { flags, log, running }: Program,
  { failures }: Pick<Instruments, "failures">,
  token: OperatorToken,
  source: Source,
  answers: ControllerAnswers,
  /** Problems of objects of which the source keeps a former form. */
  outdated: () => readonly Problem[] = () => [],
): Part {
  return {
    name: "operator's token and socket",
    async start() {
      const { folder } = running.nginx;
      const { sync } = running.started;
      // The disk may be full, but the controller can serve without the token's file.
      const unwritten = await written(writeAtomically(folder.token, `${token.text}\n`));
      if (unwritten !== undefined)
        log.warn({ why: unwritten.message }, "there is no operator.token: the file cannot be written");
      const routes = (query: URLSearchParams) =>
        sync.configuration &&
        allRoutesOf(sync.configuration, source.snapshot(), query.get("host") ?? undefined, [
          ...sync.lastGood,
          ...outdated(),
        ]).map((route) => withFailures(route, failures));
      const offered = {
        "/routes": routes,
        "/shadows": () => shadowsOf(running.controller, flags),
        "/status": answers.status,
        "/ask": (query: URLSearchParams) => answers.ask(JSON.parse(query.get("question") ?? "null")),
      };
      let close = async () => {};
      const open = async () => {
        close = await openOperatorSocket(folder.routesSocket, token, offered);
      };
      const unopened = await written(open());
      if (unopened === undefined) return stoppedBy(() => close());
      log.warn({ why: unopened.message }, "the socket for sluice routes cannot be opened; trying again");
      const again = repeat("the opening of the socket for sluice routes", againMs, () =>
        open().then(() => clearInterval(again)),
      );
      return stoppedBy(() => {
        clearInterval(again);
        return close();
      });
    },
  };
}
