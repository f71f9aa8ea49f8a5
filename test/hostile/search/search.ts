/**
 * The search: batches of hostile objects beside neighbours that must never be affected. Each
 * finding is a line of text; there should be none. Everything follows from the seed, so a finding
 * can be repeated by its seed and number.
 */

import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import type { Problem } from "../../../src/core/model/problem.ts";
import { readManifest } from "../../../src/edges/folder/manifest.ts";
import type { Mode } from "../../parity/subject.ts";
import { type Directive, treeOf } from "../../support/nginx-tree.ts";
import { intruders } from "../support/corpus.ts";
import { type IngressWords, ingress, ingressClass, secret, service, settings } from "../support/objects.ts";
import { missingFrom, statements } from "./compare.ts";
import { reservedHeadersSet } from "./framing.ts";
import { type Hostile, hostileObjects, hostileSettings } from "./objects.ts";
import { strangeRecords } from "./records.ts";
import { sealed } from "./sealed.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

export interface Tally {
  tried: number;
  /** The number of objects that were left out because the API server would refuse them. */
  impossible: number;
  /** Ingresses that are served, in whole or in part. */
  accepted: number;
  /** Objects that Sluice refuses as a whole. */
  refused: number;
  /** Objects that nginx refused, and that were set aside alone. */
  quarantined: number;
  /** The number of quoted values that were found to be one word each. */
  values: number;
  nginxTests: number;
  slowestTurnMs: number;
  readonly findings: string[];
  /**
   * Messages of nginx, without the parts that differ from object to object, and how often each
   * occurred.
   */
  readonly reasons: Map<string, number>;
}

export const emptyTally = (): Tally => ({
  ...{ tried: 0, impossible: 0, accepted: 0, refused: 0, quarantined: 0, values: 0, nginxTests: 0, slowestTurnMs: 0 },
  ...{ findings: [], reasons: new Map() },
});

export interface Search {
  /** Tries the objects numbered from `from`. */
  batch(seed: number, from: number, count: number, tally: Tally): Promise<void>;
  /** Tries ConfigMaps of the operator in the same way. */
  settings(seed: number, from: number, count: number, tally: Tally): Promise<void>;
  stop(): Promise<void>;
}

/** Settings of an operator with which more of the objects are accepted. */
const generous = {
  "annotations-risk-level": "Critical",
  "global-allowed-response-headers": "X-A,X-B,x_c,Content-Length,transfer_encoding,Keep-Alive",
  "global-auth-url": "http://192.0.2.99/ops",
};

/** Neighbours have another namespace, because the authors of one namespace share its Services. */
const neighbour = (words: IngressWords) => ingress({ namespace: "other", ...words });
const neighbours: readonly KubernetesObject[] = [
  neighbour({ name: "plain" }),
  neighbour({
    name: "regex",
    paths: [["/a/(.*)", "ImplementationSpecific"]],
    annotations: { "rewrite-target": "/$1" },
  }),
  neighbour({
    name: "guarded",
    annotations: { "auth-url": "http://192.0.2.98/", "whitelist-source-range": "192.0.2.0/24" },
  }),
  neighbour({ name: "mutual", annotations: { "auth-tls-secret": "other/ca", "custom-http-errors": "404" } }),
];

export async function openSearch(mode: Mode, flags: readonly string[], ca: string): Promise<Search> {
  const standing = [
    ...[ingressClass, settings(generous), ...neighbours],
    ...["ns", "other"].flatMap((namespace) => [
      ...service("web", "192.0.2.97", 80, namespace),
      secret("ca", { "ca.crt": ca }, namespace),
    ]),
  ];
  const workshop = await openWorkshop(mode, flags, standing);
  await workshop.bring([]);
  const alone = looked(workshop);
  const bring = async (some: readonly Hostile[]) => workshop.bring(some.flatMap(({ objects }) => objects));
  return {
    batch: async (seed, from, count, tally) => {
      const all = hostileObjects(seed, from, count);
      const possible = all.filter(({ objects }) => objects.every(isPossible));
      const { problems, tests, slowestTurnMs } = await bring(possible);
      const names = new Set(possible.map(({ name }) => name));
      const set = setAside(problems, names);
      tally.tried += possible.length;
      tally.impossible += all.length - possible.length;
      tally.quarantined += set.byNginx.size;
      tally.refused += set.byReading.size;
      tally.accepted += possible.length - set.byNginx.size - set.byReading.size;
      note(tally, tests, slowestTurnMs, set.reasons);
      const found = findings(workshop, alone, tally);
      for (const one of found) tally.findings.push(`${mode} seed ${seed}, from ${from}: ${one}`);
    },
    settings: async (seed, from, count, tally) => {
      for (const data of hostileSettings(seed, from, count)) {
        const object = settings(data);
        tally.tried += 1;
        const { problems, tests, slowestTurnMs } = await workshop.bring([object]);
        const refused = problems.filter((one) => one.kind === "nginx-refused");
        if (refused.length > 0) tally.quarantined += 1;
        else if (problems.some(({ kind, object }) => kind === "setting-unreadable" && object.kind === "ConfigMap"))
          tally.refused += 1;
        else tally.accepted += 1;
        note(
          tally,
          tests,
          slowestTurnMs,
          refused.map(({ why }) => why),
        );
        const found = findings(workshop, undefined, tally);
        for (const one of found)
          tally.findings.push(`${mode} seed ${seed}, settings ${JSON.stringify(data).slice(0, 300)}: ${one}`);
      }
    },
    stop: () => workshop.stop(),
  };
}

