/**
 * All findings about a folder, from its files, the translation and the webhook, each with its
 * place. A missing object is only reported if the folder has objects of that kind, because
 * Secrets and Services are often kept elsewhere.
 */

import type { Finding } from "../ask/page/ask/world.ts";
import { didYouMean } from "../base/did-you-mean.ts";
import type { Command, Flags } from "../controller/flags.ts";
import { missingClasses } from "../controller/serve/missing-class.ts";
import { pathIn } from "../controller/serve/places.ts";
import { unservedGateways } from "../controller/serve/unserved-gateways.ts";
import { nearest } from "../core/kinds/nearest.ts";
import type { Unread } from "../core/model/gist.ts";
import { missingIn } from "../core/model/missing.ts";
import { type Ingress, type KubernetesObject, keyOfName, objectKey } from "../core/model/objects.ts";
import { fullSentence, isOfField, named, type ObjectName, type Problem } from "../core/model/problem.ts";
import { severityOf } from "../core/model/problem-kinds.ts";
import { type Snapshot, tableOf, type WatchedKind } from "../core/model/snapshot.ts";
import type { Settings } from "../core/settings/registry.ts";
import { ageOf, byAge } from "../core/table/age.ts";
import type { TranslateOptions } from "../core/table/options.ts";
import { translate } from "../core/table/translator.ts";
import { emptyInputs } from "../core/table/turn.ts";
import { refusalsOf } from "../edges/admission/judge.ts";
import { Neighbours } from "../edges/admission/neighbours.ts";
import { foreignAnnotations, pluginsIn } from "./findings/foreign-annotations.ts";
import { foreignPolicies, servedTargets } from "./findings/foreign-policies.ts";
import { withoutModule } from "./findings/image-modules.ts";
import { misplacedIn } from "./findings/misplaced.ts";
import { settingsElsewhere } from "./findings/settings-elsewhere.ts";
import { snippetDoubts } from "./findings/snippet-doubts.ts";
import { untargetedPolicies } from "./findings/untargeted-policies.ts";
import { definitionsOf, type Files, unmadeCertificate } from "./folder.ts";
import { classlessNote, gatewaysLeftOutNote, leftOutNote, parentlessNote } from "./left-out.ts";
import { translated } from "./translated.ts";
import { snippetsOf } from "./tried-snippets.ts";
import { isOfUnread, type Unread as UnreadObjects, withUnread } from "./unread-findings.ts";

export type { Finding };

export interface Findings {
  /** In the order of files and lines. */
  readonly findings: readonly Finding[];
  /** Returns a sentence about the Ingresses that are not served here, if there are some. */
  readonly leftOut: (isAbout?: (key: string) => boolean) => string | undefined;
  /** The same about Ingresses without a class, which a cluster would not serve. */
  readonly classless: (isAbout: (key: string) => boolean) => string | undefined;
  /** The same about Gateways that are left out. */
  readonly gatewaysLeftOut: (isAbout: (key: string) => boolean) => string | undefined;
  /** The same about routes without any Gateway in the files. */
  readonly parentless: (isAbout: (key: string) => boolean) => string | undefined;
}

export const findingsIn = (...about: Parameters<typeof judged>): readonly Finding[] => judged(...about).findings;

/**
 * Returns the findings, and what they leave out. `written` are the files that have places; all
 * other objects come from a cluster. `tried` is what nginx refuses in snippets.
 */
