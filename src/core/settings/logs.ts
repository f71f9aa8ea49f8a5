/**
 * Keys about the access and error logs. In a container the default files lead to standard output
 * and standard error.
 */

import { host, port } from "../kinds/addresses.ts";
import { emptyAs, lenientListOf, optional } from "../kinds/combine.ts";
import { logTarget, shaped } from "../kinds/names.ts";
import { mapPattern } from "../kinds/patterns.ts";
import { logFormat } from "../kinds/variables.ts";
import { oneOf } from "../kinds/words.ts";
import { Token } from "../tokens/token.ts";
import { keyed, setting, toggle } from "./declare.ts";

const params = shaped({
  label: "parameters of access_log: buffer=SIZE, gzip=1 to 9 and flush=TIME, the latter two only with the first",
  shape:
    /^(?!.*\b(\w+)(=\S*)? .*\b\1\b)(?=.*\bbuffer=)(( *)(buffer=[1-9]\d{0,5}[km]?|gzip(=[1-9])?|flush=\d{1,5}(ms|s|m|h)?)( |$)+)+$/,
  longest: 200,
  view: (value) => Token.words(value.trim().split(/ +/).map(Token.name)),
});

export const logs = keyed({
  accessLogPath: setting({
    kind: logTarget,
    default: "/var/log/nginx/access.log",
    becomes: "access_log",
    doc: "Destination of the access logs of http and stream, if the next two keys name none.",
  }),
  httpAccessLogPath: setting({
    kind: optional(logTarget),
    becomes: "access_log",
    doc: "Destination of the access log of http.",
  }),
  streamAccessLogPath: setting({
    kind: optional(logTarget),
    becomes: "access_log in the stream block",
    doc: "Destination of the access log of TCP and UDP services.",
  }),
  accessLogParams: setting({
    kind: optional(params),
    becomes: "access_log",
    doc: "Buffers the access logs: buffer=, gzip, flush=; not used towards syslog.",
  }),
  disableAccessLog: toggle({ becomes: "access_log off", doc: "Writes no access log at all." }),
  disableHttpAccessLog: toggle({ becomes: "access_log off", doc: "Writes no access log of http." }),
  disableStreamAccessLog: toggle({
    becomes: "access_log off in the stream block",
    doc: "Writes no access log of TCP and UDP services.",
  }),
  enableAccessLogForDefaultBackend: toggle({
    becomes: "access_log in the catch-all server",
    doc: "Logs requests to unknown hosts, too.",
  }),
  enableAuthAccessLog: toggle({
    becomes: "access_log in the locations of external auth",
    doc: "Logs the requests to auth services, too.",
  }),
  skipAccessLogUrls: setting({
    kind: lenientListOf(mapPattern),
    default: [],
    becomes: "the map of $loggable",
    doc: "Request URIs with their query, or patterns of them, that are not logged.",
  }),
  logFormatUpstream: setting({
    kind: logFormat,
    variables: "http",
    default:
      '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_length $request_time [$proxy_upstream_name] [$proxy_alternative_upstream_name] $upstream_addr $upstream_response_length $upstream_response_time $upstream_status $req_id',
    becomes: "log_format upstreaminfo",
    doc: "What a line of the http access log holds.",
  }),
  logFormatStream: setting({
    kind: logFormat,
    variables: "stream",
    default: "[$remote_addr] [$time_local] $protocol $status $bytes_sent $bytes_received $session_time",
    becomes: "log_format log_stream",
    doc: "What a line of the access log of TCP and UDP services holds.",
  }),
  logFormatEscapeJson: toggle({
    becomes: "log_format … escape=json",
    doc: "Escapes values in the http access log for JSON.",
  }),
  logFormatEscapeNone: toggle({
    becomes: "log_format … escape=none",
    doc: "Escapes nothing in the http access log; wins over log-format-escape-json.",
  }),
  errorLogPath: setting({
    kind: logTarget,
    default: "/var/log/nginx/error.log",
    becomes: "error_log",
    doc: "Destination of nginx's error log.",
  }),
  errorLogLevel: setting({
    kind: oneOf(["debug", "info", "notice", "warn", "error", "crit", "alert", "emerg"]),
    default: "notice",
    becomes: "error_log",
    doc: "Lowest level of the messages in nginx's error log.",
  }),
  enableSyslog: toggle({
    becomes: "access_log and error_log of http",
    doc: "Sends the access and error logs of http to syslog-host.",
  }),
  syslogHost: setting({
    kind: optional(host),
    onlyWith: ["enable-syslog"],
    becomes: "access_log and error_log of http",
    doc: "Host of the syslog server; without it enable-syslog does nothing.",
  }),
  syslogPort: setting({
    kind: emptyAs(port, "514"),
    default: 514,
    onlyWith: ["enable-syslog"],
    becomes: "access_log and error_log of http",
    doc: "UDP port of the syslog server.",
  }),
});
