/** Flags about metrics and the profiler. */
import { bindAddress } from "../../core/kinds/flag-kinds.ts";
import { shaped } from "../../core/kinds/names.ts";
import { listOf } from "../../core/kinds/text.ts";
import { oneOf } from "../../core/kinds/words.ts";
import { flag, named, toggle } from "../flag.ts";
import { number, numbers, portNumber, wholeNumber } from "./kinds.ts";

const metric = shaped({
  label: "the name of a metric",
  shape: /^[a-z_:][\w:]{0,200}$/i,
});

export const metrics = named({
  enableMetrics: toggle({
    doc: "Counts requests, connections and reloads; /metrics has the process's own figures either way.",
  }),
  metricsPerHost: toggle({
    default: true,
    doc: "Gives request metrics the label host and leaves out hosts that no Ingress has.",
  }),
  metricsPerUndefinedHost: toggle({
    doc: "Also counts requests for hosts that no Ingress has; every name that a client makes up is then a time series.",
  }),
  reportStatusClasses: toggle({ doc: "Gives the label status the values 2xx, 3xx and so on." }),
  excludeSocketMetrics: flag<readonly string[]>({
    kind: listOf(metric),
    default: [],
    list: true,
    value: "NAMES",
    doc: "Request metrics to leave out, with or without nginx_ingress_controller_.",
  }),
  timeBuckets: flag({
    kind: numbers,
    default: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    list: true,
    doc: "Buckets of the histograms of durations, in seconds.",
  }),
  lengthBuckets: flag({
    kind: numbers,
    default: [10, 20, 30, 40, 50, 60, 70, 80, 90, 100],
    list: true,
    doc: "Buckets of request_size and response_size.",
  }),
  sizeBuckets: flag({
    kind: numbers,
    default: [10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000],
    list: true,
    doc: "Buckets of bytes_sent.",
  }),
  requestHistograms: flag({
    kind: oneOf(["ingress", "full"]),
    default: "ingress",
    value: "DETAIL",
    own: true,
    doc: "ingress: one set of histograms for each Ingress, Service and host (request_duration_seconds also by status class), with few buckets unless the flags of buckets say more; full: for each combination of all labels, as in ingress-nginx.",
  }),
  bucketFactor: flag({
    kind: number,
    default: 0,
    doc: "Was the growth of native histograms.",
    noEffect: "native histograms are not served; the classic buckets are",
  }),
  maxBuckets: flag({
    kind: wholeNumber(0, 4_294_967_295),
    default: 100,
    doc: "Was the largest number of buckets of native histograms.",
    noEffect: "native histograms are not served; the classic buckets are",
  }),
  monitorMaxBatchSize: flag({
    kind: wholeNumber(0),
    default: 10_000,
    doc: "Was the number of requests that a worker remembers between two reports.",
    noEffect: "workers count in shared memory, so nothing is dropped between two reports",
  }),
  profiling: toggle({
    default: true,
    serve: false,
    doc: "Serves the profiler: CPU profiles and, in the run folder, heap snapshots on request. SIGUSR1 opens Node's inspector on a free port of 127.0.0.1.",
  }),
  profilerAddress: flag({
    kind: bindAddress,
    default: "127.0.0.1",
    value: "ADDRESS",
    doc: "Loopback address of the profiler. Other addresses are refused, because only this machine may reach it.",
  }),
  profilerPort: flag({ kind: portNumber, default: 10_245, doc: "Port of the profiler." }),
});
