/**
 * Decides which certificate is shown for a name for which both a listener and its namesake have
 * one, and makes the Problem for the other.
 */
import type { Server } from "../../../model/configuration.ts";
import type { Owner } from "../../../model/owner.ts";
import { named, type Problem } from "../../../model/problem.ts";
import type { Claim } from "../../claim.ts";
import { keeps, type Party } from "./precedence.ts";

/** A listener on a port at which hosts without a listener get requests, too. */
export interface CommonListener extends Party {
  readonly owner: Owner;
  readonly hostname: string;
  readonly hasCertificate: boolean;
}

/** The certificate of a name's namesake. */
export interface Certified {
  readonly server: Pick<Server<unknown>, "name" | "certificate" | "aliases">;
  /** The object from which its certificate comes. */
  readonly claim: Claim;
}

export interface CertificatesShown {
  /** Ids of listeners for whose hostname the namesake's certificate is shown. */
  readonly yielding: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

/**
 * Decides for all names. `listeners` are keyed by id. `certified` returns the host that serves a
 * name.
 */
export function certificatesShown(
  listeners: ReadonlyMap<string, CommonListener>,
  certified: (name: string) => Certified | undefined,
): CertificatesShown {
  const yielding = new Set<string>();
  const problems: Problem[] = [];
  for (const [id, listener] of listeners) {
    const { hostname, hasCertificate, owner } = listener;
    const other = hostname === "" || !hasCertificate ? undefined : certified(hostname);
    if (other === undefined || !hasOwn(other, hostname)) continue;
    const { claim } = other;
    const both = `certificate for host ${hostname}`;
    if (keeps({ namespace: claim.owner.namespace, created: claim.since.created }, listener)) {
      yielding.add(id);
      const why = `the older ${named(claim.owner)} has a ${both}`;
      const done = "that one is shown on the port of both";
      problems.push({ object: owner, kind: "claim-lost", field: "spec.listeners", why, done });
    } else {
      const isOwn = claim.owner.namespace === listener.namespace;
      const whose = isOwn ? `${named(owner)} of the same namespace` : `the older ${named(owner)}`;
      const done = "that one is shown on the port of both";
      problems.push({
        object: claim.owner,
        kind: "claim-lost",
        field: "spec.tls",
        why: `${whose} has a ${both}`,
        done,
      });
    }
  }
  return { yielding, problems };
}

function hasOwn({ server: { name, certificate, aliases } }: Certified, hostname: string): boolean {
  if (name === hostname) return certificate !== undefined;
  return aliases.some((alias) => alias.name === hostname && alias.certificate !== undefined);
}
