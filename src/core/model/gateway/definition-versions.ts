/**
 * The versions of a cluster's definitions of the Gateway API, by name of the definition, such as
 * `v1.6.3` for `gateways.gateway.networking.k8s.io`. The version is empty if a definition names
 * none. `unreadable` means that an older role has no right to read definitions.
 */
export type DefinitionVersions = ReadonlyMap<string, string> | "unreadable";

/** The annotation of a definition with the version of its bundle. */
export const bundleVersion = "gateway.networking.k8s.io/bundle-version";

/**
 * For each kind, the versions before v1 that Sluice reads, the newest first. Their fields are those
 * of v1. Definitions of v1.0 to v1.5 have some kinds only in these versions.
 */
export const versionsBeforeV1: Readonly<Record<string, readonly string[]>> = {
  ReferenceGrant: ["v1beta1"],
  GRPCRoute: ["v1alpha2"],
  TLSRoute: ["v1alpha3", "v1alpha2"],
  TCPRoute: ["v1alpha2"],
  UDPRoute: ["v1alpha2"],
  BackendTLSPolicy: ["v1alpha3"],
};
