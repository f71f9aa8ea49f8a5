/**
 * Watches the template while the controller runs. The first trial of a template runs after the
 * first turn, and nothing waits for it.
 */
import { inBackground } from "../../base/callbacks.ts";
import { watchTemplate } from "../../nginx/template/watched.ts";
import type { Instruments } from "./instruments.ts";
import { type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

/**
 * Makes the part that watches the template. `own` is the user's template folder, if there is one.
 */
export function templatePart({ log, running }: Program, { reports }: Instruments, own: string | undefined): Part {
  return {
    name: "template",
    async start() {
      const watched = watchTemplate({
        own,
        offer: (one) => running.started.useTemplate(one),
        report: (problem) => {
          reports.few("template", problem === undefined ? [] : [problem]);
          if (problem === undefined) log.info("the template is used from now on");
        },
        tried: () => {
          running.templateTried = true;
        },
      });
      return stoppedBy(() =>
        inBackground(
          "the template",
          watched.then((stop) => stop()),
        ),
      );
    },
  };
}
