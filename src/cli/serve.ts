/**
 * `sluice serve FOLDER`: the whole controller on a folder of YAML, with no cluster. What has no cluster to come from is taken
 * for granted: the class, Ingresses without one, and endpoints on this machine.
 */
import { hostname } from "node:os";
import { openLog } from "../log/log.ts";
import { openManifests } from "../manifests/manifests.ts";
import { nginxHere, versionOf } from "../nginx/index.ts";
import { systemClock } from "../timing/clock.ts";
import { build } from "../version.ts";
import { parseFlags } from "./flags/parse.ts";
import { helpText } from "./help.ts";
import { translateOptions } from "./options.ts";
import type { Out } from "./reference.ts";
import { completedSource } from "./run/chains.ts";
import { listenForEnding } from "./run/ending.ts";
import { addressedSource } from "./run/names.ts";
import { operate } from "./run/operate.ts";
import { assumedClass } from "./tools/assumed-class.ts";
import { heldPlace } from "./tools/held-places.ts";
import { missingClasses } from "./tools/missing-class.ts";

/** What requests in flight get when everything ends: nobody waits long at a terminal. */
const drainMs = 5_000;

/**
 * Exit code 0 after a signal, 1 when it could not start, 2 for a mistake in the command line. `ready` is called when nginx
 * serves what the folder holds.
 */
export async function serve(
  argv: readonly string[],
  out: Out,
  host: NodeJS.Process,
  ready: () => void = () => {},
): Promise<number> {
  const parsed = parseFlags(argv, "serve");
  if (parsed.kind === "help") return said(out, helpText("serve"));
  if (parsed.kind === "version") return said(out, `${build.name} ${build.release}\n`);
  const mistake = parsed.kind === "failure" ? parsed.why : folderMistake(parsed.rest);
  if (parsed.kind === "failure" || mistake !== undefined) {
    out.fail(`sluice serve: ${mistake}`);
    return 2;
  }
  const { flags, rest, problems } = parsed;
  const ending = listenForEnding(host);
  const opened = await openManifests(
    rest[0]!,
    { assumedClass: assumedClass(flags), now: () => new Date() },
    systemClock,
  );
  if (!opened.ok) return failed(out, opened.why);
  const { manifests } = opened;
  const { stdout, env } = host;
  const write = (text: string): void => void stdout.write(text);
  const terminal = stdout.isTTY ? { colours: stdout.hasColors() } : false;
  const log = openLog({ verbosity: flags.v, terminal, write });
  log.info({ folder: rest[0], release: build.release }, "starting");
  const names = new AbortController();
  const translate = translateOptions(flags, "serve", undefined);
  const lookedUp = { flags, log, clock: systemClock, asked: translate.asked };
  const installed = await nginxHere(env.NGINX_BINARY ?? "nginx", env.PATH ?? "");
  const operated = await operate({
    flags,
    translate,
    source: completedSource(addressedSource(manifests, lookedUp, names.signal), lookedUp, names.signal),
    otherProblems: (reports) => {
      const ofFiles = () => {
        reports.problems("files", manifests.problems());
        // An Ingress that moved to another class goes, as in a cluster. The folder has all classes that there are.
        reports.few("classes", missingClasses(manifests.snapshot(), true));
      };
      reports.locate((problem) => heldPlace(manifests, problem, flags.annotationsPrefix));
      reports.few("flags", problems);
      ofFiles();
      manifests.onChange(ofFiles);
    },
    log,
    lines: { write, notices: !stdout.isTTY || flags.v > 0 },
    nginx: installed,
    runFolder: flags.runFolder ?? "run",
    templateFolder: flags.templateDir,
    logs: (folder) => ({ accessLog: `${folder.logs}/access.log`, errorLog: "stderr" }),
    endWithController: true,
    maxDraining: 4,
    pod: { namespace: "default", name: hostname() },
    moreMetrics: async () => "",
    leads: () => true,
    listeners: [],
    told: ending.told,
    leave: async () => {},
    timing: { graceMs: 0, drainMs, afterMs: 0 },
    ready: () => {
      log.info({ http: flags.httpPort, https: flags.httpsPort, ...versionOf(installed) }, "serving");
      ready();
    },
  });
  names.abort();
  await manifests.close();
  if (operated.kind === "failed") return failed(out, operated.why);
  log.info("ended; no nginx is left");
  return 0;
}

function folderMistake(rest: readonly string[]): string | undefined {
  if (rest.length === 0) return "which folder? Name the one with the YAML files: sluice serve FOLDER";
  return rest.length === 1 ? undefined : `one folder at a time, and here are ${rest.length}: ${rest.join(" ")}`;
}

function said(out: Out, text: string): number {
  out.write(text);
  return 0;
}

function failed(out: Out, why: string): number {
  out.fail(`sluice serve: ${why}`);
  return 1;
}
