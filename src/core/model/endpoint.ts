/** One address of a backend. */
export interface Endpoint {
  /** An IP literal, IPv6 without brackets. */
  readonly address: string;
  readonly port: number;
}

/** Writes an address with its port as in a URL: `192.0.2.1:80`, `[2001:db8::1]:80`. */
export function addressWithPort({ address, port }: Endpoint): string {
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}
