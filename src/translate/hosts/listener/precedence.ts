/**
 * Who has what an object of a listener and one of its namesake both ask for: a path, or the
 * certificate of a name. This is the one place that decides it.
 */
export interface Party {
  readonly namespace: string;
  /** `metadata.creationTimestamp`. */
  readonly created: string;
}

/**
 * Whether the namesake's party keeps it. Within one namespace the listener's party wins: it is
 * written to take over. Between namespaces the older object wins, and what was there where both are
 * of one age.
 */
export function keeps(namesakes: Party, listeners: Party): boolean {
  return namesakes.namespace !== listeners.namespace && namesakes.created <= listeners.created;
}
