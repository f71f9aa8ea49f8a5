/** Which views that are of no use in most clusters have something to show. */
export interface ViewsAnswer {
  readonly gateways: boolean;
  readonly shadow: boolean;
}
