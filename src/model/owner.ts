/** The object that something was made of, as logs, metrics and Problems name it. */
export interface Owner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}
