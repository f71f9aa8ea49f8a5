/**
 * `sluice serve FOLDER`: the whole controller on a folder of YAML, without a cluster. Facts that a
 * cluster would provide are assumed: an IngressClass, that Ingresses without one are ours, and that
 * endpoints run on this machine.
 */
import { hostname } from "node:os";
import { systemClock } from "../base/timing/clock.ts";
import { build } from "../base/version.ts";
import { translateOptions } from "../controller/flags/options.ts";
import { parseFlags } from "../controller/flags/parse.ts";
import { helpText } from "../controller/help.ts";
import { answersOf } from "../controller/parts/answers.ts";
import { controllerPart } from "../controller/parts/controller.ts";
import { countingPart } from "../controller/parts/counting.ts";
import { healthServer } from "../controller/parts/health-server.ts";
import { instrumentsOf } from "../controller/parts/instruments.ts";
import { nginxPart } from "../controller/parts/nginx.ts";
import { operatorPart } from "../controller/parts/operator.ts";
import { pageParts } from "../controller/parts/page.ts";
import { begun, type Part, runParts, stopped } from "../controller/parts/part.ts";
import { profilerPart } from "../controller/parts/profiler.ts";
import { openProgram } from "../controller/parts/program.ts";
import { readinessPart } from "../controller/parts/readiness.ts";
import { templatePart } from "../controller/parts/template.ts";
import { trafficPart } from "../controller/parts/traffic.ts";
import { keepYoungSpaceSmall } from "../controller/parts/young-space.ts";
import { completedSource } from "../controller/run/chains.ts";
import { listenForEnding } from "../controller/run/ending.ts";
import { withFreePorts } from "../controller/run/free-ports.ts";
import { addressedSource } from "../controller/run/names.ts";
import { withPortFlag } from "../controller/run/port-flags.ts";
import type { Reports } from "../controller/run/reports.ts";
import { assumedClass } from "../controller/serve/assumed-class.ts";
import { heldPlace } from "../controller/serve/held-places.ts";
import { MissingClasses } from "../controller/serve/missing-class.ts";
import { unservedGateways } from "../controller/serve/unserved-gateways.ts";
import { fakeCertificate } from "../core/certificates/fake.ts";
import { type Manifests, openManifests } from "../edges/folder/manifests.ts";
import { OperatorToken } from "../edges/operator-token.ts";
import { nginxHere } from "../nginx/index.ts";
import { failedAs, type Out, printed } from "./out.ts";

const failed = failedAs("serve", 1);

/**
 * The time that requests in flight may take at the end. A longer wait would be annoying at a
 * terminal.
 */
const drainMs = 5_000;

/**
 * Returns exit code 0 after a signal, 1 when it could not start, 2 for a mistake in the command
 * line. `ready` is called when nginx serves the content of the folder.
 */
export async function serve(
  argv: readonly string[],
  out: Out,
  host: NodeJS.Process,
  ready: () => void = () => {},
): Promise<number> {
  const parsed = parseFlags(argv, "serve");
  if (parsed.kind === "help") return printed(out, helpText("serve"));
  if (parsed.kind === "version") return printed(out, `${build.name} ${build.release}\n`);
  const mistake = parsed.kind === "failure" ? parsed.why : folderMistake(parsed.rest);
  if (parsed.kind === "failure" || mistake !== undefined) {
    out.fail(`sluice serve: ${mistake}`);
    return 2;
  }
  const { rest, problems } = parsed;
  const { flags, moved } = await withFreePorts(parsed.flags, parsed.named);
  const { stdout, env } = host;
  // Another thread makes the certificate, and nginx tells its capabilities, while files are read.
  const fake = fakeCertificate(new Date());
  const installed = nginxHere(env.NGINX_BINARY ?? "nginx", env.PATH ?? "");
  const ending = listenForEnding(host);
  const opened = await openManifests(
    rest[0]!,
    { assumedClass: assumedClass(flags), now: () => new Date() },
    systemClock,
  );
  if (!opened.ok) return failed(out, opened.why);
  const { manifests } = opened;
  const program = openProgram(flags, stdout, ending);
  const { log, running } = program;
  keepYoungSpaceSmall(systemClock, () => running.isReady);
  log.info({ folder: rest[0], release: build.release }, "starting");
  for (const one of moved) log.info(one, "another program uses the default port; the next free one is used");
  const names = new AbortController();
  const translate = translateOptions(flags, "serve", undefined);
  const lookedUp = { flags, log, clock: systemClock, asked: translate.asked };
  const source = completedSource(addressedSource(manifests, lookedUp, names.signal), lookedUp, names.signal);
  const pod = { namespace: "default", name: hostname() };
  const instruments = instrumentsOf(program, { source, pod, leads: () => true });
  const { reports } = instruments;
  const token = new OperatorToken();
  const unread = () => manifests.unread();
  const answers = answersOf(program, instruments, { source, translate, leader: () => undefined, unread });
  const page = pageParts(program, instruments, source, answers);

  const parts: readonly Part[] = [
    stopped("folder", () => manifests.close()),
    stopped("look-ups", () => names.abort()),
    nginxPart(program, {
      find: () => installed,
      runFolder: flags.runFolder ?? "run",
      logs: (folder) => ({ accessLog: `${folder.logs}/access.log`, errorLog: "stderr" }),
    }),
    healthServer(program, instruments, token, page.requests),
    profilerPart(program, token),
    page.part,
    begun("problems of flags and files", () => {
      reports.locate((problem) => heldPlace(manifests, problem, flags.annotationsPrefix));
      reports.few("flags", problems);
      followFiles(manifests, reports);
    }),
    controllerPart(program, instruments, {
      source,
      translate: async () => translate,
      fake,
      listeners: [],
      endWithController: true,
      maxDraining: 4,
      ready,
    }),
    operatorPart(program, instruments, token, source, answers, () => manifests.outdated()),
    templatePart(program, instruments, flags.templateDir),
    trafficPart(program, { drainMs, afterMs: 0 }),
    countingPart(program, instruments),
    readinessPart(program, instruments, { graceMs: flags.shutdownGracePeriod * 1000, drainMs }),
  ];
  const ended = await runParts(parts, ending, log);
  if (ended.kind === "failed") return failed(out, withPortFlag(ended.why, flags));
  log.info("ended; no nginx is left");
  return 0;
}

function followFiles(manifests: Manifests, reports: Reports): void {
  // As in a cluster, an Ingress that was moved to another class is no longer served. The folder
  // has all IngressClasses.
  const missing = new MissingClasses("all");
  const report = () => {
    reports.problems("files", manifests.problems());
    const snapshot = manifests.snapshot();
    reports.few("classes", [...missing.of(snapshot), ...unservedGateways(snapshot, "all")]);
  };
  report();
  manifests.onChange(report);
}

function folderMistake(rest: readonly string[]): string | undefined {
  if (rest.length === 0) return "which folder? Name the one with the YAML files: sluice serve FOLDER";
  return rest.length === 1 ? undefined : `one folder at a time, and here are ${rest.length}: ${rest.join(" ")}`;
}
