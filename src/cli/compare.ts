/**
 * `sluice compare OLD NEW`: sends the same requests to two addresses and reports where the answers
 * differ, before DNS or a load balancer leads clients from one to the other.
 */
import { askable, gather, type Sources } from "../move/compare/gather.ts";
import { reportOf, reportText } from "../move/compare/report.ts";
import { hostsByUpstream } from "../move/compare/upstream-hosts.ts";
import { addressOf } from "../move/replay/address.ts";
import { routeRequests } from "../move/replay/probes.ts";
import { type Counts, replay } from "../move/replay/replay.ts";
import { type Call, type ToolOption, toolCall } from "../tools/call.ts";
import { readObjects } from "../tools/read.ts";
import { translated } from "../tools/translated.ts";
import { withController } from "../tools/with-controller.ts";
import { failedAs, type Out, printed, printNotes } from "./out.ts";

const failed = failedAs("compare");

export const compareOptions: readonly ToolOption[] = [
  { name: "log", value: "FILE", doc: "Sends the GET requests of an access log; - is standard input." },
  { name: "log-format", value: "FORMAT", doc: "The log_format of its lines, as nginx has it." },
  {
    name: "requests",
    value: "FILE",
    doc: "Sends the requests of a file: lines with a URL, or with a method and a URL, or JSON.",
  },
  { name: "routes", value: "FOLDER", doc: "Sends one request for each route of a folder of YAML files." },
  { name: "host", value: "NAME", doc: "The host of requests whose line in the log names none.", list: true },
  { name: "send-credentials", doc: "Sends Authorization, cookies and tokens in queries as the log has them." },
  { name: "rate", value: "NUMBER", doc: "Requests per second to each address. Default: 50." },
  {
    name: "limit",
    value: "NUMBER",
    doc: "The most different requests to send. Default: 10000.",
  },
  { name: "timeout", value: "SECONDS", doc: "How long an answer may take. Default: 10." },
  { name: "ignore-header", value: "NAME", doc: "A response header whose differences do not count.", list: true },
  { name: "all", doc: "Shows all differences, and not only the first 50." },
];

const usage = `Usage: sluice compare OLD NEW --log FILE|--requests FILE|--routes FOLDER [...]
       sluice compare OLD NEW --kubeconfig FILE|--context NAME [...]

Sends the same requests to two addresses, and reports by host and path where status, redirect, headers
or body differ. OLD and NEW are addresses such as 192.0.2.10 (http on 80 and https on 443),
https://192.0.2.10:8443, or http://127.0.0.1:8080,https://127.0.0.1:8443 for both schemes. Each request
keeps its own host, as Host and for TLS; certificates are not verified.

Requests come from an access log (its GETs; lines of JSON, --log-format, or the form that ingress-nginx
and Traefik begin with), from a file, and from the routes of a folder or a cluster, one for each route,
with the headers of its canaries and of CORS.

  sluice compare 192.0.2.10 192.0.2.20 --log access.log --context production
  sluice compare http://127.0.0.1:8080 http://127.0.0.1:9090 --routes FOLDER
  sluice compare 192.0.2.10 192.0.2.20 --requests FILE --rate 10 -o json

Dates, ids, and headers of one connection or program (Date, ETag, Server, Via, X-Request-Id ...) are
left out. Where answers differ, both addresses get the request twice more. A difference between two answers
of one address is listed apart and does not count. Credentials of a log, in headers or in parameters
that are named like tokens, keys or passwords, are sent only with --send-credentials. Those in a file
are sent as written.

${compareOptions.map(optionLine).join("")}
Exit code 0 when all answers are equal, 1 when some differ, 2 when it cannot do its work or neither
address answers.
`;

function optionLine({ name, value, doc }: ToolOption): string {
  return `  ${`--${name}${value === undefined ? "" : ` ${value}`}`.padEnd(24)}${doc}\n`;
}

