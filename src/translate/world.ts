/**
 * The inputs of a Server beyond its Claims. The caller reports what it asked for, so that the
 * Server is built again when that changes.
 */
import type { Secret, Service } from "../model/objects.ts";
import type { Settings } from "../settings/registry.ts";
import type { Claim } from "./claim.ts";
import type { WantedNames } from "./hosts/names.ts";
import type { Path } from "./hosts/path-routes.ts";

/** A path of a host, and who has it. */
export interface OwnedPath {
  readonly path: Path;
  /** The field of its path in its owner; empty for an implicit path. */
  readonly field: string;
  /** Undefined where it has no owner. */
  readonly claim: Claim | undefined;
}

export interface Namesake {
  readonly paths: readonly OwnedPath[];
  /** Whether it is a server block of its own, to which nginx takes all requests for the name. */
  readonly isApart: boolean;
}

export interface World {
  /** Whether the flag for TLS passthrough is on. */
  readonly sslPassthrough: boolean;
  /** Whether nginx here has paths in its text and nowhere else: it has no Lua. */
  readonly pathsAreText: boolean;
  /** Without a slash. */
  readonly annotationsPrefix: string;
  readonly settings: Settings;
  service(key: string): Service | undefined;
  /** The newest usable version of a Secret of TLS. */
  secret(key: string): Secret | undefined;
  /** The mistake in the present version where `secret` gives an older one. */
  brokenSecret(key: string): string | undefined;
  /** Names beside its own that a host would answer to. */
  wantedBy(host: string): WantedNames;
  /** Which host has a name that several may want. */
  ownerOf(name: string): string | undefined;
  /**
   * The namesake of a listener's host, by the key of that host: the Server of this name without a
   * listener. Undefined where there is none, and where the listener has its port to itself.
   */
  namesakeOf(key: string): Namesake | undefined;
  /**
   * Whether a host one level up, `*.example.com`, has TLS configured that counts for a host whose
   * oldest Claim is `oldest`.
   */
  isTlsConfigured(wildcard: string, oldest: Claim | undefined): boolean;
}