export function judged(
  files: Files,
  flags: Flags,
  as: Command = "serve",
  written: ReadonlySet<string> = new Set(files.keys()),
  tried: readonly Problem[] = [],
  translation = translated(files, flags, as),
): Findings {
  const { library, snapshot, options, configuration, problems, accepted } = translation;
  const ofObjects = withoutElsewhere([...problems.values()].flat(), snapshot);
  const { whole, unread } = withUnread(files, snapshot);
  const ofUnread = unread.size === 0 ? [] : problemsOfUnread(whole, unread, options);
  const reported = new Set(ofObjects.map(withoutEnd));
  const atTheDoor = refusals(snapshot, configuration.settings, options).filter((one) => !reported.has(withoutEnd(one)));
  const definitions = definitionsOf(files);
  const hasClasses = [...definitions.keys()].some((id) => id.startsWith("IngressClass "));
  const ofClasses = [
    ...missingClasses(snapshot, hasClasses ? "all" : "some"),
    ...unservedGateways(snapshot, snapshot.gatewayClasses.size > 0 ? "all" : "some"),
  ];
  const ofFiles = [...library.problems.values()].flat();
  const plugins = pluginsIn(files);
  const all = distinct([
    ...withoutRepetitions(ofFiles, ofObjects),
    ...ofUnread,
    ...atTheDoor,
    ...ofClasses,
    ...untargetedPolicies(snapshot),
    ...servedTargets(snapshot, options.gateway.controllerName).flatMap((one) => foreignAnnotations(one, plugins)),
    ...tried,
    ...snippetDoubts(snippetsOf(translation)),
    ...settingsElsewhere(snapshot, options.configMap),
    ...withoutModule(snapshot, configuration.settings, options),
  ]).map((given): Finding => {
    const problem = aboutMissing(given, library.unread, whole);
    const id = objectKey(problem.object.kind, keyOfName(problem.object));
    const definition = definitions.get(id);
    const object = definition?.object ?? unread.get(id);
    const found = object !== undefined &&
      written.has(definition!.file) && {
        file: definition!.file,
        ...definition!.placeOf(pathIn(object, problem, options.annotationsPrefix)),
      };
    const at = problem.kind === "manifest-unusable" ? problem.at : found || undefined;
    return { severity: severityOf(problem), at, problem };
  });
  const known = new Set(all.map(({ problem }) => fullSentence(problem)));
  const misplaced = misplacedIn(files, written, options.annotationsPrefix);
  const foreign = foreignPolicies(files, written, snapshot, options.gateway.controllerName);
  const findings = [...all, ...misplaced.filter(({ problem }) => !known.has(fullSentence(problem))), ...foreign];
  const leftOut = (isAbout = (_: string) => true) =>
    leftOutNote(snapshot, (key) => accepted.has(key) || !isAbout(key), options.ingressClass);
  const classless = (isAbout: (key: string) => boolean) =>
    classlessNote(snapshot, (key) => accepted.has(key) && isAbout(key));
  const gatewaysLeftOut = (isAbout: (key: string) => boolean) =>
    gatewaysLeftOutNote(snapshot, isAbout, options.gateway.controllerName);
  const parentless = (isAbout: (key: string) => boolean) => parentlessNote(snapshot, isAbout);
  return { findings: findings.sort(inOrder), leftOut, classless, gatewaysLeftOut, parentless };
}

/**
 * Joins the Problems of files and those of objects. Both report a field that Sluice does not know.
 * That of the object has the consequence if the field closes something, and otherwise that of the
 * file has the better advice.
 */
function withoutRepetitions(ofFiles: readonly Problem[], ofObjects: readonly Problem[]): readonly Problem[] {
  const idOf = (one: Problem) => ("field" in one ? `${named(one.object)} ${one.field}` : "");
  const written = new Set(ofFiles.filter((one) => one.kind === "manifest-unusable").map(idOf));
  const closing = new Set(ofObjects.filter(isOfField).map(idOf));
  return [
    ...ofFiles.filter((one) => !(one.kind === "manifest-unusable" && !one.fatal && closing.has(idOf(one)))),
    ...ofObjects.filter((one) => !(one.kind === "field-doubtful" && written.has(idOf(one)))),
  ];
}

/** Identifies a mistake, whatever is done about it. */
const withoutEnd = (problem: Problem): string =>
  fullSentence("done" in problem ? ({ ...problem, done: "" } as Problem) : problem);

function problemsOfUnread(whole: Snapshot, unread: UnreadObjects, options: TranslateOptions): Problem[] {
  const { problems } = translate({ ...emptyInputs, snapshot: whole }, options, unmadeCertificate);
  return withoutElsewhere([...problems.values()].flat(), whole).filter((one) => isOfUnread(one, unread));
}

/**
 * Returns refusals of the webhook that are not Problems of the translation. If two Ingresses
 * share a path, the younger one gets the Problem.
 */
