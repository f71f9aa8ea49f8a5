/**
 * The metrics of ingress-nginx 1.15.1 with their types and labels, which its users' dashboards and
 * alerts query. Those of Go's runtime are left out. A histogram also has the label `le`.
 */
export interface KnownMetric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
}

const controller = ["controller_namespace", "controller_class", "controller_pod"];
const request = [...controller, "status", "method", "path", "namespace", "ingress", "service", "canary", "host"];
const certificate = ["namespace", "class", "host", "secret_name", "identifier"];

function family(type: KnownMetric["type"], labels: readonly string[], names: string): KnownMetric[] {
  return names.split(" ").map((name) => ({ name, type, labels }));
}

/**
 * With --request-histograms=full histograms have all labels of the counter, and otherwise only
 * those of their Ingress.
 */
export const requestHistograms = family(
  "histogram",
  request,
  "nginx_ingress_controller_request_duration_seconds nginx_ingress_controller_response_duration_seconds nginx_ingress_controller_header_duration_seconds nginx_ingress_controller_connect_duration_seconds nginx_ingress_controller_request_size nginx_ingress_controller_response_size nginx_ingress_controller_bytes_sent",
);

export const ingressNginxMetrics: readonly KnownMetric[] = [
  ...family("counter", request, "nginx_ingress_controller_requests"),
  ...requestHistograms,
  ...family(
    "counter",
    controller,
    "nginx_ingress_controller_nginx_process_requests_total nginx_ingress_controller_nginx_process_cpu_seconds_total nginx_ingress_controller_nginx_process_read_bytes_total nginx_ingress_controller_nginx_process_write_bytes_total nginx_ingress_controller_success nginx_ingress_controller_errors",
  ),
  ...family("counter", [...controller, "state"], "nginx_ingress_controller_nginx_process_connections_total"),
  ...family("gauge", [...controller, "state"], "nginx_ingress_controller_nginx_process_connections"),
  ...family(
    "gauge",
    controller,
    "nginx_ingress_controller_nginx_process_num_procs nginx_ingress_controller_nginx_process_resident_memory_bytes nginx_ingress_controller_nginx_process_virtual_memory_bytes nginx_ingress_controller_nginx_process_oldest_start_time_seconds nginx_ingress_controller_config_hash nginx_ingress_controller_config_last_reload_successful nginx_ingress_controller_config_last_reload_successful_timestamp_seconds nginx_ingress_controller_admission_tested_ingresses nginx_ingress_controller_admission_tested_duration nginx_ingress_controller_admission_render_ingresses nginx_ingress_controller_admission_render_duration nginx_ingress_controller_admission_config_size nginx_ingress_controller_admission_roundtrip_duration",
  ),
  ...family("gauge", [...controller, "release", "build", "repository"], "nginx_ingress_controller_build_info"),
  ...family(
    "counter",
    [...controller, "namespace", "ingress"],
    "nginx_ingress_controller_check_success nginx_ingress_controller_check_errors",
  ),
  ...family("gauge", certificate, "nginx_ingress_controller_ssl_expire_time_seconds"),
  ...family(
    "gauge",
    [...certificate, "issuer_organization", "issuer_common_name", "serial_number", "public_key_algorithm"],
    "nginx_ingress_controller_ssl_certificate_info",
  ),
  ...family("gauge", [...controller, "name"], "nginx_ingress_controller_leader_election_status"),
  ...family("gauge", [...controller, "namespace", "ingress", "type"], "nginx_ingress_controller_orphan_ingress"),
  ...family("counter", ["code"], "promhttp_metric_handler_requests_total"),
  ...family("gauge", [], "promhttp_metric_handler_requests_in_flight"),
  ...family(
    "counter",
    [],
    "process_cpu_seconds_total process_network_receive_bytes_total process_network_transmit_bytes_total",
  ),
  ...family(
    "gauge",
    [],
    "process_open_fds process_max_fds process_virtual_memory_bytes process_virtual_memory_max_bytes process_resident_memory_bytes process_start_time_seconds",
  ),
];
