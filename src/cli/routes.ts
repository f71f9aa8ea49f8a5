/**
 * `sluice routes`: which host and path leads where, with endpoints, certificate and canaries: of the controller that runs in a run
 * folder, or of a folder of YAML, which no controller has to serve.
 */
import { existsSync } from "node:fs";
import { pathsOf } from "../nginx/folder/paths.ts";
import { routesOf, type ServedRoute } from "../routes/routes.ts";
import { askRoutes, type RoutesPlace } from "../routes/socket.ts";
import { translate } from "../translate/translator.ts";
import { emptyInputs } from "../translate/turn.ts";
import { translateOptions } from "./options.ts";
import type { Out } from "./reference.ts";
import { type ToolCall, type ToolOption, toolCall } from "./tools/call.ts";
import { newLibrary, unmadeCertificate } from "./tools/folder.ts";
import { readObjects } from "./tools/read.ts";
import { counted, painter, red, yellow } from "./tools/words.ts";

export const routesOptions: readonly ToolOption[] = [
  { name: "host", value: "NAME", doc: "Tells the routes of this host only; a wildcard that takes it counts." },
];

const usage = `Usage: sluice routes [--host NAME] [--run-folder FOLDER] [-o json]
       sluice routes FOLDER [flags] [--host NAME] [--kubeconfig FILE] [--context NAME] [-o json]

Says which host and path leads to which Service, how many of its endpoints are ready, which canaries it has, and which certificate the host has
and until when. Without a folder a running controller is asked, through the socket in its run folder (/run/sluice in the image, ./run for sluice
serve); with a folder, a file or a cluster, what a controller would make of it.
Exit code 0, or 2 when it cannot do its work.
`;

export async function routes(argv: readonly string[], out: Out, now: Date, colours = false): Promise<number> {
  const call = toolCall(argv, { folders: ["a folder"], optional: true, options: routesOptions });
  if (call.kind === "help") {
    out.write(usage);
    return 0;
  }
  const found = call.kind === "call" ? await routesFrom(call) : { ok: false as const, why: call.why };
  if (call.kind === "failure" || !found.ok) {
    out.fail(`sluice routes: ${found.ok ? "" : found.why}`);
    return 2;
  }
  out.write(call.json ? `${JSON.stringify(found.routes, null, 2)}\n` : asText(found.routes, now, colours));
  return 0;
}

async function routesFrom(call: ToolCall & { readonly kind: "call" }) {
  const { flags, options, folders, live } = call;
  if (folders.length === 0 && !live) return askRoutes(placeOf(flags.runFolder), options.host);
  const read = await readObjects(call, folders[0]);
  if (!read.ok) return read;
  const library = newLibrary(flags);
  library.change(read.files);
  const { snapshot } = library;
  const inputs = { ...emptyInputs, snapshot };
  const { configuration } = translate(
    inputs,
    translateOptions(flags, live ? "run" : "serve", undefined),
    unmadeCertificate,
  );
  return { ok: true as const, routes: routesOf(configuration, snapshot, options.host) };
}

/** That of `sluice serve` lies in the present folder. */
function placeOf(given: string | undefined): RoutesPlace {
  const usual = process.env.SLUICE_RUN_FOLDER ?? (existsSync("run/sockets") ? "run" : "/run/sluice");
  return pathsOf(given ?? usual);
}

/** A certificate that ends so soon is worth a colour. */
const soonMs = 14 * 86_400_000;

function asText(all: readonly ServedRoute[], now: Date, colours: boolean): string {
  const paint = painter(colours);
  const rows = all.map((route) => [
    `${route.host}${route.path}`,
    route.type,
    route.ingress,
    route.service === "" ? "the default backend" : route.service,
    endpointsOf(route),
    certificateOf(route),
  ]);
  const head = ["HOST AND PATH", "TYPE", "INGRESS", "SERVICE", "ENDPOINTS", "CERTIFICATE"];
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join("  ")
      .trimEnd();
  const lines = rows.map((row, at) => {
    const route = all[at]!;
    const bad = route.denied || (route.service !== "" && route.endpoints.length === 0) || isPast(route, now, 0);
    const text = bad ? paint(line(row), red) : isPast(route, now, soonMs) ? paint(line(row), yellow) : line(row);
    const canaries = route.canaries.map(
      (one) => `\n  canary ${one.service} (${counted(one.endpoints, "endpoint")}): ${one.when}`,
    );
    const why = route.why === undefined ? "" : `\n  answers 503: ${route.why}`;
    return `${text}${why}${canaries.join("")}\n`;
  });
  return `${line(head)}\n${lines.join("")}${counted(all.length, "route")}\n`;
}

function endpointsOf({ service, endpoints, notReady, denied }: ServedRoute): string {
  if (denied) return "answers 503";
  if (service === "") return "";
  return `${endpoints.length} ready${notReady === 0 ? "" : `, ${notReady} not`}`;
}

function certificateOf({ certificate }: ServedRoute): string {
  return certificate === undefined ? "default" : `${certificate.secret} until ${certificate.expires.slice(0, 10)}`;
}

function isPast({ certificate }: ServedRoute, now: Date, aheadMs: number): boolean {
  return certificate !== undefined && Date.parse(certificate.expires) < now.getTime() + aheadMs;
}
