/** One address of a backend. */
export interface Endpoint {
  /** An IP literal, IPv6 without brackets. */
  readonly address: string;
  readonly port: number;
}
