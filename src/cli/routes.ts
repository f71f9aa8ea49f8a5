/**
 * `sluice routes`: lists where each host and path leads, with endpoints, certificate and canaries.
 * The source is a running controller with its run folder, or a folder of YAML.
 */
import type { ShadowReport } from "../ask/matcher/shadow/report.ts";
import { denialsOf } from "../ask/routes/routes.ts";
import { askController, type OperatorPlace } from "../ask/routes/socket.ts";
import { type AnyRoute, allRoutesOf } from "../ask/routes/streams.ts";
import { type Call, type ToolOption, toolCall } from "../tools/call.ts";
import {
  closedNote,
  gatewaysLeftOutNote,
  leftOutNote,
  parentlessNote,
  refusedNote,
  unreadNote,
  unservedNote,
} from "../tools/left-out.ts";
import {
  candidatesIn,
  hint,
  isAround,
  isMeant,
  isNarrow,
  type Narrow,
  narrowOf,
  narrowOptions,
} from "../tools/narrow.ts";
import { readObjects } from "../tools/read.ts";
import { routesText } from "../tools/routes/print.ts";
import { runFolderOf } from "../tools/run-folder.ts";
import { translated } from "../tools/translated.ts";
import { tryingSnippets } from "../tools/tried-snippets.ts";
import { withController } from "../tools/with-controller.ts";
import { failedAs, type Out, printed, printNotes } from "./out.ts";
import { shadowText } from "./shadows.ts";

const failed = failedAs("routes");

export const routesOptions: readonly ToolOption[] = [
  ...narrowOptions,
  {
    name: "shadow",
    doc: "Lists requests that routes in shadow would have taken, as a running controller has counted them.",
  },
];

const usage = `Usage: sluice routes [-n NAMESPACE] [--ingress NAME] [--host NAME] [--run-folder FOLDER] [-o json]
       sluice routes --shadow [--host NAME] [--run-folder FOLDER] [-o json]
       sluice routes FOLDER [flags] [-n NAMESPACE] [--ingress NAME] [--host NAME] [--kubeconfig FILE]
                     [--context NAME] [-o json]

Lists which host and path leads to which Service, how many of its endpoints are ready, which canaries it
has, and which certificate the host has and until when. TCP, UDP and passed-through TLS come last, by
name and port.

Without a folder the command asks a running controller, through the socket in its run folder
(/run/sluice in the image, ./run for sluice serve). With a folder, a file or a cluster it shows the
routes that a controller would make of it. Where the controller's Deployment is there, its class and
flags count.

With --shadow it lists the requests that routes in shadow would have taken, from which Ingress or route,
and what would differ. Examples have no headers and no values of queries.

Exit code 0, or 2 when it cannot do its work.
`;

export async function routes(argv: readonly string[], out: Out, now: Date, colours = false): Promise<number> {
  const call = toolCall(argv, { folders: ["a folder"], optional: true, options: routesOptions });
  if (call.kind === "help") return printed(out, usage);
  if (call.kind === "failure") return failed(out, call.why);
  if (call.options.shadow !== undefined) return shadows(call, out);
  const found = await routesFrom(call, narrowOf(call.options));
  if (!found.ok) return failed(out, found.why);
  printNotes(out, "routes", found.notes);
  if (call.json) out.write(`${JSON.stringify(found.routes, null, 2)}\n`);
  else if (found.routes.length > 0 || found.notes.length === 0) out.write(routesText(found.routes, now, colours));
  return 0;
}

async function shadows(call: Call, out: Out): Promise<number> {
  const isAsked = call.folders.length === 0 && !call.live;
  const answered = isAsked
    ? await askController<readonly ShadowReport[]>(runFolderOf(call.flags.runFolder), "/shadows")
    : ({ ok: false, why: "--shadow asks a running controller, so it takes no folder and no cluster" } as const);
  if (!answered.ok) return failed(out, answered.why);
  const { host } = narrowOf(call.options);
  const selected = answered.answer.filter((one) => host === undefined || one.host === host);
  out.write(call.json ? `${JSON.stringify(selected, null, 2)}\n` : shadowText(selected));
  return 0;
}

type Found = { readonly ok: true; readonly routes: readonly AnyRoute[]; readonly notes: readonly string[] };

async function routesFrom(call: Call, narrow: Narrow): Promise<Found | { readonly ok: false; readonly why: string }> {
  const { flags: given, folders, live } = call;
  if (folders.length === 0 && !live) return fromController(runFolderOf(given.runFolder), narrow);
  const read = await readObjects(call, folders[0], "workloads");
  if (!read.ok) return read;
  const { flags, as, from } = withController(call, read.files);
  const translation = translated(read.files, flags, as);
  const { snapshot, options, configuration, accepted, problems } = translation;
  const routes = allRoutesOf(configuration, snapshot, narrow.host).filter(({ ingress }) => isMeant(ingress, narrow));
  const isAbout = (key: string) => (isNarrow(narrow) ? routes.length === 0 && isMeant(key, narrow) : true);
  const denials = denialsOf(configuration, narrow.host).filter(({ ingress }) => isMeant(ingress, narrow));
  const tried = await tryingSnippets(translation, flags, process.env);
  return {
    ok: true,
    routes,
    notes: [
      ...read.notes,
      from && `class and flags are those of ${from}`,
      isNarrow(narrow) && routes.length === 0 ? hint(narrow, candidatesIn(snapshot)) : undefined,
      leftOutNote(snapshot, (key) => accepted.has(key) || !isAbout(key), options.ingressClass),
      refusedNote([...problems.values()].flat(), isAbout),
      tried.isTested ? undefined : tried.note,
      unservedNote(tried.problems, (key) => accepted.has(key) && isMeant(key, narrow)),
      gatewaysLeftOutNote(snapshot, (key) => isAround(key, narrow), options.gateway.controllerName),
      live ? undefined : parentlessNote(snapshot, (key) => isAround(key, narrow)),
      live ? undefined : closedNote(snapshot, denials),
      isNarrow(narrow) && routes.length > 0 ? undefined : unreadNote(read.files),
    ].filter((note) => note !== undefined),
  };
}

const askRoutes = (place: OperatorPlace, host: string | undefined) =>
  askController<readonly AnyRoute[]>(place, "/routes", { host });

/**
 * Reads the routes of a running controller. If none matches, all routes are read for the hint.
 */
async function fromController(place: OperatorPlace, narrow: Narrow) {
  const answered = await askRoutes(place, narrow.host);
  if (!answered.ok) return answered;
  const routes = answered.answer.filter(({ ingress }) => isMeant(ingress, narrow));
  if (routes.length > 0 || !isNarrow(narrow)) return { ok: true as const, routes, notes: [] };
  const all = await askRoutes(place, undefined);
  const candidates = all.ok ? all.answer.map(({ ingress, host }) => ({ key: ingress, hosts: [host] })) : [];
  const missed = hint(narrow, candidates);
  return { ok: true as const, routes, notes: missed === undefined ? [] : [missed] };
}
