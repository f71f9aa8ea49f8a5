/**
 * `sluice run`: the controller of a cluster, started with the flags of ingress-nginx.
 * What a newcomer would get wrong: nginx comes up first, with the last good configuration if there is one, and serves while the API server is
 * still being looked for. Nothing is changed before every list is in.
 */
import { existsSync } from "node:fs";
import { Client } from "../kubernetes/index.ts";
import { type Log, openLog } from "../log/log.ts";
import { RuntimeMetrics } from "../metrics/runtime-metrics.ts";
import { type FoundNginx, nginxHere, openRunFolder, remoteNginx, versionOf } from "../nginx/index.ts";
import { mostOlder } from "../sync/generations.ts";
import { systemClock } from "../timing/clock.ts";
import { build } from "../version.ts";
import { parseFlags } from "./flags/parse.ts";
import type { Flags } from "./flags.ts";
import { helpText } from "./help.ts";
import { translateOptions } from "./options.ts";
import type { Out } from "./reference.ts";
import { openClusterSide } from "./run/cluster-side.ts";
import { credentialsOf } from "./run/credentials.ts";
import { listenForEnding } from "./run/ending.ts";
import { operate } from "./run/operate.ts";
import { metricLabels } from "./run/running.ts";
import { WebhookSide } from "./run/webhook-side.ts";

/** Where the chart mounts a template of the user's own. */
const mountedTemplate = "/etc/nginx/template";

/** Exit code 0 after a signal, 1 when it could not start or go on, 2 for a mistake in the command line. */
export async function run(argv: readonly string[], out: Out, host: NodeJS.Process): Promise<number> {
  const parsed = parseFlags(argv, "run");
  if (parsed.kind === "help") return said(out, helpText("run"));
  if (parsed.kind === "version") return said(out, `${build.name} ${build.release}\n`);
  if (parsed.kind === "failure") return failed(out, parsed.why, 2);
  const { flags, problems } = parsed;
  const { env, stdout } = host;
  const pod = { namespace: env.POD_NAMESPACE ?? "", name: env.POD_NAME ?? "" };
  const found = await credentialsOf(flags, env);
  if (!found.ok) return failed(out, found.why, 1);
  // kubelet and a preStop hook may both send SIGTERM; the second one must not cut the first one's work short.
  const ending = listenForEnding(host, ["SIGINT"]);
  const write = (text: string): void => void stdout.write(text);
  const terminal = stdout.isTTY ? { colours: stdout.hasColors() } : false;
  const log = openLog({ verbosity: flags.v, terminal, write });
  log.info({ release: build.release, server: found.credentials.server.host }, "starting");

  const userAgent = `sluice/${build.release} (${process.platform}/${process.arch}) ${build.build}`;
  const metrics = new RuntimeMetrics({
    labels: metricLabels(flags, pod),
    enabled: flags.enableMetrics,
    electionId: flags.electionId,
  });
  const client = new Client(found.credentials, { userAgent, report: (request) => metrics.request(request) });
  const accept = translateOptions(flags, "run", undefined);
  const cluster = openClusterSide({
    client,
    flags,
    accept,
    env,
    log,
    clock: systemClock,
    random: Math.random,
    metrics,
  });
  const { source, onSecret } = cluster;
  const webhook = new WebhookSide({ client, flags, accept, source, onSecret, clock: systemClock });
  // Only this flag's users wait for the API server before nginx comes up.
  const around = flags.enableTopologyAwareRouting ? await Promise.race([cluster.around, ending.told]) : undefined;
  const zone = typeof around === "object" ? around.zone : undefined;
  const runFolder = flags.runFolder ?? env.SLUICE_RUN_FOLDER ?? "/run/sluice";
  const installed = await findNginx(flags, { env, log, runFolder }, ending.told);
  const operated = await operate({
    flags,
    translate: translateOptions(flags, "run", zone),
    source: cluster.source,
    otherProblems: (reports, lacks) => {
      reports.few("flags", problems);
      webhook.begin((event) => reports.webhook(event), lacks);
    },
    log,
    lines: { write, notices: !stdout.isTTY || flags.v > 0 },
    nginx: installed,
    runFolder,
    templateFolder: flags.templateDir ?? (existsSync(mountedTemplate) ? mountedTemplate : undefined),
    logs: (folder, { stdoutOpens }) => ({
      accessLog: stdoutOpens ? "/dev/stdout" : `${folder.logs}/access.log`,
      errorLog: "stderr",
    }),
    endWithController: false,
    maxDraining: mostOlder,
    pod,
    moreMetrics: () => metrics.exposition(),
    leads: () => cluster.leads,
    listeners: [cluster.listener],
    told: Promise.race([ending.told, cluster.failure, webhook.failure]),
    leave: async () => {
      await webhook.stop();
      await cluster.leave();
    },
    timing: { graceMs: flags.shutdownGracePeriod * 1000, afterMs: flags.postShutdownGracePeriod * 1000 },
    ready: () => log.info({ http: flags.httpPort, https: flags.httpsPort, ...versionOf(installed) }, "serving"),
  });
  await cluster.end();
  client.close();
  if (operated.kind === "failed") return failed(out, operated.why, 1);
  log.info(installed.ok && installed.nginx.outlives ? "ended; nginx's container goes on" : "ended; no nginx is left");
  return 0;
}

/** How long nginx's container may start later than this one. */
const besideMs = 60_000;

async function findNginx(
  { nginxSocket }: Flags,
  { env, log, runFolder }: { readonly env: NodeJS.ProcessEnv; readonly log: Log; readonly runFolder: string },
  told: Promise<unknown>,
): Promise<FoundNginx> {
  if (!nginxSocket) return nginxHere(env.NGINX_BINARY ?? "nginx", env.PATH ?? "");
  const opened = openRunFolder(runFolder);
  if (!opened.ok) return opened;
  const given = new AbortController();
  void told.then(() => given.abort());
  const waiting = () => log.info({ socket: nginxSocket }, "nginx's container is not there yet");
  return remoteNginx(nginxSocket, opened.folder, { limitMs: besideMs, told: waiting, signal: given.signal });
}

function said(out: Out, text: string): number {
  out.write(text);
  return 0;
}

function failed(out: Out, why: string, code: number): number {
  out.fail(`sluice run: ${why}`);
  return code;
}
