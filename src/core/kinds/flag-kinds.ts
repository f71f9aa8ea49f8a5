/**
 * Values as Go programs read them on a command line: durations, lists of numbers, addresses, label
 * selectors.
 */
import { isIPv4, isIPv6 } from "node:net";
import { Token } from "../tokens/token.ts";
import { isHost } from "./addresses.ts";
import { type Kind, no, ok, shown } from "./kind.ts";

const scales: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** A Go duration such as `1m30s` or `500ms`, as milliseconds. */
export const goDuration: Kind<number> = {
  label: "a duration like 30s, 1m30s or 500ms",
  read: (text) => {
    const [, sign, rest = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
    if (rest === "0") return ok(0);
    const parts = [...rest.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gy)];
    const length = parts.reduce((sum, [whole]) => sum + whole.length, 0);
    if (parts.length === 0 || length !== rest.length) return no(`${shown(text)} is not a duration like 30s or 1m30s`);
    const sum = parts.reduce((total, [, digits, unit]) => total + Number(digits) * (scales[unit ?? ""] ?? 0), 0);
    return ok(sign === "-" ? -sum : sum);
  },
  write: (value) => writtenDuration(value),
  view: (value) => Token.count(Math.round(value)),
};

function writtenDuration(milliseconds: number): string {
  if (milliseconds % 3_600_000 === 0 && milliseconds !== 0) return `${milliseconds / 3_600_000}h`;
  if (milliseconds % 60_000 === 0 && milliseconds !== 0) return `${milliseconds / 60_000}m`;
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}

/** A number as Go's ParseFloat reads it, without the words for infinity. */
export const float: Kind<number> = {
  label: "a number",
  read: (text) => {
    const value = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(value) ? ok(value) : no(`${shown(text)} is not a number`);
  },
  view: (value) => Token.name(String(value)),
};

/** Upper bounds of a histogram's buckets, each larger than the one before. */
export const buckets: Kind<readonly number[]> = {
  label: "numbers separated by commas, each larger than the one before",
  read: (text) => {
    const values: number[] = [];
    for (const part of text.split(",")) {
      const read = float.read(part.trim());
      if (!read.ok) return read;
      const last = values.at(-1);
      if (last !== undefined && read.value <= last) return no(`${part.trim()} is not larger than ${last}`);
      values.push(read.value);
    }
    return ok(values);
  },
  write: (values) => values.join(","),
  view: (values) => values.map((value) => float.view(value)),
};

/** `host:port`, where an empty host is every address. */
export const hostPort: Kind<string> = {
  label: "an address and a port, like :8443",
  read: (text) => {
    const [, host = "", port = ""] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
    const usable = (host === "" || isHost(host)) && Number(port) >= 1 && Number(port) <= 65_535 && port !== "";
    return usable ? ok(text) : no(`${shown(text)} is not an address and a port, like :8443`);
  },
  view: Token.name,
};

/** An address to bind to. */
export const bindAddress: Kind<string> = {
  label: "an IP address",
  read: (text) => (isIPv4(text) || isIPv6(text) ? ok(text) : no(`${shown(text)} is not an IP address`)),
  view: Token.name,
};

const label = "([a-zA-Z\\d][\\w./-]*)";
const values = "\\(\\s*[\\w.-]*(\\s*,\\s*[\\w.-]*)*\\s*\\)";
const requirement = `\\s*(!?\\s*${label}|${label}\\s*(=|==|!=|>|<)\\s*[\\w.-]*|${label}\\s+(in|notin)\\s+${values})\\s*`;
const selector = new RegExp(`^${requirement}(,${requirement})*$`);

/** A Kubernetes label selector. */
export const labelSelector: Kind<string> = {
  label: "a label selector like team=web,stage!=test",
  longest: 1_000,
  read: (text) => (selector.test(text) ? ok(text) : no(`${shown(text)} is not a label selector`)),
  view: Token.word,
};
