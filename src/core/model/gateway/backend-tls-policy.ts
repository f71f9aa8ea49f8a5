/** The policy for TLS towards Services, as the Gateway API v1.6.3 defines it. */
import type { KubernetesObject } from "../objects.ts";
import type { Condition, ObjectReference, ParentReference } from "./objects.ts";

export interface BackendTLSPolicy extends KubernetesObject {
  readonly kind: "BackendTLSPolicy";
  readonly spec?: {
    readonly targetRefs?: readonly PolicyTarget[];
    readonly validation?: {
      /** References within the policy's own namespace. */
      readonly caCertificateRefs?: readonly ObjectReference[];
      /** The only value is `System`. */
      readonly wellKnownCACertificates?: string;
      readonly hostname?: string;
      readonly subjectAltNames?: readonly SubjectAltName[];
    };
    readonly options?: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly ancestors?: readonly PolicyAncestorStatus[] };
}

/** A target in the policy's own namespace. `sectionName` is the name of a Service's port. */
export interface PolicyTarget {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly sectionName?: string;
}

export interface SubjectAltName {
  /** `Hostname` or `URI`; the field with that name is present. */
  readonly type: string;
  readonly hostname?: string;
  readonly uri?: string;
}

export interface PolicyAncestorStatus {
  readonly ancestorRef: ParentReference;
  readonly controllerName: string;
  readonly conditions?: readonly Condition[];
}
