/**
 * `sluice compat`: reports how much of a cluster moves from ingress-nginx as it is, what differs
 * and how, and what needs work. It reads files, a dump, values files or a live cluster, and changes
 * nothing. It names everything that it cannot judge, and its exit code shows it.
 */
import { isMapping } from "../core/model/mapping.ts";
import type { Assessment } from "../move/compat/assess.ts";
import { type ReadValues, readValues, type ValuesSource } from "../move/compat/chart/values.ts";
import { readDifferences } from "../move/compat/differences.ts";
import { endings, exitCode, readEndings } from "../move/compat/endings.ts";
import { assessed } from "../move/compat/gather.ts";
import { severities } from "../move/compat/item.ts";
import { reportMarkdown } from "../move/compat/markdown.ts";
import { othersIn } from "../move/compat/others.ts";
import { withNamesFilled } from "../move/compat/placeholders.ts";
import { reportText } from "../move/compat/report.ts";
import { type Sources, sourcesIn } from "../move/compat/sources.ts";
import type { Unjudged } from "../move/compat/unjudged.ts";
import { type Call, type ToolOption, toolCall } from "../tools/call.ts";
import { controllersIn, type FoundController } from "../tools/controller.ts";
import type { Files } from "../tools/folder.ts";
import { type ReadObjects, readObjects } from "../tools/read.ts";
import { isAboutIngresses, type TextFile, textsIn, unreadTexts } from "../tools/texts.ts";
import { counted, green, painter, red, yellow } from "../tools/words.ts";
import { failedAs, type Out, printed } from "./out.ts";

const failed = failedAs("compat");

export const compatOptions: readonly ToolOption[] = [
  { name: "values", value: "FILE", list: true, doc: "Judges this values file of ingress-nginx's chart as well." },
  {
    name: "controller",
    value: "NAMESPACE/NAME",
    doc: "The Deployment or DaemonSet to go by, where several run ingress-nginx.",
  },
  { name: "all", doc: "Names everything, where a page would name the first few." },
  {
    name: "fail-on",
    value: "LIST",
    doc: "What makes the exit code another than 0: work, differs, unjudged or nothing.",
  },
];

const usage = `Usage: sluice compat [flags] [PATH] [--values FILE] [--kubeconfig FILE] [--context NAME] [--controller NAMESPACE/NAME]
                     [--all] [--fail-on LIST] [-o json|markdown]

Reports how much of a cluster can move from ingress-nginx to Sluice unchanged. It lists whether each
Ingress, annotation, ConfigMap key, flag and chart value in use is the same, differs or needs work.
Parts that cannot be judged are listed with file, line and reason. PATH is a folder of YAML files, a
dump, or - for standard input:

  kubectl get ingress,ingressclass,service,configmap,deployment,daemonset --all-namespaces -o yaml | sluice compat -

With --kubeconfig or --context a live cluster is read; nothing is changed. The controller's flags and
ConfigMap come from its Deployment or DaemonSet; flags given here come on top. Values of the chart are
read from --values (several are laid over each other), from Helm's releases in a cluster, and in PATH
wherever they are written: in values files, in objects of any tool, in a heredoc. Annotations and keys
of ingress-nginx are judged in any text, such as values of other charts, templates and Terraform.
Snippets are tested by the nginx of this machine, if it has one.

Exit code 0 when nothing needs work and all was judged, 1 when something needs work, 3 when something
could not be judged, 2 when it cannot do its work at all. With --fail-on work a file that cannot be
read is no failure; --fail-on differs is stricter; --fail-on nothing only reports.
`;

