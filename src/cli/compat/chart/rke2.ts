/**
 * RKE2's copy of ingress-nginx's chart. It takes the same values and has other defaults, so a user
 * who moves to Sluice's chart has to write these into the values. Source: rancher/rke2-charts,
 * packages/rke2-ingress-nginx. The last two apply where ingress-nginx is RKE2's default controller
 * (`global.systemDefaultIngressClass`), which it is unless the option `ingress-controller` changes
 * it.
 */
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";

export const rke2Defaults: Mapping = {
  controller: {
    kind: "DaemonSet",
    hostPort: { enabled: true },
    service: { enabled: false },
    publishService: { enabled: false },
    dnsPolicy: "ClusterFirstWithHostNet",
    watchIngressWithoutClass: true,
    ingressClassResource: { default: true },
  },
};

/** Returns the values that RKE2 sets and the user does not, with the note about each. */
export function notesOfRke2(own: Mapping): ReadonlyMap<string, string> {
  return new Map(missing(rke2Defaults, own, "").map(([path, value]) => [path, noteOf(value)]));
}

const noteOf = (value: unknown): string =>
  `RKE2's chart has ${String(value)} as its default, and this chart has another one: write it into your values`;

function missing(defaults: Mapping, own: unknown, above: string): readonly (readonly [string, unknown])[] {
  return Object.entries(defaults).flatMap(([key, value]) => {
    const path = above === "" ? key : `${above}.${key}`;
    const written = isMapping(own) ? own[key] : undefined;
    if (isMapping(value)) return missing(value, written, path);
    return written === undefined ? [[path, value] as const] : [];
  });
}
