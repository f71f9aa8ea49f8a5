/**
 * The webhook's verdict on one Ingress. The webhook refuses it for mistakes that would keep it, or
 * some of its paths, from being served as written. It warns about parts that would have no effect.
 * Mistakes in other objects are left to Events: a missing Service or Secret usually arrives a
 * moment after its Ingress, and Secrets that no object names yet are not in memory.
 */
import { atOnce, type Parts } from "../../base/timing/paced.ts";
import { type Ingress, keyOf } from "../../core/model/objects.ts";
import type { Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { Settings } from "../../core/settings/registry.ts";
import { governed } from "../../core/sources/host-policy/governed.ts";
import { type HostPolicy, noHostPolicy } from "../../core/sources/host-policy/policy.ts";
import { isOurs } from "../../core/sources/ingress/accept.ts";
import { claimOf } from "../../core/sources/ingress/claim.ts";
import { inspect } from "../../core/sources/ingress/deep-inspection.ts";
import { readIngress } from "../../core/sources/ingress/reading.ts";
import { defaultOptions, type TranslateOptions } from "../../core/table/options.ts";
import { type Applied, idleParts } from "./idle-parts.ts";
import type { HostPath, Neighbours } from "./neighbours.ts";
import { notYet } from "./not-yet.ts";
import { overlaps } from "./overlap.ts";
import { brokenPatterns, type Finding, unliteralPaths } from "./path-types.ts";

/** The state of the cluster that an Ingress is judged by. */
export interface Bench {
  readonly snapshot: Snapshot;
  /** Must be up to date with the Snapshot. */
  readonly neighbours: Neighbours;
  readonly settings: Settings;
  /** Undefined if every namespace may use every host. */
  readonly hostPolicy?: HostPolicy;
  readonly options: TranslateOptions;
  /** Whether the controller watches this namespace. */
  readonly watches: (namespace: string) => boolean;
}

export type Verdict =
  /** The Ingress is not ours to judge: it has another class or namespace, or is being deleted. */
  | { readonly kind: "passed-over" }
  /** The Ingress is refused if this list is not empty. */
  | { readonly kind: "judged"; readonly refusals: readonly Problem[]; readonly warnings: readonly Problem[] };

/**
 * Yields between its parts, so that other work may have the event loop. The Snapshot and the
 * neighbours must not change meanwhile.
 */
export function* judging(submitted: Ingress, bench: Bench): Parts<Verdict> {
  const review = yield* reviewOf(submitted, bench);
  if (review.kind !== "open") return review;
  const refusals = yield* refusalsIn(review);
  return { kind: "judged", refusals, warnings: yield* warningsIn(review, refusals.length === 0) };
}

export const judge = (submitted: Ingress, bench: Bench): Verdict => atOnce(judging(submitted, bench));

/** Returns only the Problems for which it would be refused, at half the cost of a verdict. */
export function refusalsOf(submitted: Ingress, bench: Bench): readonly Problem[] {
  const review = atOnce(reviewOf(submitted, bench));
  if (review.kind === "open") return atOnce(refusalsIn(review));
  return review.kind === "judged" ? review.refusals : [];
}

/** An Ingress whose own fields are accepted, with its Problems. */
interface Review extends Applied {
  readonly kind: "open";
  readonly bench: Bench;
  /** The mistakes in its annotations, except those that may lie in other objects. */
  readonly ownProblems: readonly Problem[];
  readonly unliteral: readonly Finding[];
  /** Returns the other applied Ingresses at a host and path. */
  readonly neighbours: (place: HostPath) => readonly Applied[];
}

function* reviewOf(submitted: Ingress, bench: Bench): Parts<Verdict | Review> {
  const { snapshot, options, settings } = bench;
  const { namespace = "default", deletionTimestamp } = submitted.metadata;
  if (deletionTimestamp !== undefined) return { kind: "passed-over" };
  const inspected = options.deepInspect ? inspect(submitted) : [];
  if (inspected.length > 0) return { kind: "judged", refusals: inspected, warnings: [] };
  if (!isOurs(submitted, snapshot.ingressClasses, { ...options, disableCatchAll: false }))
    return { kind: "passed-over" };
  if (!bench.watches(namespace)) return { kind: "passed-over" };
  yield;
  const ingress = { ...submitted, metadata: { creationTimestamp: notYet, ...submitted.metadata } };
  const alone = readIngress(ingress, snapshot, settings, { ...options, deepInspect: false }); // that was above
  yield;
  const reading = bench.neighbours.within(alone, ingress, snapshot, settings);
  yield;
  const ownProblems = reading.problems.filter((problem) => !reading.elsewhere.includes(problem));
  const unliteral = unliteralPaths(ingress);
  return { kind: "open", bench, ingress, reading, ownProblems, unliteral, neighbours: othersIn(bench, keyOf(ingress)) };
}

function* refusalsIn({ ingress, reading, ownProblems, unliteral, neighbours, bench }: Review): Parts<Problem[]> {
  const { snapshot, settings, hostPolicy = noHostPolicy, options } = bench;
  const { regex, target } = reading.values.rewrite;
  const wrong = [
    ...(isOurs(ingress, snapshot.ingressClasses, options)
      ? []
      : [{ field: "spec.defaultBackend", why: "--disable-catch-all is on" }]),
    ...oddUid(ingress),
    ...(settings.strictValidatePathType ? unliteral : []),
    ...(regex || target !== "" ? brokenPatterns(ingress) : []),
    ...foreignKeys(ingress, options.annotationsPrefix),
    ...(settings.allowSnippetAnnotations ? [] : snippetKeys(ingress, options.annotationsPrefix)),
  ];
  yield;
  return [
    ...about(ingress, wrong, "the webhook refuses the Ingress"),
    ...ownProblems.filter(isGrave),
    ...(hostPolicy === noHostPolicy ? [] : governed(claimOf(ingress, reading, undefined), hostPolicy).problems),
    ...(yield* overlaps(ingress, options.annotationsPrefix, neighbours)),
  ];
}

/**
 * Finds the warnings about an Ingress. `accepted`: no part of it is refused, so it would be
 * applied.
 */
function* warningsIn(
  { ingress, reading, ownProblems, unliteral, neighbours, bench }: Review,
  accepted: boolean,
): Parts<Problem[]> {
  return [
    ...(bench.settings.strictValidatePathType ? [] : about(ingress, unliteral, "it is used as it is")),
    ...ownProblems.filter((problem) => !isGrave(problem)),
    ...about(ingress, lostHosts(bench.snapshot.ingresses.get(keyOf(ingress)), ingress), "it is served for all hosts"),
    ...(accepted ? yield* idleParts({ ingress, reading }, neighbours, bench) : []),
  ];
}

function about({ metadata }: Ingress, findings: readonly Finding[], done: string): Problem[] {
  const object = { kind: "Ingress", namespace: metadata.namespace ?? "default", name: metadata.name };
  return findings.map((finding) => ({ kind: "value-unusable", object, ...finding, done }));
}

/**
 * Finds that a change takes the last host away. The API server drops a misspelled field, and the
 * rules are those of all hosts then.
 */
function lostHosts(before: Ingress | undefined, { spec }: Ingress): Finding[] {
  const named = (rules: NonNullable<Ingress["spec"]>["rules"] = []) => rules.flatMap(({ host }) => host || []);
  const [first] = named(before?.spec?.rules);
  if (first === undefined || named(spec?.rules).length > 0 || (spec?.rules ?? []).length === 0) return [];
  return [{ field: "spec.rules", why: `no rule has a host any more, and the first one was ${first}` }];
}

/** Whether the Problem keeps the Ingress, or its paths, from being served. */
function isGrave(problem: Problem): boolean {
  return problem.kind === "annotation-unreadable" && problem.done !== "default";
}

/**
 * Reports an odd `metadata.uid`. The API server gives every object a UUID; any other text was
 * written by hand, to get into a file of nginx.
 */
function oddUid({ metadata: { uid } }: Ingress): Finding[] {
  if (uid === undefined || /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(uid)) return [];
  return [{ field: "metadata.uid", why: "it is no UUID" }];
}

/**
 * Returns the applied Ingresses at a host and path, except `own`. Each is read once, however many
 * paths it shares with the one under review.
 */
function othersIn(
  { neighbours, snapshot, settings, options }: Bench,
  own: string,
): (place: HostPath) => readonly Applied[] {
  const known = new Map<string, readonly Applied[]>();
  const read = (key: string): readonly Applied[] => {
    const ingress = snapshot.ingresses.get(key)!;
    const reading = readIngress(ingress, snapshot, settings, options);
    return reading.verdict === "reject" ? [] : [{ ingress, reading }];
  };
  return (place) =>
    [...neighbours.at(place)].flatMap((key) => {
      if (key === own) return [];
      const applied = known.get(key) ?? read(key);
      known.set(key, applied);
      return applied;
    });
}

/**
 * Annotations that are refused for their names alone (RS-29.5). Finds annotations with the usual
 * prefix, if the controller uses another one: they would silently do nothing.
 */
function foreignKeys({ metadata }: Ingress, prefix: string): Finding[] {
  const usual = defaultOptions.annotationsPrefix;
  if (prefix === usual) return [];
  return Object.keys(metadata.annotations ?? {})
    .filter((key) => key.startsWith(`${usual}/`))
    .map((key) => ({ field: `annotation ${key}`, why: `annotations of this controller begin with ${prefix}/` }));
}

/** Finds snippets, whatever they configure, if the operator has not allowed them (RS-2.6). */
function snippetKeys({ metadata }: Ingress, prefix: string): Finding[] {
  return Object.keys(metadata.annotations ?? {})
    .filter((key) => key.startsWith(`${prefix}/`) && key.endsWith("-snippet"))
    .map((key) => ({ field: `annotation ${key.slice(prefix.length + 1)}`, why: "allow-snippet-annotations is off" }));
}