interface Looked {
  readonly lines: readonly string[];
  readonly records: ReadonlyMap<string, string>;
  readonly tree: readonly Directive[];
}

function looked(workshop: Workshop): Looked {
  const { conf, records } = workshop.rendered();
  const tree = treeOf(conf);
  return { lines: statements(tree), records, tree };
}

/** Text that depends on the number of hosts and shapes alone. */
const counted =
  /"(lua_shared_dict|init_by_lua_block|server_names_hash_\w+|variables_hash_\w+|map_hash_\w+)"|\/generation"|"location","= \/generation/;

/**
 * A variable is declared where a text mentions it. In the sealed rendering (sealed.ts) no text
 * does, because it has placeholders in place of texts.
 */
const mentioned = /"location","=","\/_sluice\/variables"\] > \["set","\$\w+",""\]$/;

/** `alone` is the result without the hostile objects; undefined if it may differ. */
function findings(workshop: Workshop, alone: Looked | undefined, tally: Tally): readonly string[] {
  const { value: meant, seals } = sealed(() => workshop.rendered());
  tally.values += seals.count;
  let real: Looked;
  try {
    real = looked(workshop);
  } catch (error) {
    return [`the text cannot be read: ${(error as Error).message}`];
  }
  const wanted = statements(treeOf(meant.conf), seals);
  const lost = alone === undefined ? [] : missingFrom(alone.lines, real.lines).filter((line) => !counted.test(line));
  const gone = alone === undefined ? [] : [...alone.records].filter(([key, value]) => real.records.get(key) !== value);
  return [
    ...seals.broken.map((text) => `a quoted value is not one word: ${text.slice(0, 300)}`),
    ...missingFrom(real.lines, wanted)
      .filter((line) => !mentioned.test(line))
      .map((line) => `an unintended line: ${line.slice(0, 300)}`),
    ...missingFrom(wanted, real.lines).map((line) => `missing is ${line.slice(0, 300)}`),
    ...intruders(real.tree).map((path) => `a directive made of a value: ${path}`),
    ...lost.map((line) => `a neighbour lost ${line.slice(0, 300)}`),
    ...gone.map(([key]) => `the record ${key} of a neighbour differs`),
    ...reservedHeadersSet(real.tree).map((line) => `a header that nginx alone says: ${line.slice(0, 300)}`),
    ...strangeRecords(real.records),
  ];
}

function isPossible(object: KubernetesObject): boolean {
  const text = JSON.stringify(object);
  return readManifest(text).faults.every(({ fatal }) => !fatal) && readManifest(text).objects.length === 1;
}

function setAside(problems: readonly Problem[], names: ReadonlySet<string>) {
  const byNginx = new Set<string>();
  const byReading = new Set<string>();
  const reasons: string[] = [];
  for (const problem of problems) {
    const { name } = problem.object;
    if (!names.has(name)) continue;
    if (problem.kind === "nginx-refused") {
      byNginx.add(name);
      reasons.push(problem.why);
    } else if (problem.kind === "annotation-unreadable" && problem.done === "reject") byReading.add(name);
    else if ("done" in problem && problem.done === "the Ingress is not applied") byReading.add(name);
  }
  for (const name of byNginx) byReading.delete(name);
  return { byNginx, byReading, reasons };
}

function note(tally: Tally, tests: number, slowestTurnMs: number, reasons: readonly string[]): void {
  tally.nginxTests += tests;
  tally.slowestTurnMs = Math.max(tally.slowestTurnMs, slowestTurnMs);
  for (const why of reasons) {
    const kind = why
      .replace(/"[\s\S]*"/g, '"…"')
      .replace(/\d+/g, "N")
      .slice(0, 120);
    tally.reasons.set(kind, (tally.reasons.get(kind) ?? 0) + 1);
  }
}
