/**
 * The nginx that will serve, and the run folder that it shares with the controller. This part does
 * not start it.
 */
import { lackingOf } from "../../core/tokens/capabilities.ts";
import type { Place } from "../../core/tokens/machine.ts";
import { type FoundNginx, openRunFolder, type RunFolder } from "../../nginx/index.ts";
import { machineFlags } from "../flags/options.ts";
import { type MachineFlags, machineOf } from "../machine.ts";
import { orCannotStart, type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

export interface NginxPlace {
  /** Resolves with the nginx of this container, or of the one beside it. */
  readonly find: (signal: AbortSignal) => Promise<FoundNginx>;
  readonly runFolder: string;
  /** Returns the files of nginx's logs if no setting names one. */
  readonly logs: (folder: RunFolder, place: Place) => Pick<MachineFlags, "accessLog" | "errorLog">;
}

export function nginxPart({ flags, running }: Program, { find, runFolder, logs }: NginxPlace): Part {
  return {
    name: "nginx found",
    async start(signal) {
      const { nginx: installed } = orCannotStart(await find(signal));
      const { folder } = orCannotStart(openRunFolder(runFolder));
      const { capabilities, place } = installed;
      const machine = machineOf(capabilities, place, folder, machineFlags(flags, logs(folder, place)));
      running.nginx = {
        installed,
        folder,
        machine,
        lacks: lackingOf({ ...capabilities, lua: machine.mode === "dynamic" }),
      };
      return stoppedBy(() => {});
    },
  };
}
