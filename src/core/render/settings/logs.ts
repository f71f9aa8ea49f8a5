/** The access and error logs. */

import { isHost } from "../../kinds/addresses.ts";
import { logFormat } from "../../kinds/variables.ts";
import type { Settings } from "../../settings/registry.ts";
import { settings as declarations } from "../../settings/registry.ts";
import type { Machine } from "../../tokens/machine.ts";
import { Token, type View } from "../../tokens/token.ts";
import { mapLines } from "./map-lines.ts";

/** Returns the view of `templates/settings/logs.tmpl`, in the http block. */
export function httpLogs(settings: Settings, machine: Machine): View {
  const target = syslogOf(settings) ?? pathOf(settings.httpAccessLogPath ?? settings.accessLogPath, machine);
  const off = settings.disableAccessLog || settings.disableHttpAccessLog;
  const escaping = settings.logFormatEscapeNone ? "none" : settings.logFormatEscapeJson ? "json" : undefined;
  return {
    skipped: mapLines(settings.skipAccessLogUrls),
    format: formatWords(settings.logFormatUpstream),
    escape: escaping === undefined ? false : Token.name(escaping),
    log: !off && {
      target: Token.word(target),
      parameters: parametersFor(target, settings),
      conditional: maySkip(settings),
    },
  };
}

/**
 * Whether some requests may be left out of the log. If not, the text has no condition, which would
 * cost time at each request.
 */
function maySkip({ skipAccessLogUrls, allowSnippetAnnotations, serverSnippet, locationSnippet }: Settings): boolean {
  const snippets = `${serverSnippet}${locationSnippet}`;
  return skipAccessLogUrls.length > 0 || allowSnippetAnnotations || snippets.includes("loggable");
}

/** Returns the view of `templates/settings/stream-logs.tmpl`, in the stream block. */
export function streamLogs(settings: Settings, machine: Machine): View {
  const target = pathOf(settings.streamAccessLogPath ?? settings.accessLogPath, machine);
  const off = settings.disableAccessLog || settings.disableStreamAccessLog;
  return {
    format: formatWords(settings.logFormatStream),
    log: !off && { target: Token.word(target), parameters: parametersFor(target, settings) },
  };
}

export function errorLogOf(settings: Settings, machine: Machine, context: "http" | "stream"): Token {
  const path = settings.errorLogPath === declarations.errorLogPath.default ? machine.errorLog : settings.errorLogPath;
  return Token.word((context === "http" ? syslogOf(settings) : undefined) ?? path);
}

function pathOf(path: string, machine: Machine): string {
  return path === declarations.accessLogPath.default ? machine.accessLog : path;
}

function syslogOf({ enableSyslog, syslogHost, syslogPort }: Settings): string | undefined {
  if (!enableSyslog || syslogHost === undefined || !isHost(syslogHost)) return undefined;
  return `syslog:server=${syslogHost.includes(":") ? `[${syslogHost}]` : syslogHost}:${syslogPort}`;
}

/**
 * Returns the parameters of a log. For syslog there are none, because nginx refuses buffers there.
 */
function parametersFor(target: string, { accessLogParams }: Settings): View {
  if (accessLogParams === undefined || target.startsWith("syslog:")) return false;
  return declarations.accessLogParams.kind.view(accessLogParams);
}

/**
 * Splits a format into words, which nginx joins. A word may have at most 4 KB, so a long format is
 * split, but never inside a variable.
 */
function formatWords(format: string): Token {
  const pieces = format.match(/\$\{?\w*\}?|[^$]{1,500}/gu) ?? [];
  const words: string[] = [];
  for (const piece of pieces) {
    const last = words.at(-1);
    if (last === undefined || last.length + piece.length > 800) words.push(piece);
    else words[words.length - 1] = last + piece;
  }
  return Token.words(words.map((word) => logFormat.view(word) as Token));
}
