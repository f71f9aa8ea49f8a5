/**
 * nginx's connections and processes, under the names of ingress-nginx. They are read at each
 * scrape, and are absent while nginx does not answer.
 */
import { Counter, Gauge, type Registry } from "prom-client";
import { shared } from "../../base/timing/shared.ts";
import type { ConnectionFigures, ProcessFigures } from "../../core/model/nginx-figures.ts";

export interface RunningFigures {
  /** Undefined while nginx does not answer. */
  readonly connections: ConnectionFigures | undefined;
  readonly processes: ProcessFigures;
}

type Value = readonly [state: string, value: number];

const prefix = "nginx_ingress_controller_nginx_process_";
const one = (value: number): Value[] => [["", value]];

/** Name, type, sentence, and the values by state. */
const metrics = [
  [
    "requests_total",
    Counter,
    "Requests that nginx has accepted, including those of its own status page.",
    ({ connections: c }) => (c ? one(c.requests) : []),
  ],
  [
    "connections_total",
    Counter,
    "Connections that nginx accepted and handled, by state.",
    ({ connections: c }) => (c ? [["accepted", c.accepted] as const, ["handled", c.handled] as const] : []),
  ],
  [
    "connections",
    Gauge,
    "Open connections by state.",
    ({ connections: c }) =>
      c ? (["active", "reading", "writing", "waiting"] as const).map((state) => [state, c[state]] as const) : [],
  ],
  ["num_procs", Gauge, "Processes of nginx.", ({ processes }) => one(processes.count)],
  [
    "cpu_seconds_total",
    Counter,
    "Seconds of CPU time that nginx's processes used.",
    ({ processes }) => one(processes.cpuSeconds),
  ],
  [
    "read_bytes_total",
    Counter,
    "Bytes that nginx's processes read from disks.",
    ({ processes }) => one(processes.readBytes),
  ],
  [
    "write_bytes_total",
    Counter,
    "Bytes that nginx's processes wrote to disks.",
    ({ processes }) => one(processes.writtenBytes),
  ],
  [
    "resident_memory_bytes",
    Gauge,
    "Memory that nginx's processes hold.",
    ({ processes }) => one(processes.residentBytes),
  ],
  [
    "virtual_memory_bytes",
    Gauge,
    "Memory that nginx's processes may address.",
    ({ processes }) => one(processes.virtualBytes),
  ],
  [
    "oldest_start_time_seconds",
    Gauge,
    "Start time of the oldest process of nginx, in seconds since 1970.",
    ({ processes }) => one(processes.oldestStartSeconds),
  ],
] as const satisfies readonly (readonly [
  string,
  typeof Counter | typeof Gauge,
  string,
  (figures: RunningFigures) => readonly Value[],
])[];

export function registerNginxMetrics(
  registry: Registry,
  labels: Readonly<Record<string, string>>,
  figures: () => Promise<RunningFigures | undefined>,
): void {
  // A scrape collects all metrics at once, so nginx and /proc are read once for them.
  const together = shared(figures);
  for (const [name, Metric, help, valuesOf] of metrics) {
    const states = name.startsWith("connections");
    new Metric({
      name: `${prefix}${name}`,
      help,
      registers: [registry],
      labelNames: [...Object.keys(labels), ...(states ? ["state"] : [])],
      async collect() {
        const now = await together();
        this.reset();
        for (const [state, value] of now === undefined ? [] : valuesOf(now)) {
          this.inc({ ...labels, ...(states ? { state } : {}) }, value);
        }
      },
    });
  }
}
