/**
 * `sluice dbg`: implements the commands that ingress-nginx's kubectl plugin runs inside a Pod,
 * through the image's `/dbg`. It reads the files that the controller keeps for nginx. So it needs
 * no rights, works while the controller is down, and gives the same answers in both containers of a
 * split Pod. Private keys are not printed, although ingress-nginx's command did.
 */
import { readFile } from "node:fs/promises";
import { upstreamLabel } from "../core/model/location.ts";
import { shownOfPair } from "../core/model/pair-record.ts";
import { Journal } from "../nginx/folder/journal.ts";
import { optionsIn } from "../tools/call.ts";
import { markedConf } from "../tools/marked-conf.ts";
import { folderOption, runFolderOf } from "../tools/run-folder.ts";
import { failedAs, type Out } from "./out.ts";

const usage = `Usage: sluice dbg [--run-folder FOLDER] COMMAND

  backends all        every Upstream with its endpoints, as JSON
  backends list       their names
  backends get NAME   one of them
  certs get HOST      the certificate chain that a host is served
  conf                nginx.conf, with marks around each host
  general             how much is served, as JSON

FOLDER is where the controller keeps its state: /run/sluice in the image, ./run for sluice serve. In
the image the command is also called /dbg, as in that of ingress-nginx.
`;

/** Returns exit code 0, 1 for a thing that does not exist, 2 for a mistake in the command line. */
export async function dbg(argv: readonly string[], out: Out, env: NodeJS.ProcessEnv): Promise<number> {
  const taken = optionsIn(argv, [folderOption]);
  if (!taken.ok) return failedAs("dbg")(out, taken.why);
  const [command = "", verb = "", name = ""] = taken.rest;
  if (["--help", "-h", "help"].includes(command)) {
    return printed(out, usage, "");
  }
  const folder = runFolderOf(taken.options["run-folder"], env);
  const { records } = await Journal.open(folder.journal);
  if (command === "conf") {
    const conf = await readFile(folder.conf, "utf8").catch(() => undefined);
    return printed(out, conf && markedConf(conf, records), folder.conf);
  }
  switch (`${command} ${verb}`.trim()) {
    case "backends all":
      return printed(out, pretty(backendsOf(records)), "");
    case "backends list":
      return printed(out, lines(backendsOf(records).map((one) => one.name)), "");
    case "backends get": {
      const found = backendsOf(records).find((one) => one.name === name);
      return printed(out, found && pretty(found), `backend ${name}`);
    }
    case "certs get":
      return printed(out, chainOf(records, name), `certificate for ${name}`);
    case "general":
      return printed(out, pretty(countsOf(records)), "");
    default:
      out.fail(usage);
      return 2;
  }
}

type Records = ReadonlyMap<string, string>;

interface Backend {
  readonly name: string;
  readonly endpoints: readonly { readonly address: string; readonly port: string }[];
}

/** Returns the backends, sorted by name, as the plugin shows them. */
function backendsOf(records: Records): readonly Backend[] {
  const found = [...records].flatMap(([key, text]): Backend[] => {
    if (!key.startsWith("upstream ")) return [];
    const { label = upstreamLabel(key.slice("upstream ".length)), endpoints } = JSON.parse(text) as {
      readonly label?: string;
      readonly endpoints: readonly string[];
    };
    return [{ name: label, endpoints: endpoints.map(endpointOf) }];
  });
  return found.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

/** Reads `192.0.2.1:80` or `[2001:db8::1]:80`. */
function endpointOf(text: string): { readonly address: string; readonly port: string } {
  const at = text.lastIndexOf(":");
  return { address: text.slice(0, at).replaceAll(/[[\]]/g, ""), port: text.slice(at + 1) };
}

/**
 * Returns the chain for the name; undefined if the name has no certificate, neither its own nor
 * that of a wildcard.
 */
function chainOf(records: Records, host: string): string | undefined {
  const parent = `*${host.slice(host.indexOf("."))}`;
  const pair = records.get(`sni ${host}`) ?? records.get(`sni ${parent}`);
  const text = pair && records.get(`pair ${pair}`);
  return text && shownOfPair(text).chain;
}

function countsOf(records: Records) {
  const count = (kind: string) => [...records.keys()].filter((key) => key.startsWith(`${kind} `)).length;
  return { hosts: count("host"), backends: count("upstream"), certificates: count("pair") };
}

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join("");

function printed(out: Out, text: string | undefined, what: string): number {
  if (text === undefined) {
    out.fail(`sluice dbg: there is no ${what}`);
    return 1;
  }
  out.write(text);
  return 0;
}
