/**
 * The bundles of the Gateway API that the definitions of a cluster come from, by name of the
 * definition: `gateways.gateway.networking.k8s.io` to `v1.6.3`. The text is empty where a
 * definition names none. `unreadable`: an older role has no right to read definitions.
 */
export type DefinitionVersions = ReadonlyMap<string, string> | "unreadable";

/** The annotation of a definition that names its bundle. */
export const bundleVersion = "gateway.networking.k8s.io/bundle-version";
