/**
 * `sluice compat`: how much of a cluster moves from ingress-nginx as it is, what differs and how, and what needs work. It reads
 * files, a dump, a values file or a live cluster, and changes nothing.
 */
import { assess, type Found } from "./compat/assess.ts";
import { controllersIn, type FoundController } from "./compat/controller.ts";
import { readDifferences } from "./compat/differences.ts";
import { flagsInUse } from "./compat/flags-in-use.ts";
import { reportText } from "./compat/report.ts";
import { type ReadValues, readValues } from "./compat/values.ts";
import { withChartValues } from "./compat/values-as-objects.ts";
import type { Out } from "./reference.ts";
import { type ToolOption, toolCall } from "./tools/call.ts";
import type { Files } from "./tools/folder.ts";
import { readObjects } from "./tools/read.ts";
import { counted, green, painter, red, yellow } from "./tools/words.ts";

export const compatOptions: readonly ToolOption[] = [
  { name: "values", value: "FILE", doc: "Judges this values file of ingress-nginx's chart as well." },
  {
    name: "controller",
    value: "NAMESPACE/NAME",
    doc: "The Deployment or DaemonSet to go by, where several run ingress-nginx.",
  },
];

const usage = `Usage: sluice compat [flags] [PATH] [--values FILE] [--kubeconfig FILE] [--context NAME] [--controller NAMESPACE/NAME] [-o json]

Says how much of a cluster moves from ingress-nginx to Sluice as it is: every Ingress, annotation, ConfigMap key, flag and chart value in
use is the same, differs (and how), or needs work (and what). PATH is a folder of YAML files, a dump, or - for standard input:

  kubectl get ingress,ingressclass,service,configmap,deployment,daemonset --all-namespaces -o yaml | sluice compat -

With --kubeconfig or --context a live cluster is read; nothing is changed. The controller's flags and ConfigMap are found in its Deployment or
DaemonSet; flags given here come on top. Exit code 0 when nothing needs work, 1 when something does, 2 when it cannot do its work.
`;

export async function compat(argv: readonly string[], out: Out, colours = false): Promise<number> {
  const call = toolCall(argv, { folders: ["a folder or a file"], optional: true, options: compatOptions });
  if (call.kind === "help") {
    out.write(usage);
    return 0;
  }
  if (call.kind === "failure") return failed(out, call.why);
  const { values: valuesFile, controller: wanted } = call.options;
  if (call.folders.length === 0 && !call.live && valuesFile === undefined)
    return failed(out, "it takes a folder or a file, --values, or --kubeconfig, and here is none");
  const values = valuesFile === undefined ? undefined : readValues(valuesFile);
  if (values?.ok === false) return failed(out, values.why);
  const [folder] = call.folders;
  const read =
    folder === undefined && !call.live
      ? { ok: true as const, files: new Map() as Files, notes: [], server: undefined }
      : await readObjects(call, folder, "workloads");
  if (!read.ok) return failed(out, read.why);
  const all = controllersIn(
    [...read.files].flatMap(([file, { others }]) => others.map((other) => ({ ...other, file }))),
  );
  const controller = wanted === undefined ? all[0] : all.find((one) => `${one.namespace}/${one.name}` === wanted);
  if (wanted !== undefined && controller === undefined)
    return failed(out, `no Deployment or DaemonSet ${wanted} runs ingress-nginx`);
  const file = valuesFile ?? "";
  const asked = values && withChartValues(values, file, read.files);
  const given = [...(controller?.argv ?? []), ...(asked?.words.map(({ word }) => word) ?? [])];
  const { inUse, flags } = flagsInUse([...given, ...call.argv]);
  const found: Found = {
    files: asked?.files ?? read.files,
    flags: given.length === 0 ? call.flags : { ...flags, configmap: flags.configmap ?? call.flags.configmap },
    flagsKnown: controller !== undefined,
    inUse: inUse
      .filter(({ at }) => at < given.length)
      .map((flag) => {
        const ofChart = asked?.words[flag.at - (controller?.argv.length ?? 0)];
        if (ofChart === undefined) return { ...flag, ...sourceOf(flag.at, controller!, call.live) };
        return {
          ...flag,
          of: "values",
          place: { file, ...(values as ReadValues & { ok: true }).placeOf(ofChart.path) },
        };
      }),
    given: new Map(inUse.map(({ name, text }) => [name, text])),
    values: (values?.values ?? []).map((value) => ({ ...value, file })),
    live: call.live,
  };
  const assessment = assess(found, readDifferences());
  const about = aboutWhat(read.server ?? folder ?? file, controller, all.length);
  const paint = painter(colours);
  const paints = {
    good: (text: string) => paint(text, green),
    bad: (text: string) => paint(text, red),
    warn: (text: string) => paint(text, yellow),
  };
  const notes = read.notes.map((note) => `Left out: ${note}\n`).join("");
  out.write(
    call.json
      ? `${JSON.stringify({ about, notes: read.notes, ...assessment }, null, 2)}\n`
      : `${reportText(assessment, about, paints)}${notes}`,
  );
  return assessment.items.some(({ verdict }) => verdict === "work") ? 1 : 0;
}

function sourceOf(at: number, controller: FoundController, live: boolean) {
  const of = `${controller.kind} ${controller.namespace}/${controller.name}`;
  return live ? { of } : { of, place: { file: controller.file, ...controller.placeOf(at) } };
}

function aboutWhat(where: string, controller: FoundController | undefined, count: number): string {
  const known =
    controller === undefined
      ? "no ingress-nginx was found in it, so its flags are taken to be the defaults"
      : `flags and ConfigMap of ${controller.kind} ${controller.namespace}/${controller.name}`;
  const others = count > 1 ? `; ${counted(count - 1, "other controller")} can be named with --controller` : "";
  return `${where}: ${known}${others}`;
}

function failed(out: Out, why: string): number {
  out.fail(`sluice compat: ${why}`);
  return 2;
}
