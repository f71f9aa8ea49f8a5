/**
 * Takes the class, flags and ConfigMap from the controller's Deployment or DaemonSet, if the files
 * or the cluster have one.
 */

import { visible } from "../base/visible.ts";
import type { Command, Flags } from "../controller/flags.ts";
import type { Call } from "./call.ts";
import { controllersIn } from "./controller.ts";
import { flagsInUse } from "./flags-in-use.ts";
import type { Files } from "./folder.ts";

export interface WithController {
  readonly flags: Flags;
  readonly as: Command;
  /** `Deployment ingress-nginx/ingress-nginx-controller`, if there is one. */
  readonly from: string | undefined;
}

/** Returns the flags in force: those of the command line override those of the controller. */
export function withController(call: Call, files: Files): WithController {
  const written = [...files].flatMap(([file, { others }]) => others.map((other) => ({ ...other, file })));
  const [controller] = controllersIn(written);
  if (controller === undefined) return { flags: call.flags, as: call.live ? "run" : "serve", from: undefined };
  const { flags } = flagsInUse([...controller.argv, ...call.argv]);
  const { kind, namespace, name } = controller;
  return {
    flags: { ...flags, configmap: flags.configmap ?? call.flags.configmap },
    as: "run",
    from: visible(`${kind} ${namespace}/${name}`),
  };
}
