/** Keys about nginx's processes: their number, their connections, their end. */

import { range } from "../kinds/addresses.ts";
import { lenientListOf, optional } from "../kinds/combine.ts";
import { type Kind, ok } from "../kinds/kind.ts";
import { timeSpan } from "../kinds/measures.ts";
import { shaped } from "../kinds/names.ts";
import { Token } from "../tokens/token.ts";
import { keyed, setting, toggle } from "./declare.ts";
import { count, countOrNone } from "./kinds.ts";

const number = count({ max: 1024 });
const numberOrAuto: Kind<number | "auto"> = {
  label: `${number.label}, or auto`,
  read: (text) => (text === "auto" ? ok("auto") : number.read(text)),
  view: (value) => (value === "auto" ? Token.name("auto") : Token.count(value)),
};

const affinity = shaped({
  label: "auto, CPU masks like 0101, or auto and a mask",
  shape: /^(auto( [01]{1,256})?|[01]{1,256}( [01]{1,256})*)$/,
  view: (value) => Token.words(value.split(" ").map(Token.name)),
});

export const workers = keyed({
  workerProcesses: setting<number | "auto">({
    kind: numberOrAuto,
    default: "auto",
    becomes: "worker_processes",
    doc: "Number of worker processes; auto is the number of CPUs that the container may use.",
  }),
  workerCpuAffinity: setting({
    kind: optional(affinity),
    directive: { name: "worker_cpu_affinity", context: "main" },
    doc: "Binds the workers to CPUs.",
  }),
  workerShutdownTimeout: setting({
    kind: timeSpan(),
    default: "240s",
    directive: { name: "worker_shutdown_timeout", context: "main" },
    doc: "How long old workers may finish open requests after a reload or at the end.",
  }),
  maxWorkerConnections: setting({
    kind: countOrNone({ max: 4_194_304 }),
    default: 16_384,
    becomes: "worker_connections",
    doc: "Connections that one worker may hold, to clients and backends together; 0 is three quarters of its open files.",
  }),
  maxWorkerOpenFiles: setting({
    kind: countOrNone({ max: 16_777_216 }),
    default: 0,
    becomes: "worker_rlimit_nofile",
    doc: "Files that one worker may open; 0 is the process's limit less 1024.",
  }),
  enableMultiAccept: toggle({
    default: true,
    directive: { name: "multi_accept", context: "events" },
    doc: "Lets a worker accept all waiting connections at once.",
  }),
  debugConnections: setting({
    kind: lenientListOf(range),
    default: [],
    directive: { name: "debug_connection", context: "events" },
    doc: "Client addresses whose connections are logged at level debug, by an nginx that is built with debugging.",
  }),
  enableSerialReloads: toggle({
    live: true,
    becomes: "the reload itself",
    doc: "Delays a reload until the workers of the previous configuration have ended.",
  }),
  enableAioWrite: toggle({
    default: true,
    directive: { name: "aio_write", context: "http" },
    doc: "Writes temporary files in a pool of threads.",
  }),
});
