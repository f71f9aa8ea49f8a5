/**
 * Warns about hosts in `auth-url` and `mirror-target` that a Pod could reach by the search domains
 * of its resolv.conf. nginx resolves them without these, so a cluster's DNS does not find them.
 */

import { literalIn } from "../../kinds/asked.ts";
import { originOf } from "../../kinds/checked-name.ts";
import type { FeatureValues } from "../../policies/registry.ts";

interface Doubt {
  readonly key: string;
  readonly why: string;
}

/** `namespace` is that of the Ingress. */
export function nameDoubts(
  { externalAuth, mirror }: Pick<FeatureValues, "externalAuth" | "mirror">,
  namespace: string,
): readonly Doubt[] {
  const question = externalAuth.kind === "ask" ? externalAuth.question : undefined;
  // A pool has the address of its Service already.
  const url = question?.by === "ingress" && question.pool === undefined ? question.url : "";
  return [
    ...doubtsOf("auth-url", url, namespace, "every request gets 500"),
    ...doubtsOf("mirror-target", mirror.target, namespace, "no copy is sent"),
  ];
}

function doubtsOf(key: string, url: string, namespace: string, effect: string): readonly Doubt[] {
  const host = (originOf(url)?.host ?? "").replace(/\.$/, "");
  const meant = meantBy(host, namespace);
  if (meant === undefined || literalIn(host) !== undefined) return [];
  const why = `${host} is resolved without search domains: the DNS of a cluster does not find it, and ${effect}; write ${meant}`;
  return [{ key, why }];
}

/** Returns the whole name of the Service that is meant; undefined if the host is whole already. */
function meantBy(host: string, namespace: string): string | undefined {
  if (/^[\w-]+$/.test(host) && host.toLowerCase() !== "localhost") return `${host}.${namespace}.svc.cluster.local`;
  return /^[\w-]+\.[\w-]+\.svc$/i.test(host) ? `${host}.cluster.local` : undefined;
}
