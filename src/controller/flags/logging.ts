/**
 * Flags about logging. Log files and their headers belonged to ingress-nginx's logging library;
 * Sluice logs to standard output alone.
 */
import { optional } from "../../core/kinds/combine.ts";
import { shaped } from "../../core/kinds/names.ts";
import { flag, named, toggle } from "../flag.ts";
import { text, wholeNumber } from "./kinds.ts";

const files = "logs go to standard output, never to files";
const headers = "log lines have fields instead of headers";

const severity = shaped({
  label: "a severity: 0 to 3, INFO, WARNING, ERROR or FATAL",
  shape: /^([0-3]|info|warning|error|fatal)$/i,
});

export const logging = named({
  v: flag({
    short: "v",
    kind: wholeNumber(0, 10),
    default: 0,
    value: "LEVEL",
    doc: "How much is logged: 2 adds what a reload changes, 3 adds decisions, 5 sets nginx's error log to info unless the setting error-log-level has another value.",
  }),
  vmodule: flag({
    kind: text,
    value: "PATTERNS",
    doc: "Was the verbosity by source file.",
    noEffect: "there is one verbosity for all; use -v",
  }),
  logtostderr: toggle({ default: true, doc: "Was logging to standard error.", noEffect: files }),
  alsologtostderr: toggle({ doc: "Was logging to both.", noEffect: files }),
  alsologtostderrthreshold: flag({
    kind: optional(severity),
    value: "SEVERITY",
    doc: "Was the lowest severity for both.",
    noEffect: files,
  }),
  legacyStderrThresholdBehavior: toggle({
    name: "legacy_stderr_threshold_behavior",
    default: true,
    doc: "Was whether stderrthreshold counts.",
    noEffect: files,
  }),
  stderrthreshold: flag({
    kind: severity,
    default: "2",
    value: "SEVERITY",
    doc: "Was the lowest severity for standard error.",
    noEffect: files,
  }),
  logDir: flag({ name: "log_dir", kind: text, value: "FOLDER", doc: "Was the folder of log files.", noEffect: files }),
  logFile: flag({ name: "log_file", kind: text, value: "FILE", doc: "Was the log file.", noEffect: files }),
  logFileMaxSize: flag({
    name: "log_file_max_size",
    kind: wholeNumber(0),
    default: 1800,
    value: "MEGABYTES",
    doc: "Was the largest size of the log file.",
    noEffect: files,
  }),
  logBacktraceAt: flag({
    name: "log_backtrace_at",
    kind: text,
    value: "FILE:LINE",
    doc: "Was a place whose log lines have a stack trace.",
    noEffect: "an unexpected error always has its stack trace",
  }),
  addDirHeader: toggle({ name: "add_dir_header", doc: "Was the folder in headers.", noEffect: headers }),
  skipHeaders: toggle({ name: "skip_headers", doc: "Was logging without headers.", noEffect: headers }),
  skipLogHeaders: toggle({ name: "skip_log_headers", doc: "Was files without headers.", noEffect: files }),
  oneOutput: toggle({ name: "one_output", doc: "Was one file for each severity.", noEffect: files }),
});

export const information = named({
  version: toggle({ doc: "Prints the version and ends." }),
  help: toggle({ short: "h", doc: "Prints this text and ends." }),
});
