/** Whether views that most clusters do not need have something to show, and what links need. */
export interface ViewsAnswer {
  readonly gateways: boolean;
  readonly shadow: boolean;
  /** The address of a dashboard, with `{host}`, `{namespace}` and `{name}`; may be empty. */
  readonly grafana: string;
  /** Whether the objects are those of a cluster. */
  readonly hasCluster: boolean;
}
