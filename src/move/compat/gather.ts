/**
 * Gathers everything that is judged: the objects, the controller's flags and ConfigMap, and the
 * merged values of each release.
 */
import type { Flags } from "../../controller/flags.ts";
import { type FoundController, mountsIn } from "../../tools/controller.ts";
import { flagsInUse } from "../../tools/flags-in-use.ts";
import type { Files } from "../../tools/folder.ts";
import { at } from "../../tools/value-at.ts";
import { type Assessment, assess } from "./assess.ts";
import { type ValuesSource, valuesInUse } from "./chart/values.ts";
import { withChartValues } from "./chart/values-as-objects.ts";
import type { Differences } from "./differences.ts";
import type { Found } from "./found.ts";
import type { Group } from "./found-parts.ts";
import { isDownloaded } from "./image/geoip.ts";
import { imageOfValues } from "./image/images.ts";
import { type Outside, withOutside } from "./outside.ts";

export interface Gathered {
  readonly files: Files;
  readonly controller: FoundController | undefined;
  /** The first whole one decides for the Ingresses; each other one is judged by itself. */
  readonly sources: readonly ValuesSource[];
  readonly groups: readonly Group[];
  /** Flags of this command line. */
  readonly flags: Flags;
  readonly argv: readonly string[];
  readonly live: boolean;
}

export async function assessed(gathered: Gathered, differences: Differences): Promise<Assessment> {
  const first = gathered.sources.find(({ areKeys }) => areKeys !== true);
  const others = gathered.sources.filter((one) => one !== first);
  const main = await assess(found(gathered, first), differences);
  const alone: Assessment[] = [];
  for (const source of others)
    alone.push(
      await assess(found({ ...gathered, files: new Map(), groups: [], controller: undefined }, source), differences),
    );
  return {
    ...main,
    items: [...main.items, ...alone.flatMap(({ items }) => items)],
    unjudged: [...main.unjudged, ...alone.flatMap(({ unjudged }) => unjudged)],
  };
}

function found(
  { files, controller, groups, flags: ours, argv, live }: Gathered,
  source: ValuesSource | undefined,
): Found {
  const completed = source && withChartValues(source, files);
  const given = [...(controller?.argv ?? []), ...(completed?.words.map(({ word }) => word) ?? [])];
  const { inUse, flags } = flagsInUse([...given, ...argv]);
  const givenFlags = new Map(inUse.map(({ name, text }) => [name, text]));
  const home =
    source === undefined || controller !== undefined ? undefined : `${source.home.namespace}/${source.home.name}`;
  const used =
    given.length === 0 && home === undefined
      ? ours
      : { ...flags, configmap: flags.configmap ?? home ?? ours.configmap };
  const outside: Outside = { groups, prefix: used.annotationsPrefix, ingressClass: used.ingressClass ?? "nginx" };
  return {
    files: withOutside(completed?.files ?? files, outside),
    outside,
    flags: used,
    flagsKnown: controller !== undefined,
    inUse: inUse
      .filter(({ at }) => at < given.length)
      .map((flag) => {
        const ofChart = completed?.words[flag.at - (controller?.argv.length ?? 0)];
        if (ofChart === undefined) return { ...flag, ...placed(flag.at, controller!, live) };
        return { ...flag, of: source!.of, place: source!.placeOf(ofChart.path) };
      }),
    image: controller === undefined ? imageOfValues(source?.content) : controller.image,
    mounts: controller?.mounts ?? (source && mountsOfChart(source.content)),
    downloadsGeoip: isDownloaded(givenFlags, source?.content),
    given: givenFlags,
    values: source === undefined ? [] : valuesInUse(source).map((value) => ({ ...value, of: source.of })),
    live,
  };
}

function mountsOfChart(content: unknown): readonly string[] {
  const modules = at(content, "controller", "extraModules");
  const ofModules = Array.isArray(modules) && modules.length > 0 ? ["/modules_mount"] : [];
  return [...mountsIn(at(content, "controller", "extraVolumeMounts")), ...ofModules];
}

function placed(at: number, controller: FoundController, live: boolean) {
  const of = `${controller.kind} ${controller.namespace}/${controller.name}`;
  return live ? { of } : { of, place: { file: controller.file, ...controller.placeOf(at) } };
}
