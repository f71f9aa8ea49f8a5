/** Contents of the ConfigMaps and the Secret that some settings name. */

/**
 * A header as its ConfigMap has it: the value may hold variables (RS-32.18), an empty one takes the
 * header away.
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
