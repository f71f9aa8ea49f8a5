/**
 * The log: each line has a constant message and fields. On a terminal a line is made for people;
 * elsewhere it is JSON. The caller chooses the fields and never passes a whole object, so no Secret
 * can be among them.
 */
import { type Logger, pino } from "pino";
import { prettyFactory } from "pino-pretty";

import { visibleLines } from "../../base/visible.ts";

export type Log = Logger;

export interface LogOptions {
  /** The value of `-v`: from 2 on it includes debug lines, from 3 on trace lines. */
  readonly verbosity: number;
  /** Whether the log goes to a terminal; with colours or without. */
  readonly terminal: false | { readonly colours: boolean };
  readonly write: (text: string) => void;
}

export function openLog({ verbosity, terminal, write }: LogOptions): Log {
  const level = verbosity >= 3 ? "trace" : verbosity >= 2 ? "debug" : "info";
  const levelWord = { formatters: { level: (label: string) => ({ level: label }) } };
  const plain = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, ...levelWord };
  // A line is JSON and ends with its only line break, because line breaks in texts are escaped.
  if (terminal === false) return pino(plain, { write: (line: string) => write(visibleLines(line)) });
  const readable = prettyFactory({
    colorize: terminal.colours,
    translateTime: "SYS:HH:MM:ss.l",
    hideObject: true,
    messageFormat: (line) => visibleLines(sentenceOf(line)),
    customPrettifiers: { level: (_value, _key, _line, { labelColorized }) => labelColorized.padEnd(5) },
  });
  return pino({ ...plain, formatters: {} }, { write: (line: string) => write(readable(line)) });
}

const frame = new Set(["level", "time", "msg"]);

/** Returns, for example, `reloaded: took=40ms why="a new host"`. A Problem is its sentence. */
function sentenceOf(line: Readonly<Record<string, unknown>>): string {
  if (line.now !== undefined) return `${line.msg}: ${line.object}: ${line.now}`;
  const at = line.at === undefined ? "" : `${line.at} `;
  if (line.problem !== undefined) return `${line.msg}: ${at}${line.object}: ${line.problem}`;
  const fields = Object.entries(line).filter(([name, value]) => !frame.has(name) && value !== undefined);
  const shown = fields.map(([name, value]) => (name === "err" ? stackOf(value) : `${name}=${wordOf(value)}`));
  return shown.length === 0 ? String(line.msg) : `${line.msg}: ${shown.join(" ")}`;
}

function wordOf(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}

/** Returns the stack of an error. Only bugs are logged with an Error. */
function stackOf(value: unknown): string {
  return String((value as { readonly stack?: unknown }).stack ?? value);
}
