/**
 * Decides between an object of a listener and one of its namesake that claim the same path, or the
 * certificate of the same name. All code that needs this decision calls `keeps`.
 */
export interface Party {
  readonly namespace: string;
  /** `metadata.creationTimestamp`. */
  readonly created: string;
}

/**
 * Whether the namesake's object wins. Within one namespace the listener's object wins, because it
 * was written to take over. Between namespaces the older object wins, and with equal ages the
 * namesake's.
 */
export function keeps(namesakes: Party, listeners: Party): boolean {
  return namesakes.namespace !== listeners.namespace && namesakes.created <= listeners.created;
}
