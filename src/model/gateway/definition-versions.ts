/**
 * The versions of a cluster's definitions of the Gateway API, by name of the definition, such as
 * `v1.6.3` for `gateways.gateway.networking.k8s.io`. The version is empty if a definition names
 * none. `unreadable` means that an older role has no right to read definitions.
 */
export type DefinitionVersions = ReadonlyMap<string, string> | "unreadable";

/** The annotation of a definition with the version of its bundle. */
export const bundleVersion = "gateway.networking.k8s.io/bundle-version";