export async function compat(argv: readonly string[], out: Out, colours = false, width = 120): Promise<number> {
  const call = toolCall(argv, {
    folders: ["a folder or a file"],
    optional: true,
    options: compatOptions,
    outputs: ["text", "json", "markdown"],
  });
  if (call.kind === "help") return printed(out, usage);
  if (call.kind === "failure") return failed(out, call.why);
  const { values: valuesFiles, all, "fail-on": failOn = "work,unjudged" } = call.options;
  const failing = readEndings(failOn);
  if (failing === undefined)
    return failed(out, `--fail-on takes a list of ${endings.join(", ")}, and here is ${JSON.stringify(failOn)}`);
  if (call.folders.length === 0 && !call.live && valuesFiles === undefined)
    return failed(out, "it takes a folder or a file, --values, or --kubeconfig, and here is none");
  const given = await readGiven(call);
  if (!given.ok) return failed(out, given.why);
  const { objects, values, controller } = given;
  const { files, clusterNotes, server } = objects;
  const [folder] = call.folders;
  const texts = folder === undefined || folder === "-" ? [] : textsIn(folder);
  const { flags, argv: words, live } = call;
  const found = sourcesIn(values, files, texts, flags.annotationsPrefix);
  const { sources, groups } = found;
  const judged = await assessed({ files, controller, sources, groups, flags, argv: words, live }, readDifferences());
  const assessment = withUnjudged(judged, call, objects, found, texts);
  const where = server ?? call.folders[0] ?? values.map(({ file }) => file).join(", ");
  if (isEmpty(assessment) && sources.length === 0) return failed(out, nothingIn(where, files));
  const withoutClass = assessment.classless === undefined ? "" : `; ${assessment.classless}`;
  const ofSnippets = assessment.snippets === undefined ? "" : `; ${assessment.snippets}`;
  const by = `${judgedBy(given, sources)}${ofGroups(found)}${ofSnippets}${withoutClass}${ofGatewayApi(files)}`;
  out.write(
    call.output === "text"
      ? reportText(assessment, { where, by }, { paint: paints(colours), width, all: all !== undefined })
      : call.json
        ? `${JSON.stringify(asJson(assessment, `${where}: ${by}`, clusterNotes), null, 2)}\n`
        : reportMarkdown(assessment, `${where}: ${by}`),
  );
  return exitCode(assessment, failing);
}

interface Given {
  readonly ok: true;
  readonly objects: Objects;
  readonly values: readonly ValuesFile[];
  readonly controllers: readonly FoundController[];
  /** The one whose flags and ConfigMap count. */
  readonly controller: FoundController | undefined;
}

type ValuesFile = Extract<ReadValues, { ok: true }>;
type Objects = Pick<Extract<ReadObjects, { ok: true }>, "files" | "clusterNotes" | "server">;

const noObjects: Objects = { files: new Map(), clusterNotes: [] };

/** Reads what the command line names: values files, objects, and the controller among these. */
async function readGiven(call: Call): Promise<Given | { readonly ok: false; readonly why: string }> {
  const { values: valuesFiles, controller: wanted } = call.options;
  const values: ValuesFile[] = [];
  for (const file of valuesFiles?.split(",") ?? []) {
    const read = readValues(file);
    if (!read.ok) return read;
    values.push(read);
  }
  const [folder] = call.folders;
  const hasObjects = folder !== undefined || call.live;
  const read = hasObjects
    ? await readObjects(call, folder, "releases", { prepared: withNamesFilled })
    : { ok: true as const, ...noObjects };
  if (!read.ok) return read;
  const controllers = controllersIn(
    [...read.files].flatMap(([file, { others }]) => others.map((other) => ({ ...other, file }))),
  );
  if (wanted === undefined) return { ok: true, objects: read, values, controllers, controller: controllers[0] };
  const controller = controllers.find((one) => `${one.namespace}/${one.name}` === wanted);
  if (controller === undefined) return { ok: false, why: `no Deployment or DaemonSet ${wanted} runs ingress-nginx` };
  return { ok: true, objects: read, values, controllers, controller };
}

/** Objects whose mistakes leave out a part of what moves; of ConfigMaps, those of ingress-nginx. */
const isOfMove = /^(File|Ingress|IngressClass|Service) |^ConfigMap .*nginx/;

/** Adds everything that was given and that the assessment does not judge. */
function withUnjudged(
  assessment: Assessment,
  { flags, live }: Call,
  { files, clusterNotes }: Objects,
  { unjudged: ofSources, understood }: Sources,
  texts: readonly TextFile[],
): Assessment {
  // Without any object, whatever is in the files was meant.
  const isAlone = ![...files.values()].some(({ objects, others }) => objects.length + others.length > 0);
  const textOf = new Map(texts.map((one) => [one.file, one]));
  const unread = unreadTexts(texts, files.size === 0);
  const unjudged = [
    ...assessment.unjudged.filter(({ at, of }) => {
      if (of !== at?.file) return isOfMove.test(of) || !/^[A-Z]\w+ \S+$/.test(of);
      const text = files.get(of)?.strays?.length ? undefined : textOf.get(of);
      return (
        !unread.has(of) &&
        (isAlone || text === undefined || isAboutIngresses(text)) &&
        !understood.has(`${at.file}:${at.line}`)
      );
    }),
    ...ofSources,
    ...(live ? [] : othersIn(files, flags.annotationsPrefix)),
    ...[...unread].map(([file, why]) => ({ of: file, at: { file, line: 1, column: 1 }, why })),
    ...clusterNotes.map((why) => ({ of: "the cluster", why })),
  ];
  return { ...assessment, unjudged: unjudged.sort(byPlace) };
}

