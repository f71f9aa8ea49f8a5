/**
 * `sluice compat`: reports how much of a cluster moves from ingress-nginx as it is, what differs
 * and how, and what needs work. It reads files, a dump, values files or a live cluster, and changes
 * nothing. It names everything that it cannot judge, and its exit code shows it.
 */
import type { Assessment } from "./compat/assess.ts";
import { readValues } from "./compat/chart/values.ts";
import { controllersIn, type FoundController } from "./compat/controller.ts";
import { readDifferences } from "./compat/differences.ts";
import { endings, exitCode, readEndings } from "./compat/endings.ts";
import { assessed } from "./compat/gather.ts";
import { severities } from "./compat/item.ts";
import { reportMarkdown } from "./compat/markdown.ts";
import { otherLanguagesIn } from "./compat/other-languages.ts";
import { othersIn } from "./compat/others.ts";
import { reportText } from "./compat/report.ts";
import { valuesSources } from "./compat/sources.ts";
import type { Unjudged } from "./compat/unjudged.ts";
import { failedAs, type Out, printed } from "./out.ts";
import { type ToolOption, toolCall } from "./tools/call.ts";
import type { Files } from "./tools/folder.ts";
import { readObjects } from "./tools/read.ts";
import { counted, green, painter, red, yellow } from "./tools/words.ts";

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
read from --values (several are laid over each other), and in PATH from values files, umbrella charts,
HelmRelease, HelmChart, Application, ApplicationSet and the helmCharts of a kustomization.

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
  const { values: valuesFiles, controller: wanted, all, "fail-on": failOn = "work,unjudged" } = call.options;
  const failing = readEndings(failOn);
  if (failing === undefined)
    return failed(out, `--fail-on takes a list of ${endings.join(", ")}, and here is ${JSON.stringify(failOn)}`);
  if (call.folders.length === 0 && !call.live && valuesFiles === undefined)
    return failed(out, "it takes a folder or a file, --values, or --kubeconfig, and here is none");
  const values = (valuesFiles?.split(",") ?? []).map(readValues);
  const given = values.flatMap((one) => (one.ok ? [one] : []));
  for (const one of values) if (!one.ok) return failed(out, one.why);
  const [folder] = call.folders;
  const read =
    folder === undefined && !call.live
      ? { ok: true as const, files: new Map() as Files, notes: [], clusterNotes: [], server: undefined }
      : await readObjects(call, folder, "workloads");
  if (!read.ok) return failed(out, read.why);
  const controllers = controllersIn(
    [...read.files].flatMap(([file, { others }]) => others.map((other) => ({ ...other, file }))),
  );
  const controller =
    wanted === undefined ? controllers[0] : controllers.find((one) => `${one.namespace}/${one.name}` === wanted);
  if (wanted !== undefined && controller === undefined)
    return failed(out, `no Deployment or DaemonSet ${wanted} runs ingress-nginx`);
  const { sources, unjudged, understood } = valuesSources(given, read.files);
  const { flags, argv: words, live } = call;
  const main = assessed({ files: read.files, controller, sources, flags, argv: words, live }, readDifferences());
  const assessment: Assessment = {
    ...main,
    unjudged: [
      ...main.unjudged.filter(({ at, of }) => of !== at?.file || !understood.has(`${at.file}:${at.line}`)),
      ...unjudged,
      ...(live ? [] : othersIn(read.files, flags.annotationsPrefix)),
      ...(folder === undefined
        ? []
        : otherLanguagesIn(folder, read.files.size === 0).filter(({ of }) => !read.files.has(of))),
      ...read.clusterNotes.map((why) => ({ of: "the cluster", why })),
    ].sort(byPlace),
  };
  const where = read.server ?? folder ?? given.map(({ file }) => file).join(", ");
  if (isEmpty(assessment) && sources.length === 0) return failed(out, nothingIn(where, read.files));
  const others = [...new Set(sources.flatMap((one) => one.others))];
  const set = sources.length === 0 ? "none" : isEmpty(assessment) ? "nothing" : "values";
  const withoutClass = assessment.classless === undefined ? "" : `; ${assessment.classless}`;
  const by = `${judgedBy(controller, controllers.length, set, others)}${withoutClass}${ofGatewayApi(read.files)}`;
  out.write(
    call.output === "text"
      ? reportText(assessment, { where, by }, { paint: paints(colours), width, all: all !== undefined })
      : call.json
        ? `${JSON.stringify(asJson(assessment, `${where}: ${by}`, read.clusterNotes), null, 2)}\n`
        : reportMarkdown(assessment, `${where}: ${by}`),
  );
  return exitCode(assessment, failing);
}

function paints(colours: boolean) {
  const paint = painter(colours);
  return {
    good: (text: string) => paint(text, green),
    bad: (text: string) => paint(text, red),
    warn: (text: string) => paint(text, yellow),
  };
}

function asJson({ classless, ...assessment }: Assessment, about: string, ofCluster: readonly string[]) {
  const notes = [...ofCluster, ...(classless === undefined ? [] : [classless])];
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

function judgedBy(
  controller: FoundController | undefined,
  count: number,
  set: "none" | "nothing" | "values",
  others: readonly string[],
): string {
  const known =
    controller !== undefined
      ? `flags and ConfigMap of ${controller.kind} ${controller.namespace}/${controller.name}`
      : set === "values"
        ? "flags and ConfigMap are those that the chart renders from the values"
        : set === "nothing"
          ? "its release of ingress-nginx sets no values, so flags and ConfigMap are the defaults of the chart"
          : "no ingress-nginx was found in it, so its flags are taken to be the defaults";
  const more = count > 1 ? `; ${counted(count - 1, "other controller")} can be named with --controller` : "";
  const rest = others.length === 0 ? "" : `; values of other charts are left out: ${others.join(", ")}`;
  return `${known}${more}${rest}`;
}
