/**
 * `sluice status`: prints the state of the controller of a run folder, like the Overview of its
 * page.
 */
import type { StatusAnswer } from "../ask/page/api/status.ts";
import { askController } from "../ask/routes/socket.ts";
import { optionsIn, outputOption, type ToolOption } from "../tools/call.ts";
import { folderOption, runFolderOf } from "../tools/run-folder.ts";
import { statusText } from "../tools/status/print.ts";
import { failedAs, type Out, printed } from "./out.ts";

const failed = failedAs("status");

const allOption: ToolOption = { name: "all", doc: "Prints the last hundred changes rather than ten." };
export const statusOptions: readonly ToolOption[] = [allOption, folderOption];

const usage = `Usage: sluice status [--all] [--run-folder FOLDER] [-o json]

Shows the state of a running controller: how many hosts, routes, endpoints and certificates it serves
and since when, how many Problems there are, the last changes with the time until they were live and
their reloads, the workers that still finish requests, and how full shared memory is.

The controller is asked through the socket in its run folder: /run/sluice in the image, ./run for
sluice serve. In a cluster:

  kubectl exec -n NAMESPACE deploy/NAME -c controller -- sluice status

Exit code 0, 1 where nginx does not serve what is wanted, or 2 when it cannot do its work.
`;

export async function status(argv: readonly string[], out: Out, now: Date, colours = false): Promise<number> {
  if (argv.some((word) => ["--help", "-h"].includes(word))) return printed(out, usage);
  const taken = optionsIn(argv, [outputOption, ...statusOptions]);
  const [stray] = taken.ok ? taken.rest : [];
  if (!taken.ok || stray !== undefined) return failed(out, taken.ok ? `it takes no ${stray}` : taken.why);
  const { output = "text", all, "run-folder": folder } = taken.options;
  if (output !== "text" && output !== "json")
    return failed(out, `-o takes text or json, and here is ${JSON.stringify(output)}`);
  const answered = await askController<StatusAnswer>(runFolderOf(folder), "/status");
  if (!answered.ok) return failed(out, answered.why);
  const { answer } = answered;
  if (output === "json") out.write(`${JSON.stringify(answer, null, 2)}\n`);
  else out.write(statusText(answer, { now, colours, changes: all === undefined ? 10 : 100 }));
  return answer.live === undefined || answer.behind !== undefined ? 1 : 0;
}
