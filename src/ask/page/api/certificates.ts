/** The answer for the view Certificates. */

export type CertificateState = "wrong name" | "expired" | "expires soon" | "not valid yet" | "weak" | "ok";

export interface CertificateRow {
  /** `namespace/name` of its Secret; `fake` is the one that Sluice made. */
  readonly secret: string;
  readonly names: readonly string[];
  readonly issuer: string;
  readonly keyAlgorithm: string;
  /** ISO 8601. */
  readonly notBefore: string;
  readonly notAfter: string;
  readonly state: CertificateState;
  /** The reason why it is weak, or the hosts that it should cover; may be empty. */
  readonly weakness: string;
  /** Whether it is served if no other one fits. */
  readonly isDefault: boolean;
  /** The number of hosts and listeners that use it. */
  readonly hosts: number;
  readonly someHosts: readonly string[];
  /** `stapled`, `waits for an answer`, or `off`. */
  readonly stapling: "stapled" | "waits for an answer" | "off";
}
