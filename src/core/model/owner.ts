/** The object from which something was made, as logs, metrics and Problems name it. */
export interface Owner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}