function paints(colours: boolean) {
  const paint = painter(colours);
  return {
    good: (text: string) => paint(text, green),
    bad: (text: string) => paint(text, red),
    warn: (text: string) => paint(text, yellow),
  };
}

function asJson({ classless, snippets, ...assessment }: Assessment, about: string, ofCluster: readonly string[]) {
  const notes = [...ofCluster, ...[snippets, classless].filter((note) => note !== undefined)];
  const items = assessment.items.map((item) => ({ ...item, severity: severities[item.verdict] }));
  const unjudged = assessment.unjudged.map((one) => ({ ...one, severity: "error" }));
  return { about, notes, ...assessment, items, unjudged };
}

const placeText = ({ at, of }: Unjudged): string => (at ? `${at.file} ${String(at.line).padStart(9)}` : of);
const byPlace = (a: Unjudged, b: Unjudged): number => (placeText(a) < placeText(b) ? -1 : 1);

const isEmpty = ({ items, leftOut, unjudged }: Assessment): boolean =>
  items.length + leftOut.length + unjudged.length === 0;

function nothingIn(where: string, files: Files): string {
  const kinds = [...files.values()].reduce((sum, { objects, others }) => sum + objects.length + others.length, 0);
  if (files.size === 0) return `${where} has no YAML or JSON file, so there is nothing to judge`;
  const what = kinds === 0 ? "is empty" : "has no Ingress, and no ConfigMap, flags or chart values of ingress-nginx";
  return `${where} ${what}, so there is nothing to judge${ofGatewayApi(files)}`;
}

/**
 * Returns a sentence about objects of the Gateway API. Sluice serves them, too, but ingress-nginx
 * has nothing to compare them with.
 */
function ofGatewayApi(files: Files): string {
  const kinds = [...files.values()].flatMap(({ objects }) => objects.map(({ kind }) => kind));
  const count = kinds.filter((kind) => /^(Gateway|ListenerSet|\w+Route)$/.test(kind)).length;
  if (count === 0) return "";
  const objects = `${counted(count, "object")} of the Gateway API`;
  return `; ${objects} ${count === 1 ? "is" : "are"} no part of ingress-nginx: sluice check judges ${count === 1 ? "it" : "them"}`;
}

/** Says how many annotations stand outside of Ingresses. */
function ofGroups({ groups }: Sources): string {
  const count = groups.reduce((sum, { annotations }) => sum + annotations.length, 0);
  if (count === 0) return "";
  const where = groups.length === 1 ? "in 1 place, which counts" : `in ${groups.length} places, which count`;
  return `; ${counted(count, "annotation")} ${count === 1 ? "stands" : "stand"} outside of Ingresses, ${where} as ${groups.length} Ingress${groups.length === 1 ? "" : "es"}`;
}

const setsNothing = (value: unknown): boolean =>
  isMapping(value) ? Object.values(value).every(setsNothing) : value === undefined;

function judgedBy({ controller, controllers }: Given, sources: readonly ValuesSource[]): string {
  const more =
    controllers.length > 1
      ? `; ${counted(controllers.length - 1, "other controller")} can be named with --controller`
      : "";
  return `${known()}${more}`;

  function known(): string {
    if (controller !== undefined)
      return `flags and ConfigMap of ${controller.kind} ${controller.namespace}/${controller.name}`;
    if (sources.length === 0) return "no ingress-nginx was found in it, so its flags are taken to be the defaults";
    if (sources.every(({ content }) => setsNothing(content)))
      return "its release of ingress-nginx sets no values, so flags and ConfigMap are the defaults of the chart";
    return "flags and ConfigMap are those that the chart renders from the values";
  }
}