function refusals(snapshot: Snapshot, settings: Settings, options: TranslateOptions): Problem[] {
  const neighbours = new Neighbours(options);
  neighbours.catchUp(snapshot);
  const bench = { snapshot, neighbours, settings, options, watches: () => true };
  return [...snapshot.ingresses.values()].flatMap((ingress) =>
    refusalsOf(ingress, bench).filter(
      (problem) => problem.kind !== "path-contested" || isYounger(ingress, problem, snapshot),
    ),
  );
}

function isYounger(ingress: Ingress, { by }: Problem & { kind: "path-contested" }, { ingresses }: Snapshot): boolean {
  const other = ingresses.get(`${by.namespace}/${by.name}`);
  return other === undefined || byAge(ageOf(other), ageOf(ingress)) < 0;
}

/**
 * Returns the Problems without those of missing objects that may be kept elsewhere, and without
 * those that follow from them.
 */
export function withoutElsewhere(problems: readonly Problem[], snapshot: Snapshot): readonly Problem[] {
  const isElsewhere = (problem: Problem): boolean => {
    const missing = missingIn(problem);
    return (missing !== undefined && hasNone(missing.kind, snapshot)) || problem.follows?.some(isElsewhere) === true;
  };
  return problems.filter((one) => !isElsewhere(one));
}

/** Kinds of objects that are often kept elsewhere. */
const keptApart = ["Service", "Secret", "ConfigMap", "Gateway", "ListenerSet"] as const;

function hasNone(kind: string, snapshot: Snapshot): boolean {
  const apart = keptApart.find((one) => one === kind);
  return apart !== undefined && snapshot[tableOf[apart]].size === 0;
}

const refusedInFiles = "is in the files, and is left out because of its own mistake";

/**
 * Returns another reason if the object that is missing is in a file and has a mistake, so that
 * the author does not look for its file, and names a similar object of the namespace otherwise.
 */
function aboutMissing(problem: Problem, unread: readonly Unread[], snapshot: Snapshot): Problem {
  const missing = missingIn(problem);
  if (missing === undefined) return problem;
  const key = keyOfName(missing);
  if (!unread.some((one) => one.kind === missing.kind && one.key === key)) return withHint(problem, missing, snapshot);
  switch (problem.kind) {
    case "service-missing":
    case "secret-unusable":
    case "reference-missing":
      return { ...problem, why: refusedInFiles };
    case "annotation-unreadable":
      return { ...problem, why: `${named(missing)} ${refusedInFiles}` };
    default:
      return problem;
  }
}

/** Adds the name of the object that is probably meant. */
function withHint(problem: Problem, { kind, namespace, name }: ObjectName, snapshot: Snapshot): Problem {
  if (!Object.hasOwn(tableOf, kind)) return problem;
  const all: Iterable<KubernetesObject> = snapshot[tableOf[kind as WatchedKind]]?.values() ?? [];
  const names = [...all].flatMap(({ metadata }) => (metadata.namespace === namespace ? [metadata.name] : []));
  const hint = didYouMean(nearest(name, names));
  if (hint === "") return problem;
  if (problem.kind === "service-missing" || problem.kind === "reference-missing")
    return { ...problem, why: `${problem.why ?? "not found"}${hint}` };
  return "why" in problem && problem.why?.endsWith("not found")
    ? { ...problem, why: `${problem.why}${hint}` }
    : problem;
}

/** Returns each Problem once. A Secret that is missing is a Problem of each host that uses it. */
export const distinct = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.map((problem) => [fullSentence(problem), problem])).values(),
];

/** Numbers in sentences are compared by value, so line 6 of a snippet comes before its line 17. */
const { compare: bySentence } = new Intl.Collator("en", { numeric: true });

function inOrder(a: Finding, b: Finding): number {
  const [left, right] = [a, b].map(({ at }) => [at?.file ?? "", at?.line ?? 0, at?.column ?? 0]);
  for (const [at, one] of left!.entries()) {
    const other = right![at]!;
    if (one !== other) return one! < other ? -1 : 1;
  }
  return bySentence(fullSentence(a.problem), fullSentence(b.problem));
}
