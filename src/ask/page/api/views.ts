/** Whether views that most clusters do not need have something to show. */
export interface ViewsAnswer {
  readonly gateways: boolean;
  readonly shadow: boolean;
}
