/**
 * The API server's own record of its requests: flags that make it write one, and the requests of
 * one user.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const policy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata" }],
};

export interface Deed {
  /**
   * `watch ingresses.networking.k8s.io`, `update ingresses/status.networking.k8s.io`, `list
   * secrets`: in the terms of RBAC rules.
   */
  readonly what: string;
  readonly namespace: string | undefined;
  readonly status: number;
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly requestURI: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

export class Audit {
  readonly #logFile: string;
  readonly flags: readonly string[];

  /** Writes into `folder`. */
  constructor(folder: string) {
    const policyFile = join(folder, "audit-policy.json");
    writeFileSync(policyFile, JSON.stringify(policy));
    this.#logFile = join(folder, "audit.log");
    this.flags = [`--audit-policy-file=${policyFile}`, `--audit-log-path=${this.#logFile}`];
  }

  deedsOf(user: string): readonly Deed[] {
    // The last line may be incomplete.
    const lines = readFileSync(this.#logFile, "utf8").split("\n").slice(0, -1);
    const events = lines.map((line) => JSON.parse(line) as AuditEvent);
    return events
      .filter(({ user: { username } }) => username === user)
      .map(({ verb, requestURI, objectRef, responseStatus }) => ({
        what: objectRef?.resource === undefined ? `${verb} ${requestURI}` : nameOf(verb, objectRef),
        namespace: objectRef?.namespace,
        status: responseStatus?.code ?? 0,
      }));
  }
}

function nameOf(verb: string, { resource, subresource, apiGroup }: NonNullable<AuditEvent["objectRef"]>): string {
  return `${verb} ${resource}${subresource ? `/${subresource}` : ""}${apiGroup ? `.${apiGroup}` : ""}`;
}
