/**
 * Finds annotations in a folder on objects that have no use for them. Only kinds of Kubernetes
 * itself and of the Gateway API are judged, because other programs may copy the annotations of
 * their own objects to Ingresses.
 */

import type { Finding } from "../../ask/page/ask/world.ts";
import { isMapping, type Mapping } from "../../core/model/mapping.ts";
import type { ObjectName } from "../../core/model/problem.ts";
import { severityOf } from "../../core/model/problem-kinds.ts";
import { misplacedAnnotations } from "../../core/policies/misplaced.ts";
import type { Files } from "../folder.ts";

const groups =
  /^(v1|(apps|batch|autoscaling|policy|networking\.k8s\.io|gateway\.networking\.k8s\.io|sluice\.dev)\/\w+)$/;

/** Returns the findings about all files. `written` are the files that have places. */
export function misplacedIn(files: Files, written: ReadonlySet<string>, prefix: string): readonly Finding[] {
  return [...files].flatMap(([file, { objects, others }]) => {
    const all = [
      ...objects.flatMap(({ object, placeOf }) => (object === undefined ? [] : [{ value: object, placeOf }])),
      ...others,
    ];
    return all.flatMap(({ value, placeOf }) => {
      if (!isMapping(value) || !groups.test(String(value.apiVersion))) return [];
      return metadataIn(value).flatMap(({ path, annotations }) =>
        misplacedAnnotations(nameOf(value), annotations, prefix).map((problem): Finding => {
          const key =
            "key" in problem ? problem.key : "field" in problem ? problem.field.replace("annotation ", "") : "";
          const full = key.includes("/") ? key : `${prefix}/${key}`;
          const at = written.has(file) ? { file, ...placeOf([...path, full]) } : undefined;
          return { severity: severityOf(problem), at, problem };
        }),
      );
    });
  });
}

/** Returns the annotations of the object and of the Pods that it makes. */
function metadataIn({ metadata, spec }: Mapping) {
  const template = isMapping(spec) && isMapping(spec.template) ? spec.template.metadata : undefined;
  return [
    { above: metadata, path: ["metadata", "annotations"] },
    { above: template, path: ["spec", "template", "metadata", "annotations"] },
  ].flatMap(({ above, path }) =>
    isMapping(above) && isMapping(above.annotations) ? [{ path, annotations: above.annotations }] : [],
  );
}

function nameOf({ kind, metadata }: Mapping): ObjectName {
  const { name, namespace } = isMapping(metadata) ? metadata : {};
  return {
    kind: String(kind),
    name: String(name ?? ""),
    ...(typeof namespace === "string" ? { namespace } : clusterWide.has(String(kind)) ? {} : { namespace: "default" }),
  };
}

const clusterWide = new Set(["IngressClass", "GatewayClass", "Namespace", "Node", "PersistentVolume"]);
