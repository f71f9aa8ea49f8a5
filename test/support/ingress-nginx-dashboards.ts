/**
 * The queries of the public dashboards of ingress-nginx (its deploy/grafana/dashboards at v1.15.1):
 * each metric with the labels that a series must match, besides those that the scrape adds. `.*`
 * also matches an absent label; `any` does not. Prometheus renames a metric's label namespace to
 * exported_namespace if the scrape adds a label of that name.
 */
export interface AskedSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, RegExp>>;
}

const any = /./;
const controller = { controller_pod: any, controller_class: any, controller_namespace: any };
const asked = (name: string, labels: Readonly<Record<string, RegExp>>): AskedSeries => ({
  name: `nginx_ingress_controller_${name}`,
  labels,
});
const ofIngress = { ...controller, ingress: any, namespace: any };

export const askedSeries: readonly AskedSeries[] = [
  // nginx.json
  asked("requests", ofIngress),
  asked("requests", { ...ofIngress, status: /^[^45]/ }),
  asked("config_hash", controller),
  asked("success", controller),
  asked("config_last_reload_successful", controller),
  asked("config_last_reload_successful_timestamp_seconds", { controller_class: any }),
  asked("nginx_process_connections", { ...controller, state: /^active$/ }),
  asked("nginx_process_cpu_seconds_total", controller),
  asked("nginx_process_resident_memory_bytes", controller),
  asked("request_duration_seconds_bucket", { ...ofIngress, le: any }),
  asked("request_size_sum", ofIngress),
  asked("response_size_sum", ofIngress),
  asked("ssl_expire_time_seconds", { host: any }),
  // request-handling-performance.json
  asked("request_duration_seconds_count", { ingress: any, host: any }),
  asked("request_duration_seconds_count", { ingress: any, host: any, status: /^[4-5]/ }),
  asked("response_duration_seconds_bucket", { ingress: any, host: any, le: any }),
  asked("response_duration_seconds_sum", { ingress: any, host: any }),
  asked("response_size_bucket", { ingress: any, le: any }),
  asked("response_size_sum", { ingress: any, host: any }),
  asked("response_size_count", { ingress: any, host: any }),
];