export async function compare(argv: readonly string[], out: Out, colours = false): Promise<number> {
  const call = toolCall(argv, { folders: ["an old address", "a new one"], options: compareOptions });
  if (call.kind === "help") return printed(out, usage);
  if (call.kind === "failure") return failed(out, call.why);
  const [oldText = "", freshText] = call.folders;
  if (freshText === undefined)
    return failed(out, `it takes an old address and a new one, and here is ${oldText || "none"}`);
  const [old, fresh] = [addressOf(oldText), addressOf(freshText)];
  if (!old.ok) return failed(out, old.why);
  if (!fresh.ok) return failed(out, fresh.why);
  const numbers = numbersIn(call.options);
  if (typeof numbers === "string") return failed(out, numbers);
  const sources = await sourcesOf(call, numbers.limit, out);
  if (typeof sources === "string") return failed(out, sources);
  const gathered = await gather(sources);
  if (!gathered.ok) return failed(out, gathered.why);
  const { requests, notes: unasked } = askable(gathered.requests, old.address, fresh.address);
  const notes = [...gathered.notes, ...unasked];
  printNotes(out, "compare", notes);
  if (requests.length === 0) return failed(out, "there is no request to send");
  const ending = new AbortController();
  const end = () => ending.abort();
  process.once("SIGINT", end);
  const compared = await replay(requests, {
    old: old.address,
    fresh: fresh.address,
    rate: numbers.rate,
    timeoutMs: numbers.timeout * 1000,
    ignored: new Set((call.options["ignore-header"] ?? "").toLowerCase().split(",")),
    signal: ending.signal,
    counted: progress(out),
  });
  process.removeListener("SIGINT", end);
  const report = reportOf(compared, { old: oldText, fresh: freshText, notes });
  out.write(
    call.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report, colours, call.options.all !== undefined),
  );
  if (report.failed.length === report.requests) return failed(out, `neither ${oldText} nor ${freshText} answers`);
  return report.differing.length > 0 ? 1 : 0;
}

interface Numbers {
  readonly rate: number;
  readonly limit: number;
  readonly timeout: number;
}

/** Returns the numbers of the options, or a sentence if one cannot be read. */
function numbersIn(options: Call["options"]): Numbers | string {
  const numbers = { rate: 50, limit: 10_000, timeout: 10 };
  for (const name of Object.keys(numbers) as (keyof Numbers)[]) {
    const text = options[name];
    if (text === undefined) continue;
    if (!/^[1-9]\d{0,6}$/.test(text))
      return `--${name} takes a whole number from 1, and here is ${JSON.stringify(text)}`;
    numbers[name] = Number(text);
  }
  return numbers;
}

async function sourcesOf(call: Call, limit: number, out: Out): Promise<Sources | string> {
  const { log, requests, routes: folder, host, "log-format": logFormat } = call.options;
  if (log === undefined && requests === undefined && folder === undefined && !call.live)
    return "it takes requests from --log, --requests, --routes or a cluster, and none of them is named";
  const names = host === undefined ? [] : host.split(",");
  const sources: Sources = {
    ...(log === undefined ? {} : { log }),
    ...(requests === undefined ? {} : { requests }),
    ...(logFormat === undefined ? {} : { logFormat }),
    hosts: names.map((name) => ({ name: name.toLowerCase(), scheme: "http" })),
    credentials: call.options["send-credentials"] !== undefined,
    limit,
  };
  if (folder === undefined && !call.live) return sources;
  const read = await readObjects(call, folder, "workloads");
  if (!read.ok) return read.why;
  printNotes(out, "compare", read.notes);
  const { flags, as } = withController(call, read.files);
  const { configuration } = translated(read.files, flags, as);
  return { ...sources, routes: routeRequests(configuration), hostsOf: hostsByUpstream(configuration) };
}

/** Prints the progress once in five seconds. */
function progress(out: Out): (counts: Counts) => void {
  let printedAt = performance.now();
  return ({ total, done, differing }) => {
    if (performance.now() - printedAt < 5000) return;
    printedAt = performance.now();
    out.fail(`sluice compare: ${done} of ${total} requests, ${differing} different`);
  };
}
