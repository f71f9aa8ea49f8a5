/** The IngressClass that is assumed if a folder of manifests has none. */

import type { Flags } from "../../controller/flags.ts";
import type { IngressClass } from "../../core/model/objects.ts";

export function assumedClass(flags: Pick<Flags, "ingressClass" | "controllerClass">): IngressClass {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: flags.ingressClass ?? "nginx" },
    spec: { controller: flags.controllerClass },
  };
}
