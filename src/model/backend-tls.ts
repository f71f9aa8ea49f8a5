/** How a backend is asked over TLS, and which certificate it has to show. */
import type { SecretText } from "./secret-text.ts";

export interface BackendTls {
  /** A hash of all the rest. Equal settings have equal ids, and share connections. */
  readonly id: string;
  /** The authorities whose certificates are trusted. */
  readonly authorities: Authorities;
  /** Sent as SNI, in lower case. The certificate must have it too, unless there are names. */
  readonly hostname: string;
  /**
   * `dns:shop.example` or `uri:spiffe://cluster/shop`: the certificate must have one of them.
   * Empty: the hostname.
   */
  readonly names: readonly string[];
  /** Shown to backends that ask for it; absent: none is shown. */
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
  /** The absolute path of a file with those of the machine. */
  | { readonly kind: "file"; readonly path: string };
