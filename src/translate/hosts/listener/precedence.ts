/**
 * Decides between an object of a listener and one of its namesake that claim the same path, or the
 * certificate of the same name. No other code decides that.
 */
export interface Party {
  readonly namespace: string;
  /** `metadata.creationTimestamp`. */
  readonly created: string;
}

/**
 * Whether the namesake's object keeps it. Within one namespace the listener's object wins, because
 * it is written to take over. Between namespaces the older object wins, and the namesake's if both
 * are of the same age.
 */
export function keeps(namesakes: Party, listeners: Party): boolean {
  return namesakes.namespace !== listeners.namespace && namesakes.created <= listeners.created;
}
