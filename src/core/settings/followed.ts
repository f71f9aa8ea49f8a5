/** The contents of ConfigMaps and of the Secret that settings name. */

/**
 * A header from such a ConfigMap: the value may hold variables (RS-32.18), and an empty one removes
 * the header.
 */
export interface FollowedHeader {
  readonly name: string;
  readonly value: string;
}

export interface Followed {
  /** Headers of every answer, sorted by name. */
  readonly addHeaders: readonly FollowedHeader[];
  /** Headers of every request to a backend, sorted by name. */
  readonly proxySetHeaders: readonly FollowedHeader[];
  /** PEM. */
  readonly dhParam: string | undefined;
}

export const nothingFollowed: Followed = { addHeaders: [], proxySetHeaders: [], dhParam: undefined };
