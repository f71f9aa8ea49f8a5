/**
 * Metrics of the controller's process and of the scrapes themselves: those that Go's client library
 * has and Node's lacks.
 */
import { Counter, Gauge, type Registry } from "prom-client";
import { textIn } from "../../base/text-in.ts";

export class ProcessMetrics {
  readonly #scrapes: Counter<"code">;
  readonly #inFlight: Gauge;

  constructor(registry: Registry, read: (path: string) => string = textIn) {
    const registers = [registry];
    const metric = (name: string, help: string) => ({ name, help, registers });
    new Gauge({
      ...metric("process_virtual_memory_max_bytes", "Virtual memory that the process may have."),
      collect() {
        this.set(addressSpaceOf(read("/proc/self/limits")));
      },
    });
    for (const [name, field, help] of [
      [
        "process_network_receive_bytes_total",
        "InOctets",
        "Bytes that came in, of all programs of the network namespace.",
      ],
      [
        "process_network_transmit_bytes_total",
        "OutOctets",
        "Bytes that went out, of all programs of the network namespace.",
      ],
    ] as const) {
      new Counter({
        ...metric(name, help),
        collect() {
          this.reset();
          this.inc(octetsOf(read("/proc/self/net/netstat"), field));
        },
      });
    }
    this.#scrapes = new Counter({
      ...metric("promhttp_metric_handler_requests_total", "Scrapes by status code of the answer."),
      labelNames: ["code"],
    });
    for (const code of ["200", "500", "503"]) this.#scrapes.inc({ code }, 0);
    this.#inFlight = new Gauge(
      metric("promhttp_metric_handler_requests_in_flight", "Scrapes that are being answered."),
    );
  }

  /** Counts a scrape, which is also counted as one in flight. */
  async scraped<T>(answer: () => Promise<T>): Promise<T> {
    this.#inFlight.inc();
    let code = "500";
    try {
      const answered = await answer();
      code = "200";
      return answered;
    } finally {
      this.#inFlight.dec();
      this.#scrapes.inc({ code });
    }
  }
}

/**
 * Returns the limit of the address space. If there is none, the kernel prints `unlimited`, and
 * other client libraries report the largest number of 64 bits.
 */
function addressSpaceOf(limits: string): number {
  const soft = /^Max address space\s+(\S+)/m.exec(limits)?.[1];
  return soft === undefined || soft === "unlimited" ? 2 ** 64 : Number(soft);
}

/** Reads a field of the kernel's file, which has a line of names and then a line of numbers. */
function octetsOf(netstat: string, field: string): number {
  const [names = [], values = []] = [...netstat.matchAll(/^IpExt: (.*)$/gm)].map(([, rest]) => rest!.split(" "));
  return Number(values[names.indexOf(field)] ?? 0);
}
