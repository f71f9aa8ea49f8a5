/** Settings of TLS towards a backend, with the certificate that the backend has to show. */
import type { SecretText } from "./secret-text.ts";

export interface BackendTls {
  /** A hash of all other fields. Equal settings have equal ids and share connections. */
  readonly id: string;
  /** The authorities whose certificates are trusted. */
  readonly authorities: Authorities;
  /**
   * The name that is sent as SNI, in lower case. The certificate must have it, unless there are
   * names.
   */
  readonly hostname: string;
  /**
   * `dns:shop.example` or `uri:spiffe://cluster/shop`: the certificate must have one of them. If
   * the list is empty, it must have the hostname.
   */
  readonly names: readonly string[];
  /** The certificate for backends that request one. If it is absent, none is presented. */
  readonly identity?: Identity;
}

export interface Identity {
  /** PEM: the certificate, then its chain. */
  readonly chain: string;
  readonly key: SecretText;
}

export type Authorities =
  /** Certificates in PEM. */
  | { readonly kind: "pem"; readonly text: string }
  /** The absolute path of a file with the authorities that the machine trusts. */
  | { readonly kind: "file"; readonly path: string };
