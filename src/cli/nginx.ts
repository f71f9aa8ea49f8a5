/**
 * `sluice nginx`: runs nginx in a container of its own, without the API token. It starts nginx,
 * keeps it running, and follows the orders of the controller in the other container (`sluice run
 * --nginx-socket`), through the run folder that both share. If the controller ends or crashes,
 * nginx goes on serving: only a signal to this program ends it.
 */
import { setTimeout as delay } from "node:timers/promises";
import { reportCallbacks } from "../base/callbacks.ts";
import { build } from "../base/version.ts";
import { parseFlags } from "../controller/flags/parse.ts";
import { endOfPatienceMs, listenForEnding } from "../controller/run/ending.ts";
import { answerWhileAway } from "../controller/streams-while-away.ts";
import { streamService } from "../core/render/streams/pools.ts";
import { mostOlder } from "../core/sync/generations.ts";
import { callbackLog } from "../edges/log/callback-log.ts";
import { openLog } from "../edges/log/log.ts";
import { nginxLog } from "../edges/log/nginx-log.ts";
import { makeLogFolders, nginxHere, openOrders, openRunFolder, socketMistake } from "../nginx/index.ts";
import { failedAs, type Out, printed } from "./out.ts";

const failed = failedAs("nginx");

const usage = `Usage: sluice nginx --nginx-socket=FILE [--run-folder=FOLDER] [--stream-port=PORT] [--shutdown-grace-period=SECONDS] [--v=LEVEL]

Runs nginx for a controller in another container. Both are started with the same --nginx-socket,
--stream-port and run folder.
`;

/**
 * Returns exit code 0 after a signal, 1 when it could not start, 2 for a mistake in the command
 * line.
 */
export async function nginx(argv: readonly string[], out: Out, host: NodeJS.Process): Promise<number> {
  const parsed = parseFlags(argv, "run");
  if (parsed.kind === "help") return printed(out, usage);
  if (parsed.kind === "version") return printed(out, `${build.name} ${build.release}\n`);
  if (parsed.kind === "failure") return failed(out, parsed.why);
  const { flags } = parsed;
  const { env, stdout } = host;
  const socket = flags.nginxSocket ?? "";
  if (socket === "") return failed(out, "which socket? Name it with --nginx-socket=FILE");
  const ending = listenForEnding(host, ["SIGINT"]);
  const write = (text: string): void => void stdout.write(text);
  const log = openLog({ verbosity: flags.v, terminal: false, write });
  reportCallbacks(callbackLog(log));

  makeLogFolders();
  const found = await nginxHere(env.NGINX_BINARY ?? "nginx", env.PATH ?? "");
  if (!found.ok) return failed(out, found.why, 1);
  const folder = openRunFolder(flags.runFolder ?? env.SLUICE_RUN_FOLDER ?? "/run/sluice");
  if (!folder.ok) return failed(out, folder.why, 1);
  const mistake = socketMistake(socket);
  if (mistake !== undefined) return failed(out, mistake, 1);
  const streams = found.nginx.capabilities.upstreamResolve
    ? answerWhileAway({
        port: flags.streamPort,
        service: streamService(folder.folder),
        journal: folder.folder.journal,
        report: () => log.info("the controller is away: nginx gets the last endpoints of streams from the journal"),
      })
    : undefined;
  const opened = await found.nginx.open({
    // The other lock of the folder belongs to the controller.
    folder: { ...folder.folder, lock: folder.folder.nginxLock },
    endWithController: false,
    maxDraining: mostOlder,
    report: nginxLog({ log, write, notices: true }),
  });
  if (!opened.ok) {
    await streams?.end();
    return failed(out, opened.why, 1);
  }
  const orders = await openOrders(socket, {
    nginx: opened.nginx,
    known: { capabilities: found.nginx.capabilities, place: found.nginx.place },
    pass: folder.folder.controllerPass,
    onOrder: async () => streams?.controllerIsHere(),
  });
  if (!orders.ok) {
    await opened.nginx.stop(0);
    await streams?.end();
    return failed(out, orders.why, 1);
  }
  log.info({ socket }, "nginx takes orders");

  const because = await ending.ended;
  log.info({ because }, "ending; requests in flight are finished");
  // The controller reports meanwhile that it is not ready, so that no new requests arrive.
  const graceMs = flags.shutdownGracePeriod * 1000;
  if (graceMs > 0) await Promise.all([delay(graceMs), opened.nginx.closeConnections()]);
  await orders.close();
  await streams?.end();
  await opened.nginx.stop(endOfPatienceMs);
  log.info("ended; no nginx is left");
  return 0;
}
