/**
 * `sluice run`: the controller of a cluster, started with the flags of ingress-nginx. nginx starts
 * first, with the last good configuration if there is one, and serves before the API server has
 * answered. Nothing changes before every list is complete.
 */
import { existsSync } from "node:fs";
import { systemClock } from "../base/timing/clock.ts";
import { build } from "../base/version.ts";
import { translateOptions } from "../controller/flags/options.ts";
import { parseFlags } from "../controller/flags/parse.ts";
import type { Flags } from "../controller/flags.ts";
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
import { webhookPart } from "../controller/parts/webhook.ts";
import { keepYoungSpaceSmall } from "../controller/parts/young-space.ts";
import { openClusterSide } from "../controller/run/cluster-side.ts";
import { credentialsOf } from "../controller/run/credentials.ts";
import { listenForEnding } from "../controller/run/ending.ts";
import { withPortFlag } from "../controller/run/port-flags.ts";
import { metricLabels } from "../controller/run/running.ts";
import type { Around } from "../controller/run/start-checks.ts";
import { UnansweredWrites } from "../controller/run/unanswered-writes.ts";
import { fakeCertificate } from "../core/certificates/fake.ts";
import { mostOlder } from "../core/sync/generations.ts";
import type { Log } from "../edges/log/log.ts";
import { RuntimeMetrics } from "../edges/metrics/runtime-metrics.ts";
import { OperatorToken } from "../edges/operator-token.ts";
import { Client, type SentRequest } from "../kube/index.ts";
import { type FoundNginx, makeLogFolders, nginxHere, openRunFolder, remoteNginx, usualLogs } from "../nginx/index.ts";
import { failedAs, type Out, printed } from "./out.ts";

const failed = failedAs("run");

/** The folder in which the chart mounts a user's own template. */
const mountedTemplate = "/etc/nginx/template";

/**
 * Returns exit code 0 after a signal, 1 when it could not start or go on, 2 for a mistake in the
 * command line.
 */
export async function run(argv: readonly string[], out: Out, host: NodeJS.Process): Promise<number> {
  const parsed = parseFlags(argv, "run");
  if (parsed.kind === "help") return printed(out, helpText("run"));
  if (parsed.kind === "version") return printed(out, `${build.name} ${build.release}\n`);
  if (parsed.kind === "failure") return failed(out, parsed.why);
  const { flags, problems } = parsed;
  const fake = fakeCertificate(new Date());
  const { env, stdout } = host;
  const pod = { namespace: env.POD_NAMESPACE ?? "", name: env.POD_NAME ?? "" };
  const found = await credentialsOf(flags, env);
  if (!found.ok) return failed(out, found.why, 1);
  // kubelet and a preStop hook may both send SIGTERM; the second one must not interrupt the first.
  const ending = listenForEnding(host, ["SIGINT"]);
  const program = openProgram(flags, stdout, ending);
  const { log, running } = program;
  keepYoungSpaceSmall(systemClock, () => running.isReady);
  log.info({ release: build.release, server: found.credentials.server.host }, "starting");

  makeLogFolders();
  const userAgent = `sluice/${build.release} (${process.platform}/${process.arch}) ${build.build}`;
  const metrics = new RuntimeMetrics({
    labels: metricLabels(flags, pod),
    enabled: flags.enableMetrics,
    electionId: flags.electionId,
  });
  const writes = new UnansweredWrites();
  const report = (request: SentRequest) => {
    metrics.request(request);
    writes.note(request);
  };
  const client = new Client(found.credentials, { userAgent, report });
  const accept = translateOptions(flags, "run", undefined, pod.namespace);
  const clock = systemClock;
  const { random } = Math;
  const cluster = openClusterSide({ client, flags, accept, env, log, clock, random, metrics, writes, ending });
  const { source, onSecret } = cluster;
  const instruments = instrumentsOf(program, { source, pod, leads: () => cluster.leads });
  const token = new OperatorToken();
  const answers = answersOf(program, instruments, { source, translate: accept, pod, leader: () => cluster.leader });
  const page = pageParts(program, instruments, source, answers);
  // With this flag nginx has to wait for the API server, and only with this one.
  const zone = flags.enableTopologyAwareRouting ? zoneOf(cluster.around, ending.signal) : Promise.resolve(undefined);
  const runFolder = flags.runFolder ?? env.SLUICE_RUN_FOLDER ?? "/run/sluice";

  const parts: readonly Part[] = [
    stopped("API client", () => client.close()),
    stopped("Events", () => cluster.end()),
    nginxPart(program, {
      find: (signal) => zone.then(() => findNginx(flags, { env, log, runFolder }, signal)),
      runFolder,
      logs: (folder, { stdoutOpens, logVolume }) => {
        if (logVolume) return { accessLog: `${usualLogs}/access.log`, errorLog: `${usualLogs}/error.log` };
        return { accessLog: stdoutOpens ? "/dev/stdout" : `${folder.logs}/access.log`, errorLog: "stderr" };
      },
    }),
    healthServer(program, instruments, token, page.requests, () => metrics.exposition()),
    profilerPart(program, token),
    page.part,
    begun("problems of the flags", () => instruments.reports.few("flags", problems)),
    controllerPart(program, instruments, {
      source,
      translate: async () => translateOptions(flags, "run", await zone, pod.namespace),
      fake,
      listeners: [cluster.listener],
      endWithController: false,
      maxDraining: mostOlder,
    }),
    operatorPart(program, instruments, token, source, answers),
    templatePart(
      program,
      instruments,
      flags.templateDir ?? (existsSync(mountedTemplate) ? mountedTemplate : undefined),
    ),
    trafficPart(program, { afterMs: flags.postShutdownGracePeriod * 1000 }),
    countingPart(program, instruments),
    stopped("cluster", () => cluster.leave()),
    webhookPart(program, instruments, { client, accept, source, onSecret, clock }),
    readinessPart(program, instruments, { graceMs: flags.shutdownGracePeriod * 1000 }),
  ];
  const ended = await runParts(parts, ending, log);
  if (ended.kind === "failed") return failed(out, withPortFlag(ended.why, flags), 1);
  const { outlives } = running.nginx.installed;
  log.info(outlives ? "ended; nginx's container continues" : "ended; no nginx is left");
  return 0;
}

/** Resolves with the zone; undefined if the program ends before the API server answers. */
function zoneOf(around: Promise<Around>, ending: AbortSignal): Promise<string | undefined> {
  const ended = new Promise<undefined>((resolve) => ending.addEventListener("abort", () => resolve(undefined)));
  return Promise.race([around.then(({ zone }) => zone), ended]);
}

/** nginx's container may start this much later than the controller's container. */
const besideMs = 60_000;

async function findNginx(
  { nginxSocket }: Flags,
  { env, log, runFolder }: { readonly env: NodeJS.ProcessEnv; readonly log: Log; readonly runFolder: string },
  signal: AbortSignal,
): Promise<FoundNginx> {
  if (!nginxSocket) return nginxHere(env.NGINX_BINARY ?? "nginx", env.PATH ?? "");
  const opened = openRunFolder(runFolder);
  if (!opened.ok) return opened;
  const waiting = () => log.info({ socket: nginxSocket }, "nginx's container is not there yet");
  return remoteNginx(nginxSocket, opened.folder, { limitMs: besideMs, onWait: waiting, signal });
}
