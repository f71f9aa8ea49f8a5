/**
 * Figures of the running nginx, from stub_status and from the kernel's data about its processes.
 */
import { textIn } from "../base/text-in.ts";
import type { ConnectionFigures, ProcessFigures } from "../core/model/nginx-figures.ts";
import { nginxProcesses } from "./process/processes.ts";

export function readStubStatus(text: string): ConnectionFigures | undefined {
  const numbers = text.match(/\d+/g)?.map(Number) ?? [];
  if (numbers.length !== 7) return undefined;
  const [active, accepted, handled, requests, reading, writing, waiting] = numbers as [number, ...number[]];
  return {
    active,
    accepted: accepted!,
    handled: handled!,
    requests: requests!,
    reading: reading!,
    writing: writing!,
    waiting: waiting!,
  };
}

/** Clock ticks in a second, and bytes in a page. All present Linux systems report these values. */
const ticks = 100;
const pageBytes = 4096;

export function processFigures(folder: { readonly root: string; readonly conf: string }): ProcessFigures {
  const bootSeconds = Number(/^btime (\d+)/m.exec(textIn("/proc/stat"))?.[1] ?? 0);
  const all = nginxProcesses(folder).flatMap(({ pid }) => {
    const stat = textIn(`/proc/${pid}/stat`);
    // Fields from the third on. The name before them is in brackets and may hold any character.
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    return fields.length < 22 ? [] : [{ fields, io: textIn(`/proc/${pid}/io`) }];
  });
  const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0);
  const starts = all.map(({ fields }) => bootSeconds + fields[19]! / ticks);
  return {
    count: all.length,
    cpuSeconds: sum(({ fields }) => (fields[11]! + fields[12]!) / ticks),
    residentBytes: sum(({ fields }) => fields[21]! * pageBytes),
    virtualBytes: sum(({ fields }) => fields[20]!),
    readBytes: sum(({ io }) => Number(/^read_bytes: (\d+)/m.exec(io)?.[1] ?? 0)),
    writtenBytes: sum(({ io }) => Number(/^write_bytes: (\d+)/m.exec(io)?.[1] ?? 0)),
    oldestStartSeconds: starts.length === 0 ? 0 : Math.min(...starts),
  };
}
