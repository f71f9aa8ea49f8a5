/**
 * Finds Problems that a cluster has with Sluice and not with ingress-nginx. Some say so themselves.
 * Others come from keeping namespaces apart: keys of the ConfigMap restore the behaviour of
 * ingress-nginx, so a Problem that vanishes with such a key is none there.
 */

import { fullSentence, named, type Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { withObjects } from "../../core/model/snapshot.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { translate } from "../../core/table/translator.ts";
import { emptyInputs } from "../../core/table/turn.ts";
import { distinct, withoutElsewhere } from "../../tools/findings.ts";
import { unmadeCertificate } from "../../tools/folder.ts";

const keys = {
  "allow-cross-namespace-host-settings": "let one namespace have the host",
  "allow-cross-namespace-canaries": "move the canary to the namespace of the Ingress",
} as const;

/** Returns what to do about each Problem that ingress-nginx does not have, by its full sentence. */
export function onlyHere(
  snapshot: Snapshot,
  options: TranslateOptions,
  found: readonly Problem[],
): ReadonlyMap<string, string> {
  const marked = found.flatMap((one) =>
    one.kind === "value-useless" && one.onlyHere !== undefined ? [[fullSentence(one), one.onlyHere] as const] : [],
  );
  const namespaces = new Set([...snapshot.ingresses.values()].map(({ metadata }) => metadata.namespace));
  if (namespaces.size < 2 || found.length === 0) return new Map(marked);
  const apart = Object.entries(keys).flatMap(([key, instead]) => {
    const there = problemsWith(key, snapshot, options);
    const advice = `set ${key}: "true" in the ConfigMap, as ingress-nginx behaves, or ${instead}`;
    return found.filter((one) => !there.has(effectOf(one))).map((one) => [fullSentence(one), advice] as const);
  });
  return new Map([...apart, ...marked]);
}

/** What is lost; a value that is ignored for another reason is lost as well. */
const effectOf = (problem: Problem): string =>
  problem.kind === "annotation-useless" ? `${named(problem.object)} ${problem.key}` : fullSentence(problem);

/** Returns the effects of all Problems that are left if the key is true. */
function problemsWith(key: string, snapshot: Snapshot, options: TranslateOptions): ReadonlySet<string> {
  const configMap = options.configMap ?? "ingress-nginx/ingress-nginx-controller";
  const [namespace = "", name = ""] = configMap.split("/");
  const written = snapshot.configMaps.get(configMap);
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace, name },
    ...written,
    data: { ...written?.data, [key]: "true" },
  } as const;
  const permitting = withObjects(snapshot, [{ kind: "ConfigMap", key: configMap, object }]);
  const { problems } = translate(
    { ...emptyInputs, snapshot: permitting },
    { ...options, configMap },
    unmadeCertificate,
  );
  return new Set(distinct(withoutElsewhere([...problems.values()].flat(), permitting)).map(effectOf));
}
