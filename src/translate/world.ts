/** What a Server is built from beyond its Claims. Who asks reports what was asked for, so that it is built again when that changes. */
import type { Secret, Service } from "../model/objects.ts";
import type { Settings } from "../settings/registry.ts";
import type { Claim } from "./claim.ts";
import type { WantedNames } from "./hosts/names.ts";

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
  /** What is wrong with the present version where `secret` gives an older one. */
  brokenSecret(key: string): string | undefined;
  /** Names beside its own that a host would answer to. */
  wantedBy(host: string): WantedNames;
  /** Which host has a name that several may want. */
  ownerOf(name: string): string | undefined;
  /** Whether a host one level up, `*.example.com`, has TLS configured that counts for a host whose oldest Claim is `oldest`. */
  isTlsConfigured(wildcard: string, oldest: Claim | undefined): boolean;
}
