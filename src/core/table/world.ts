/**
 * The inputs of a Server beyond its Claims. The code that uses them reports what it has read, so
 * that the Server is built again when that changes.
 */
import type { Secret, Service } from "../model/objects.ts";
import type { Settings } from "../settings/registry.ts";
import type { Claim } from "./claim.ts";
import type { WantedNames } from "./hosts/names.ts";
import type { Path } from "./hosts/path-routes.ts";

/** A path of a host with its owner. */
export interface OwnedPath {
  readonly path: Path;
  /** The field of its path in its owner; empty for an implicit path. */
  readonly field: string;
  /** Undefined if it has no owner. */
  readonly claim: Claim | undefined;
}

export interface Namesake {
  /** The key of the Server. */
  readonly host: string;
  /** Its paths, in the order of its Locations. */
  readonly paths: readonly OwnedPath[];
  /** Whether it is a server block of its own, which takes all requests for its names. */
  readonly isApart: boolean;
}

export interface World {
  /** Whether the flag for TLS passthrough is on. */
  readonly sslPassthrough: boolean;
  /** Whether this nginx has paths only in its text, because it has no Lua. */
  readonly pathsAreText: boolean;
  /** Without a slash. */
  readonly annotationsPrefix: string;
  readonly settings: Settings;
  service(key: string): Service | undefined;
  /** Returns the newest usable version of a TLS Secret. */
  secret(key: string): Secret | undefined;
  /** Returns the mistake in the present version, if `secret` returns an older one. */
  brokenSecret(key: string): string | undefined;
  /** Returns the names that a host wants beside its own. */
  wantedBy(host: string): WantedNames;
  /** Returns the host that gets a name that several may want. */
  ownerOf(name: string): string | undefined;
  /**
   * Returns the namesake of a listener's host, by the key of that host: the Server of this name
   * without a listener. Returns undefined if there is none, and if the listener does not
   * share its port.
   */
  namesakeOf(key: string): Namesake | undefined;
  /**
   * Whether a host one label up, `*.example.com`, has TLS configured in a way that counts for a
   * host whose oldest Claim is `oldest`.
   */
  isTlsConfigured(wildcard: string, oldest: Claim | undefined): boolean;
}
