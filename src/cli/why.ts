/**
 * `sluice why URL`: explains a request step by step: class, host, route, guards, Service, port,
 * endpoints, certificate, Problems, and the changes that would help. It also explains a stream, by
 * its port and name. No request is sent: src/ask/matcher/ computes the answer, from what a running
 * controller serves, or from files, a dump or a live cluster.
 */
import type { Arrival, AskAnswer, AskedStep, AskOutcome, AskQuestion } from "../ask/page/api/ask.ts";
import { explain, explainStream } from "../ask/page/ask/explain.ts";
import { askedIn } from "../ask/page/ask/question.ts";
import { askController } from "../ask/routes/socket.ts";
import { visible } from "../base/visible.ts";
import { decideOptions } from "../controller/flags/options.ts";
import { type Call, type ToolOption, toolCall } from "../tools/call.ts";
import { findingsIn } from "../tools/findings.ts";
import { unreadFilesNote } from "../tools/left-out.ts";
import { readObjects } from "../tools/read.ts";
import { runFolderOf } from "../tools/run-folder.ts";
import { translated } from "../tools/translated.ts";
import { tryingSnippets } from "../tools/tried-snippets.ts";
import { withController } from "../tools/with-controller.ts";
import { failedAs, type Out, printed, printNotes } from "./out.ts";

const failed = failedAs("why");

export const whyOptions: readonly ToolOption[] = [
  { name: "header", short: "H", value: "NAME:VALUE", list: true, doc: "A header of the request, as curl takes it." },
  { name: "request", short: "X", value: "METHOD", doc: "The method; GET where none is named." },
  { name: "client", value: "ADDRESS", doc: "The client's address, for lists of addresses." },
];

const usage = `Usage: sluice why URL [-H NAME:VALUE] [-X METHOD] [--client ADDRESS] [--run-folder FOLDER] [-o json]
       sluice why URL PATH [-H NAME:VALUE] [-X METHOD] [--client ADDRESS] [flags] [-o json]
       sluice why URL [PATH] --kubeconfig FILE [--context NAME] [...]

Explains the answer to a request, in the order in which nginx decides: the host and path that take it,
the guards before it, the Service, port and endpoints behind it, the certificate, and the Problems of
the Ingress or route. Where the request gets no answer, it lists what would have to change.

Without a PATH a running controller is asked, through the socket in its run folder (/run/sluice in the
image, ./run for sluice serve), about what it serves. PATH is a folder, a file such as a dump,
or - for standard input; with --kubeconfig or --context a live cluster is read. The request itself is
never sent.

tcp://HOST:PORT, udp://HOST:PORT and tls://HOST:PORT ask where a connection or a datagram goes, and
HOST:PORT does where a stream has the port.

  sluice why https://shop.example.com/cart
  sluice why https://shop.example.com/cart FOLDER
  sluice why http://shop.example.com/ FOLDER -X OPTIONS -H "Origin: https://app.example.com"
  sluice why tcp://db.example.com:5432 FOLDER

Exit code 0 when the request reaches an endpoint or is redirected, 1 when it is refused or finds
nothing, 2 when it cannot do its work.
`;

export async function why(argv: readonly string[], out: Out, now: Date): Promise<number> {
  const call = toolCall(argv, { folders: ["a URL", "a folder or a file"], optional: true, options: whyOptions });
  if (call.kind === "help") return printed(out, usage);
  if (call.kind === "failure") return failed(out, call.why);
  const [url = "", folder] = call.folders;
  const question = questionOf(url, call.options);
  if (typeof question === "string") return failed(out, question);
  const isLive = folder === undefined && !call.live;
  const outcome = isLive ? await fromController(call, question) : await fromFiles(call, question, out, now);
  if (!outcome.ok) return failed(out, outcome.why);
  const { answer } = outcome;
  out.write(call.json ? `${JSON.stringify(answer, null, 2)}\n` : textOf(answer, isLive));
  return answer.arrivals.some(isBad) ? 1 : 0;
}

function isBad({ end }: Arrival): boolean {
  return end.kind === "answer" ? end.status >= 400 : end.kind !== "proxied";
}

async function fromController({ flags }: Call, question: AskQuestion): Promise<AskOutcome> {
  const answered = await askController<AskOutcome>(runFolderOf(flags.runFolder), "/ask", {
    question: JSON.stringify(question),
  });
  if (answered.ok) return answered.answer;
  const hint = answered.isAway ? "; name a folder or a file after the URL to ask about what it holds" : "";
  return { ok: false, why: `${answered.why}${hint}` };
}

async function fromFiles(call: Call, question: AskQuestion, out: Out, now: Date): Promise<AskOutcome> {
  const asked = askedIn(question);
  if (typeof asked === "string") return { ok: false, why: asked };
  const read = await readObjects(call, call.folders[1], "workloads");
  if (!read.ok) return read;
  const unread = unreadFilesNote(read.files);
  printNotes(out, "why", [...read.notes, unread]);
  const { flags, as, from } = withController(call, read.files);
  const translation = translated(read.files, flags, as);
  const { library, snapshot, options, configuration, accepted, problems } = translation;
  const tried = await tryingSnippets(translation, flags, process.env);
  const world = {
    ...{ served: configuration, snapshot, options },
    decide: decideOptions(flags),
    flagsOf: from === undefined ? `flags are the defaults of ${as} and those given here` : `flags of ${from}`,
    isServed: (key: string) => accepted.has(key),
    problems: [...problems.values()].flat(),
    findings: findingsIn(read.files, flags, as, read.written, tried.problems, translation),
    unread: library.unread,
  };
  return { ok: true, answer: explainStream(asked, world) ?? explain({ world, asked: asked.request!, now }) };
}

/** Returns a sentence if a header is malformed. */
function questionOf(url: string, { header, request, client }: Readonly<Record<string, string>>): AskQuestion | string {
  const headers: Record<string, string> = {};
  for (const line of header === undefined ? [] : header.split(/,(?=[\w-]+:)/)) {
    const [, name, value] = /^\s*([\w-]+)\s*:\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) return `-H takes NAME:VALUE, and here is ${JSON.stringify(line)}`;
    headers[name] = value!;
  }
  return {
    url,
    headers,
    ...(request === undefined ? {} : { method: request }),
    ...(client === undefined ? {} : { client }),
  };
}

function textOf({ request: { method, scheme, host, target }, arrivals }: AskAnswer, isLive: boolean): string {
  const asked = isLive ? lineOf({ what: "asked", says: "the running controller" }) : "";
  const parts = arrivals.map(({ steps }) => steps.map(lineOf).join(""));
  const more = lineOf({ what: "or", says: "by the address to which the name leads" });
  const line = scheme === "stream" ? host : `${scheme}://${host}${target}`;
  return `${visible(method === "" ? line : `${method} ${line}`)}\n${asked}${parts.join(more)}`;
}

const lineOf = ({ what, says }: AskedStep): string => `  ${`${what}:`.padEnd(13)}${visible(says)}\n`;
